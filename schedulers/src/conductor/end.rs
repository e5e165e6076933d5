//! How a run ends, and how it is opened again.

use std::time::Duration;

use super::machine::{Conductor, Plan, Stage};
use super::{Effect, Phase, StopReason};
use crate::explain::{Decision, FinishWhy};
use crate::ids::TrialId;
use crate::trial::{Course, Phase as TrialPhase, TrialEvent};

impl Conductor {
    pub(super) fn on_stop_asked(&mut self) {
        match self.stage {
            Stage::Search | Stage::Finish(_) => self.drain(StopReason::Shutdown),
            Stage::Draining { .. } => self.kill_all(),
            Stage::Ended => {}
        }
    }

    pub(super) fn on_kill_asked(&mut self) {
        match self.stage {
            Stage::Search | Stage::Finish(_) => {
                self.drain(StopReason::Shutdown);
                self.kill_all();
            }
            Stage::Draining { .. } => self.kill_all(),
            Stage::Ended => {}
        }
    }

    pub(super) fn on_trial_stop_asked(&mut self, id: TrialId) {
        let Some(trial) = self.trials.get(&id) else {
            return;
        };
        let checkpoint = trial.checkpoint();
        let is_open = match trial.phase() {
            TrialPhase::Launching { .. }
            | TrialPhase::Running { .. }
            | TrialPhase::Pending
            | TrialPhase::Paused => true,
            TrialPhase::Stopping { .. } | TrialPhase::Finished { .. } => false,
        };
        if !is_open {
            return;
        }
        self.record(Decision::Stopped {
            trial: id,
            reason: StopReason::User,
            checkpoint,
        });
        if self.trials[&id].is_live() {
            self.stop(id, StopReason::User);
        } else {
            let (reason, deadline) = (StopReason::User, self.now);
            self.apply(id, TrialEvent::StopAsked { reason, deadline });
            if let Some(scheduler) = self.scheduler_mut() {
                scheduler.leave(id);
            }
        }
    }

    pub(super) fn on_budget_added(&mut self, time: Duration) {
        self.rules.limits.end = self.rules.limits.end.map(|end| end + time);
        match self.stage {
            Stage::Finish(_) => self.reopen(),
            // What was told to go goes; `Resumed` opens the run again.
            Stage::Search | Stage::Draining { .. } | Stage::Ended => {}
        }
    }

    pub(super) fn on_resumed(&mut self) {
        let live: Vec<TrialId> = self.slots.trials().collect();
        for id in live {
            self.apply(id, TrialEvent::Interrupted);
            self.after_exit(id);
        }
        self.slots.clear();
        self.asked.clear();
        self.next = TrialId(1);
        if self.is_past_deadline() {
            self.stage = self.draining();
        } else {
            self.reopen();
        }
    }

    /// Back to the search: legs that were cut are done again from their checkpoints.
    fn reopen(&mut self) {
        if self.stage != Stage::Search {
            self.stage = Stage::Search;
            self.push(Effect::Entered(Phase::Search));
        }
        let Plan::Settled(scheduler) = &self.plan else {
            return;
        };
        let rungs = scheduler.rungs().clone();
        let cut: Vec<_> = self
            .trials
            .values()
            .filter(|trial| trial.is_cut())
            .collect();
        // A leader that was cut in Finish is judged again on its way.
        let cut: Vec<_> = cut
            .into_iter()
            .map(|trial| match trial.course {
                Course::Baseline | Course::Straight => (trial.id, trial.full),
                Course::Judged => (trial.id, rungs.next(trial.checkpoint())),
            })
            .collect();
        for (id, to) in cut {
            self.apply(id, TrialEvent::Queued { to });
        }
    }

    /// At the deadline what runs is told to go.
    pub(super) fn check_deadline(&mut self) {
        let is_running = match self.stage {
            Stage::Search | Stage::Finish(_) => true,
            Stage::Draining { .. } | Stage::Ended => false,
        };
        if is_running && self.is_past_deadline() {
            self.drain(StopReason::Budget);
        }
    }

    /// Nothing starts any more, and what runs is told to go.
    fn drain(&mut self, reason: StopReason) {
        self.stage = self.draining();
        self.push(Effect::Entered(Phase::Done));
        let live: Vec<TrialId> = self.slots.trials().collect();
        for id in live {
            let trial = &self.trials[&id];
            match trial.phase() {
                TrialPhase::Launching { .. } | TrialPhase::Running { .. } => {
                    let checkpoint = trial.checkpoint();
                    self.record(Decision::Stopped {
                        trial: id,
                        reason,
                        checkpoint,
                    });
                    self.stop(id, reason);
                }
                TrialPhase::Stopping { deadline, .. } => {
                    let deadline = self.kill_at().min(*deadline);
                    self.apply(id, TrialEvent::KillAsked { deadline });
                }
                TrialPhase::Pending | TrialPhase::Paused | TrialPhase::Finished { .. } => {}
            }
        }
    }

    fn kill_all(&mut self) {
        let live: Vec<TrialId> = self.slots.trials().collect();
        for id in live {
            self.kill(id);
        }
    }

    /// Kills what was told to go and did not.
    pub(super) fn kill_overdue(&mut self) {
        let is_overdue = |id: &TrialId| match self.trials[id].phase() {
            TrialPhase::Stopping { deadline, .. } => self.now >= *deadline,
            TrialPhase::Launching { .. }
            | TrialPhase::Running { .. }
            | TrialPhase::Pending
            | TrialPhase::Paused
            | TrialPhase::Finished { .. } => false,
        };
        let overdue: Vec<TrialId> = self.slots.trials().filter(is_overdue).collect();
        for id in overdue {
            self.kill(id);
        }
    }

    /// A search in which nothing is left to do finishes; a Finish in which nothing is left to do ends.
    pub(super) fn check_idle(&mut self) {
        if !self.is_idle() {
            return;
        }
        if self.stage == Stage::Search {
            self.enter_finish(self.why_idle());
            self.wake();
        }
        if self.is_idle() && matches!(self.stage, Stage::Finish(_)) {
            self.drain(StopReason::Shutdown);
        }
    }

    fn is_idle(&self) -> bool {
        let is_settled = matches!(self.plan, Plan::Settled(_));
        is_settled
            && !self.slots.is_empty()
            && self.asked.is_empty()
            && self.slots.n_free() == self.slots.len()
    }

    fn why_idle(&self) -> FinishWhy {
        let at_limit = self
            .rules
            .limits
            .max_trials
            .is_some_and(|max| self.next.0 > max);
        if self.exhausted {
            FinishWhy::Space
        } else if at_limit {
            FinishWhy::Trials
        } else {
            FinishWhy::Budget
        }
    }

    /// What was killed is gone within a grace, or stuck in the kernel.
    fn draining(&self) -> Stage {
        Stage::Draining {
            give_up: self.kill_at() + self.grace(),
        }
    }

    /// The run has ended when every process has.
    pub(super) fn check_drained(&mut self) {
        let Stage::Draining { give_up } = self.stage else {
            return;
        };
        let is_empty = self.slots.n_free() == self.slots.len();
        if is_empty || self.now >= give_up {
            self.stage = Stage::Ended;
            self.push(Effect::RunEnded);
        }
    }
}
