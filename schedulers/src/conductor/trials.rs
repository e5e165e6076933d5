//! What becomes of a trial when its process speaks, falls silent or goes.

use super::machine::{Conductor, Plan, Stage};
use super::{Effect, Exit, Sign, StopReason};
use crate::explain::{Decision, Verdict};
use crate::ids::{Attempt, CostClass, Epochs, TrialId};
use crate::protocol::FailureKind;
use crate::scheduler::Progress;
use crate::score::{Score, Standing};
use crate::slot::Holder;
use crate::trial::{Course, Outcome, Phase, Trial, TrialEvent};
use crate::{budget, conductor::Policy};

impl Conductor {
    pub(super) fn on_suggested(&mut self, id: TrialId, class: CostClass) {
        if !self.asked.remove(&id) {
            return;
        }
        let is_straight = id.0 <= self.rules.straight;
        let Some(scheduler) = self.scheduler_mut() else {
            return;
        };
        let full = scheduler.rungs().full();
        let (course, to) = if is_straight {
            (Course::Straight, full)
        } else {
            (Course::Judged, scheduler.enter(id))
        };
        self.add(Trial::new(id, class, course, full, to));
    }

    pub(super) fn on_space_exhausted(&mut self, id: TrialId) {
        self.asked.remove(&id);
        if !self.exhausted {
            self.exhausted = true;
            self.record(Decision::Exhausted);
        }
    }

    pub(super) fn on_probed(&mut self, seconds_per_epoch: f64, fixed_seconds: f64) {
        self.slots.release(Holder::Probe);
        if matches!(self.plan, Plan::Settled(_)) {
            return;
        }
        self.rates.probed(seconds_per_epoch, fixed_seconds);
        let (left, n_slots) = (self.left().unwrap_or_default(), self.slots.len());
        let slots = u32::try_from(n_slots).unwrap_or(u32::MAX);
        let left_s = left.as_secs_f64();
        if let Some(full) = budget::choose_full(left, n_slots, seconds_per_epoch) {
            self.settle(full);
            let rungs = self
                .scheduler()
                .map(|scheduler| scheduler.rungs().levels().to_vec())
                .unwrap_or_default();
            self.record(Decision::Length {
                full,
                rungs,
                seconds_per_epoch,
                left_s,
                slots,
            });
        } else {
            let full = budget::portfolio_full(left, seconds_per_epoch);
            self.settle_portfolio(full, Some(seconds_per_epoch), left_s, slots);
        }
    }

    /// Without a measurement the shortest R is taken, and nothing judged on the way.
    pub(super) fn on_probe_failed(&mut self) {
        self.slots.release(Holder::Probe);
        if matches!(self.plan, Plan::Unsettled) {
            let slots = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
            let left_s = self.left().unwrap_or_default().as_secs_f64();
            self.settle_portfolio(
                budget::portfolio_full(self.left().unwrap_or_default(), 0.0),
                None,
                left_s,
                slots,
            );
        }
    }

    fn settle_portfolio(
        &mut self,
        full: Epochs,
        seconds_per_epoch: Option<f64>,
        left_s: f64,
        slots: u32,
    ) {
        self.rules.policy = Policy::Fifo;
        self.settle(full);
        if full == 0 {
            // Not one epoch fits: nothing is asked for any more.
            self.rules.limits.max_trials = Some(0);
        }
        self.record(Decision::Portfolio {
            full,
            seconds_per_epoch,
            left_s,
            slots,
        });
    }

    pub(super) fn on_reported(
        &mut self,
        id: TrialId,
        attempt: Attempt,
        report: (Epochs, Score, f64),
    ) {
        let (epoch, score, seconds) = report;
        let now = self.now;
        let before = self
            .trials
            .get(&id)
            .map_or(0, |trial| trial.history().epochs());
        if !self.tell(
            id,
            attempt,
            TrialEvent::Reported {
                epoch,
                score,
                seconds,
                now,
            },
        ) {
            return;
        }
        let Some(trial) = self.trials.get(&id) else {
            return;
        };
        if trial.history().epochs() == before || trial.course == Course::Baseline {
            return;
        }
        self.rates.learn(trial.class, seconds);
        self.epochs_used += u64::from(epoch - before);
        let is_running = matches!(trial.phase(), Phase::Running { .. });
        if trial.history().is_diverged() {
            if is_running {
                let checkpoint = trial.checkpoint();
                self.record(Decision::Stopped {
                    trial: id,
                    reason: StopReason::Diverged,
                    checkpoint,
                });
                self.stop(id, StopReason::Diverged);
            }
        } else {
            self.report(id, epoch, score);
        }
    }

    /// Tells the scheduler of an epoch, which may end the trial in the middle of a leg.
    fn report(&mut self, id: TrialId, epoch: Epochs, last: Score) {
        let Some(trial) = self.trials.get(&id) else {
            return;
        };
        let is_judged =
            trial.course == Course::Judged && matches!(trial.phase(), Phase::Running { .. });
        let progress = Progress {
            standing: Standing {
                score: trial.history().judged(),
                epochs: epoch,
                at: self.now,
                trial: id,
            },
            last,
            seconds: trial.history().seconds(),
            ends_leg: epoch >= trial.to(),
        };
        let judgement = self
            .scheduler_mut()
            .and_then(|scheduler| scheduler.report(&progress));
        let Some(judgement) = judgement.filter(|_| is_judged && self.stage == Stage::Search) else {
            return;
        };
        let reason = match judgement.verdict {
            Verdict::Stop => StopReason::Rung,
            Verdict::Complete => StopReason::Completed,
            Verdict::Continue { .. } | Verdict::Pause => return,
        };
        if let Some(place) = judgement.place {
            self.record(Decision::Judged {
                trial: id,
                place,
                verdict: judgement.verdict,
                rule: judgement.rule,
            });
        }
        self.stop(id, reason);
    }

    pub(super) fn on_leg_ended(
        &mut self,
        id: TrialId,
        attempt: Attempt,
        epoch: Epochs,
        best: Score,
    ) {
        let now = self.now;
        let Some(trial) = self.trials.get(&id) else {
            return;
        };
        if trial.has_ended(epoch) || !trial.is_live() || trial.attempt() != attempt {
            return;
        }
        let was_running = matches!(trial.phase(), Phase::Running { .. });
        let before = trial.history().epochs();
        // A report that was lost on the way is made up for: the leg's best is its last word.
        self.apply(
            id,
            TrialEvent::Reported {
                epoch,
                score: best,
                seconds: f64::NAN,
                now,
            },
        );
        if !self.apply(id, TrialEvent::LegEnded { epoch, now }) || !was_running {
            return;
        }
        let Some(trial) = self.trials.get(&id) else {
            return;
        };
        if trial.course != Course::Baseline {
            self.epochs_used += u64::from(epoch.saturating_sub(before));
        }
        let standing = Standing {
            score: trial.history().judged(),
            epochs: epoch,
            at: now,
            trial: id,
        };
        let progress = Progress {
            standing,
            last: best,
            seconds: trial.history().seconds(),
            ends_leg: true,
        };
        if epoch >= trial.full || epoch < trial.to() {
            // Trained in full, or as far as its own early stopping let it: then it stands at the rung it was to reach.
            let standing = Standing {
                epochs: trial.to(),
                ..standing
            };
            let has_rung = trial.course != Course::Baseline && trial.to() < trial.full;
            if let Some(scheduler) = self.scheduler_mut().filter(|_| has_rung) {
                scheduler.pass(standing);
            }
            self.stop(id, StopReason::Completed);
        } else {
            self.judge(progress);
        }
    }

    /// The verdict at the end of a leg, as the phase of the run wants it.
    fn judge(&mut self, progress: Progress) {
        let (id, standing) = (progress.standing.trial, progress.standing);
        let Some(scheduler) = self.scheduler_mut() else {
            return;
        };
        let judgement = scheduler.judge(&progress);
        let fits = |to: Epochs| {
            self.trials
                .get(&id)
                .is_some_and(|trial| self.fits(trial, to))
        };
        let verdict = match (self.stage, judgement.verdict) {
            (Stage::Finish(_), Verdict::Continue { .. } | Verdict::Pause) => {
                match self.next_to_finish(Some(id)) {
                    Some((next, to)) if next == id => Verdict::Continue { to },
                    Some(_) | None => Verdict::Pause,
                }
            }
            (Stage::Search, Verdict::Continue { to }) if !fits(to) => Verdict::Pause,
            (Stage::Draining { .. } | Stage::Ended, Verdict::Continue { .. }) => Verdict::Pause,
            (Stage::Search | Stage::Finish(_) | Stage::Draining { .. } | Stage::Ended, verdict) => {
                verdict
            }
        };
        if let Some(place) = judgement.place {
            self.record(Decision::Judged {
                trial: id,
                place,
                verdict,
                rule: judgement.rule,
            });
        }
        match verdict {
            Verdict::Continue { to } => {
                let now = self.now;
                if self.stage != Stage::Search {
                    self.record(Decision::Finished {
                        trial: id,
                        from: standing.epochs,
                        to,
                    });
                }
                self.apply(id, TrialEvent::Continued { to, now });
                self.push(Effect::Continue { trial: id, to });
            }
            Verdict::Pause => self.stop(id, StopReason::Paused),
            Verdict::Stop => self.stop(id, StopReason::Rung),
            Verdict::Complete => self.stop(id, StopReason::Completed),
        }
    }

    pub(super) fn on_unresponsive(&mut self, id: TrialId, attempt: Attempt, sign: Sign) {
        let Some(trial) = self
            .trials
            .get(&id)
            .filter(|trial| trial.attempt() == attempt)
        else {
            return;
        };
        let reason = match (trial.phase(), sign) {
            (Phase::Launching { .. }, Sign::Hello) => StopReason::LaunchFailed,
            (Phase::Running { .. }, Sign::Heartbeat) => StopReason::Lost,
            (Phase::Running { .. }, Sign::Progress) => StopReason::Hung,
            // It has changed its mind meanwhile.
            (
                Phase::Launching { .. }
                | Phase::Running { .. }
                | Phase::Stopping { .. }
                | Phase::Pending
                | Phase::Paused
                | Phase::Finished { .. },
                Sign::Hello | Sign::Heartbeat | Sign::Progress,
            ) => return,
        };
        let checkpoint = trial.checkpoint();
        self.record(Decision::Stopped {
            trial: id,
            reason,
            checkpoint,
        });
        // It would not listen to `Stop`.
        let deadline = self.now;
        if self.apply(id, TrialEvent::StopAsked { reason, deadline }) {
            self.kill(id);
        }
    }

    pub(super) fn on_exited(&mut self, id: TrialId, attempt: Attempt, how: Exit) {
        if self.tell(id, attempt, TrialEvent::Exited { how }) {
            self.after_exit(id);
        }
    }

    pub(super) fn on_launcher_died(&mut self) {
        let is_launching = |id: &TrialId| {
            self.trials
                .get(id)
                .is_some_and(|trial| matches!(trial.phase(), Phase::Launching { .. }))
        };
        let launching: Vec<TrialId> = self.slots.trials().filter(is_launching).collect();
        for id in launching {
            let attempt = self.trials[&id].attempt();
            // It may have been forked before the launcher died.
            self.push(Effect::Kill { trial: id, attempt });
            self.on_exited(id, attempt, Exit::Failed(FailureKind::LauncherDied));
        }
    }

    /// A trial has no process any more: says what that means, and lets it wait where it should.
    pub(super) fn after_exit(&mut self, id: TrialId) {
        let trial = &self.trials[&id];
        let (attempt, retry_of) = (trial.attempt(), trial.retry_of());
        let is_cut = trial.is_cut();
        match *trial.phase() {
            Phase::Pending => {
                if let Some(failure) = retry_of {
                    self.record(Decision::Retried {
                        trial: id,
                        attempt,
                        failure,
                    });
                }
            }
            Phase::Paused if is_cut && self.stage == Stage::Search => {
                let to = self.trials[&id].to();
                self.apply(id, TrialEvent::Queued { to });
            }
            Phase::Paused => {
                if let Some(scheduler) = self.scheduler_mut().filter(|_| !is_cut) {
                    scheduler.park(id);
                }
            }
            Phase::Finished { outcome } => {
                if let Outcome::Failed { kind } = outcome {
                    self.record(Decision::Failed {
                        trial: id,
                        failure: kind,
                    });
                }
                if let Some(scheduler) = self.scheduler_mut() {
                    scheduler.leave(id);
                }
            }
            Phase::Launching { .. } | Phase::Running { .. } | Phase::Stopping { .. } => {}
        }
    }
}
