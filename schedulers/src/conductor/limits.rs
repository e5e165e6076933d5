//! What the budget still allows, and when it is time to finish.

use std::time::Duration;

use super::machine::{Conductor, Stage};
use super::{Effect, Phase, StopReason};
use crate::budget;
use crate::explain::{Decision, FinishWhy};
use crate::ids::{Epochs, RunTime, TrialId};
use crate::scheduler::Scheduler;
use crate::trial::{Course, Phase as TrialPhase, Trial};

/// Grace of a stop that no deadline presses.
const UNHURRIED: Duration = Duration::from_secs(2);

impl Conductor {
    /// When training must be over: the end less the reserve. Nothing without a clock.
    #[must_use]
    pub fn deadline(&self) -> Option<RunTime> {
        self.rules.limits.end.map(|end| end - self.rules.reserve)
    }

    /// Time left for training. Nothing without a clock.
    pub(super) fn left(&self) -> Option<Duration> {
        self.deadline().map(|deadline| deadline.since(self.now))
    }

    pub(super) fn is_past_deadline(&self) -> bool {
        self.left() == Some(Duration::ZERO)
    }

    /// How long a process may take to go when time presses.
    pub(super) fn grace(&self) -> Duration {
        budget::grace(self.rules.reserve)
    }

    /// When a process that is told to go now is killed: in two seconds, and never later than a grace past the deadline.
    pub(super) fn kill_at(&self) -> RunTime {
        let unhurried = self.now + UNHURRIED;
        self.deadline().map_or(unhurried, |deadline| {
            unhurried.min(deadline.max(self.now) + self.grace())
        })
    }

    /// Epochs that nobody has claimed yet. Nothing without such a budget.
    pub(super) fn epochs_left(&self) -> Option<u64> {
        let claimed = |trial: &Trial| match trial.phase() {
            TrialPhase::Launching { .. } | TrialPhase::Running { .. } => {
                trial.to().saturating_sub(trial.history().epochs())
            }
            TrialPhase::Stopping { .. }
            | TrialPhase::Pending
            | TrialPhase::Paused
            | TrialPhase::Finished { .. } => 0,
        };
        let max = self.rules.limits.max_epochs?;
        let live = self
            .slots
            .trials()
            .filter_map(|id| self.trials.get(&id))
            .filter(|trial| trial.course != Course::Baseline);
        let claimed: u64 = live.map(|trial| u64::from(claimed(trial))).sum();
        Some(max.saturating_sub(self.epochs_used).saturating_sub(claimed))
    }

    /// What a trial needs from where its checkpoint stands to `to`. Nothing when no epoch was ever timed.
    pub(super) fn cost(&self, trial: &Trial, to: Epochs) -> Option<Duration> {
        let done = if trial.is_live() {
            trial.history().epochs()
        } else {
            trial.checkpoint()
        };
        let rate = trial
            .history()
            .seconds_per_epoch()
            .or_else(|| self.rates.seconds_per_epoch(trial.class))?;
        Some(self.rates.leg(to.saturating_sub(done), rate))
    }

    /// Whether a trial that has no process, or waits at the end of a leg, may go on to `to` within the budget.
    pub(super) fn fits(&self, trial: &Trial, to: Epochs) -> bool {
        let in_time = match (self.left(), self.cost(trial, to)) {
            (Some(left), Some(cost)) => cost <= left,
            (Some(left), None) => left > Duration::ZERO,
            (None, _) => true,
        };
        in_time && self.fits_epochs(to.saturating_sub(trial.history().epochs()))
    }

    pub(super) fn fits_epochs(&self, epochs: Epochs) -> bool {
        self.epochs_left()
            .is_none_or(|left| u64::from(epochs) <= left)
    }

    /// The best trial that has not trained in full.
    pub(super) fn leader(&self) -> Option<&Trial> {
        self.open
            .first()
            .and_then(|standing| self.trials.get(&standing.trial))
    }

    /// Whether trials run until the clock cuts them: no rung judges them, so none is worth more than a new one.
    pub(super) fn may_cut(&self) -> bool {
        let is_unjudged = |scheduler: &dyn Scheduler| scheduler.rungs().judged().is_empty();
        self.deadline().is_some() && self.scheduler().is_some_and(is_unjudged)
    }

    /// Whether what is left is just what the leader needs, or less.
    fn must_finish(&self, now: RunTime) -> bool {
        if self.may_cut() {
            return false;
        }
        let Some(leader) = self.leader() else {
            return false;
        };
        let left = self.deadline().map(|deadline| deadline.since(now));
        let too_late = left
            .zip(self.cost(leader, leader.full))
            .is_some_and(|(left, cost)| left < budget::with_margin(cost));
        // What a live leg has claimed is the leader's own, if it is the leader's.
        let claimed = if leader.is_live() {
            leader.to()
        } else {
            leader.history().epochs()
        };
        too_late || !self.fits_epochs(leader.full.saturating_sub(claimed))
    }

    /// Whether time alone changes the phase of the run.
    pub(super) fn is_change_due(&self, now: RunTime) -> bool {
        let is_over = self.deadline().is_some_and(|deadline| now >= deadline);
        match self.stage {
            Stage::Search => is_over || self.must_finish(now),
            Stage::Finish(_) => is_over,
            Stage::Draining { give_up } => now >= give_up,
            Stage::Ended => false,
        }
    }

    /// Enters Finish when it is time for the leader.
    pub(super) fn check_leader(&mut self) {
        if self.stage == Stage::Search && self.must_finish(self.now) {
            self.enter_finish(FinishWhy::Budget);
            self.make_room();
        }
    }

    pub(super) fn enter_finish(&mut self, why: FinishWhy) {
        self.stage = Stage::Finish(why);
        self.push(Effect::Entered(Phase::Finish));
        let leader = self.leader();
        let cost_s = leader
            .and_then(|leader| self.cost(leader, leader.full))
            .map(|cost| cost.as_secs_f64());
        let decision = Decision::Finishing {
            leader: leader.map(|leader| leader.id),
            why,
            cost_s,
            left_s: self.left().map(|left| left.as_secs_f64()),
        };
        self.record(decision);
    }

    /// Stops the worst that is judged, when the leader waits and no slot is free.
    fn make_room(&mut self) {
        let waits = self.leader().is_some_and(|leader| !leader.is_live());
        if !waits || self.slots.n_free() > 0 {
            return;
        }
        let is_movable = |trial: &&Trial| match trial.phase() {
            TrialPhase::Launching { .. } | TrialPhase::Running { .. } => {
                trial.course == Course::Judged && trial.to() < trial.full
            }
            TrialPhase::Stopping { .. }
            | TrialPhase::Pending
            | TrialPhase::Paused
            | TrialPhase::Finished { .. } => false,
        };
        let live = self.slots.trials().filter_map(|id| self.trials.get(&id));
        // A trial without a score is worse than any with one.
        let worst = live
            .filter(is_movable)
            .max_by_key(|trial| (trial.standing().is_none(), trial.standing(), trial.id));
        let worst: Option<(TrialId, Epochs)> = worst.map(|trial| (trial.id, trial.checkpoint()));
        if let Some((trial, checkpoint)) = worst {
            self.record(Decision::Stopped {
                trial,
                reason: StopReason::Preempted,
                checkpoint,
            });
            self.stop(trial, StopReason::Preempted);
        }
    }
}
