//! Who gets a free slot.

use super::machine::{Conductor, Plan, Stage};
use super::{Effect, Full};
use crate::explain::{Decision, FinishWhy};
use crate::ids::{Epochs, SlotId, TrialId};
use crate::score::Standing;
use crate::slot::Holder;
use crate::trial::{Course, Phase, Trial, TrialEvent};

/// How many of the best are trained in full at the end where no clock says when to stop.
const LEADERS: usize = 3;

/// A full training that is likely to be cut is begun when at least one part in so many fits.
const CUT_SHARE: Epochs = 4;

impl Conductor {
    /// Fills free slots as the phase of the run allows.
    pub(super) fn wake(&mut self) {
        while let Some(slot) = self.slots.free() {
            let went_on = match self.stage {
                Stage::Search => self.start_one(slot),
                Stage::Finish(_) => self.finish_one(slot),
                Stage::Draining { .. } | Stage::Ended => false,
            };
            if !went_on {
                return;
            }
        }
    }

    /// In Search: the baseline; the probe; legs that were cut; promotions from the top rung down; new trials.
    fn start_one(&mut self, slot: SlotId) -> bool {
        if self.start_baseline(slot) {
            return true;
        }
        if matches!(self.plan, Plan::Unsettled) && !self.settle_or_probe(slot) {
            return false;
        }
        self.resume_cut(slot) || self.promote(slot) || self.start_new(slot) || self.ask()
    }

    fn start_baseline(&mut self, slot: SlotId) -> bool {
        let waits = self.pending.contains(&TrialId::BASELINE);
        if waits {
            self.launch(TrialId::BASELINE, slot);
        }
        waits
    }

    /// Starts the probe, or settles R without one; false while the slot has to wait for the answer.
    fn settle_or_probe(&mut self, slot: SlotId) -> bool {
        if self.deadline().is_none() || self.rules.full != Full::Probed {
            self.settle_untimed();
            return true;
        }
        if !self.slots.is_probing() {
            self.slots.hold(slot, Holder::Probe);
            self.push(Effect::Probe { slot });
        }
        false
    }

    /// The leg that was cut or failed and is to end highest.
    fn resume_cut(&mut self, slot: SlotId) -> bool {
        let is_begun = |trial: &&Trial| trial.checkpoint() > 0 || trial.attempt().0 > 0;
        let pending = self.pending.iter().filter_map(|id| self.trials.get(id));
        let cut = pending
            .filter(is_begun)
            .filter(|trial| self.fits(trial, trial.to()))
            .max_by_key(|trial| (trial.to(), std::cmp::Reverse(trial.id)));
        self.launch_if(cut.map(|trial| trial.id), slot)
    }

    fn promote(&mut self, slot: SlotId) -> bool {
        let Some(promoted) = self
            .scheduler()
            .and_then(|scheduler| scheduler.promotable())
        else {
            return false;
        };
        let fits = self
            .trials
            .get(&promoted.trial)
            .is_some_and(|trial| *trial.phase() == Phase::Paused && self.fits(trial, promoted.to));
        if !fits {
            return false;
        }
        self.record(Decision::Promoted {
            trial: promoted.trial,
            place: promoted.place,
            to: promoted.to,
            rule: promoted.rule,
        });
        self.go_to(promoted.trial, promoted.to, slot);
        true
    }

    /// A trial that was suggested and has never run.
    fn start_new(&mut self, slot: SlotId) -> bool {
        let may_start = |trial: &&Trial| {
            trial.course == Course::Straight && self.fits_epochs(trial.to())
                || self.fits(trial, self.worthwhile(trial.to()))
        };
        let new = self
            .pending
            .iter()
            .filter_map(|id| self.trials.get(id))
            .find(may_start);
        let straight = new
            .filter(|trial| trial.course == Course::Straight)
            .map(|trial| (trial.id, trial.full));
        let new = new.map(|trial| trial.id);
        if let Some((trial, to)) = straight {
            self.record(Decision::Straight { trial, to });
        }
        self.launch_if(new, slot)
    }

    /// Asks the sampler for a trial, unless those that wait or are asked for will take the free slots.
    fn ask(&mut self) -> bool {
        while self.trials.contains_key(&self.next) || self.asked.contains(&self.next) {
            self.next = TrialId(self.next.0 + 1);
        }
        let trial = self.next;
        let is_allowed = self
            .rules
            .limits
            .max_trials
            .is_none_or(|max| trial.0 <= max);
        let may_ask = !self.exhausted
            && is_allowed
            && self.asked.len() + self.pending.len() < self.slots.n_free()
            && self.new_fits(trial);
        if may_ask {
            self.asked.insert(trial);
            self.push(Effect::Ask { trial });
        }
        may_ask
    }

    /// Whether the first leg of a trial that is not known yet may be expected to fit.
    fn new_fits(&self, id: TrialId) -> bool {
        let Some(rungs) = self.scheduler().map(|scheduler| scheduler.rungs()) else {
            return false;
        };
        let is_straight = id.0 <= self.rules.straight;
        let to = if is_straight {
            rungs.full()
        } else {
            rungs.levels()[0]
        };
        let stranger = Trial::new(
            id,
            crate::CostClass::default(),
            Course::Judged,
            rungs.full(),
            to,
        );
        if is_straight {
            self.fits_epochs(to) && !self.is_past_deadline()
        } else {
            self.fits(&stranger, self.worthwhile(to))
        }
    }

    /// Epochs that must fit for a first leg to be begun. Under a clock, where no rung judges trials, one that
    /// is cut by the end is better than an idle slot: its best epoch counts.
    fn worthwhile(&self, to: Epochs) -> Epochs {
        if self.may_cut() {
            to.div_ceil(CUT_SHARE)
        } else {
            to
        }
    }

    /// In Finish: the baseline if it failed; then leaders, to R or as far as the budget allows.
    fn finish_one(&mut self, slot: SlotId) -> bool {
        if self.start_baseline(slot) {
            return true;
        }
        let Some((trial, to)) = self.next_to_finish(None) else {
            return false;
        };
        let from = self.trials.get(&trial).map_or(0, Trial::checkpoint);
        self.record(Decision::Finished { trial, from, to });
        self.go_to(trial, to, slot);
        true
    }

    /// The best trial that waits, or ends a leg right now, and fits to R; else the best that fits to some rung.
    pub(super) fn next_to_finish(&self, ends_now: Option<TrialId>) -> Option<(TrialId, Epochs)> {
        let waits = |trial: &&Trial| match trial.phase() {
            Phase::Paused => true,
            Phase::Pending => trial.checkpoint() > 0 || trial.attempt().0 > 0,
            Phase::Launching { .. }
            | Phase::Running { .. }
            | Phase::Stopping { .. }
            | Phase::Finished { .. } => Some(trial.id) == ends_now,
        };
        let of = |standing: &Standing| self.trials.get(&standing.trial);
        let all = matches!(self.stage, Stage::Finish(FinishWhy::Budget));
        // Without a clock the run ends when its best have trained in full, the finished among them.
        let best = self
            .ranking
            .iter()
            .take(if all { 0 } else { LEADERS })
            .filter_map(of);
        let open = self
            .open
            .iter()
            .take(if all { usize::MAX } else { 0 })
            .filter_map(of);
        let candidates: Vec<&Trial> = best.chain(open).filter(waits).collect();
        let to_full = candidates
            .iter()
            .find(|trial| self.fits(trial, trial.full))
            .map(|trial| (trial.id, trial.full));
        to_full.or_else(|| {
            candidates
                .iter()
                .find_map(|trial| Some((trial.id, self.highest_that_fits(trial)?)))
        })
    }

    /// The highest rung above a trial's checkpoint that it can reach within the budget.
    fn highest_that_fits(&self, trial: &Trial) -> Option<Epochs> {
        let levels = self.scheduler()?.rungs().levels();
        levels
            .iter()
            .rev()
            .copied()
            .find(|level| *level > trial.checkpoint() && self.fits(trial, *level))
    }

    /// Sends a waiting trial on.
    fn go_to(&mut self, trial: TrialId, to: Epochs, slot: SlotId) {
        if let Some(scheduler) = self.scheduler_mut() {
            scheduler.take(trial);
        }
        self.apply(trial, TrialEvent::Queued { to });
        self.launch(trial, slot);
    }

    fn launch_if(&mut self, trial: Option<TrialId>, slot: SlotId) -> bool {
        if let Some(trial) = trial {
            self.launch(trial, slot);
        }
        trial.is_some()
    }

    /// Gives a slot to a trial.
    fn launch(&mut self, id: TrialId, slot: SlotId) {
        let now = self.now;
        self.slots.hold(slot, Holder::Trial(id));
        if !self.apply(id, TrialEvent::Granted { slot, now }) {
            return;
        }
        let trial = &self.trials[&id];
        let launch = Effect::Launch {
            trial: id,
            attempt: trial.attempt(),
            slot,
            from: trial.checkpoint(),
            to: trial.to(),
            full: trial.full,
            retry_of: trial.retry_of(),
        };
        self.push(launch);
    }
}
