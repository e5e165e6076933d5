//! One trial: its phase, its history, and `apply`, the one function that changes either.

use std::time::Duration;

use super::{Course, IllegalTransition, Outcome, Phase, Pulse, StoppedBy, TrialEvent};
use crate::conductor::{Exit, StopReason};
use crate::ids::{Attempt, CostClass, Epochs, RunTime, SlotId, TrialId};
use crate::protocol::FailureKind;
use crate::report::History;
use crate::score::Standing;

/// One trial.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Which.
    pub id: TrialId,
    /// Trials of about the same cost.
    pub class: CostClass,
    /// How it is treated.
    pub course: Course,
    /// Its full training, R.
    pub full: Epochs,
    phase: Phase,
    history: History,
    /// Epochs of its last checkpoint; 0 when there is none.
    checkpoint: Epochs,
    /// Where its present leg began: a leg never ends there.
    from: Epochs,
    /// Where its present leg ends.
    to: Epochs,
    attempt: Attempt,
    /// Why the attempt before this one failed.
    retry_of: Option<FailureKind>,
    /// Failures of the present leg that count.
    failures: u32,
}

impl Trial {
    /// Failed attempts at one leg that are tried again.
    const MAX_RETRIES: u32 = 1;

    /// A trial that waits for its first leg.
    #[must_use]
    pub fn new(id: TrialId, class: CostClass, course: Course, full: Epochs, to: Epochs) -> Self {
        Self {
            id,
            class,
            course,
            full,
            phase: Phase::Pending,
            history: History::default(),
            checkpoint: 0,
            from: 0,
            to,
            attempt: Attempt(0),
            retry_of: None,
            failures: 0,
        }
    }

    /// What it is doing.
    #[must_use]
    pub const fn phase(&self) -> &Phase {
        &self.phase
    }

    /// What it has reported.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Epochs of its last checkpoint; 0 when there is none.
    #[must_use]
    pub const fn checkpoint(&self) -> Epochs {
        self.checkpoint
    }

    /// Where its present leg ends, or its last one ended.
    #[must_use]
    pub const fn to(&self) -> Epochs {
        self.to
    }

    /// The number of its present or last process.
    #[must_use]
    pub const fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// Why the attempt before this one failed, while the leg is not done.
    #[must_use]
    pub const fn retry_of(&self) -> Option<FailureKind> {
        self.retry_of
    }

    /// How it stands; nothing before its first finite score.
    #[must_use]
    pub fn standing(&self) -> Option<Standing> {
        let best = self.history.best()?;
        Some(Standing {
            score: best.score,
            epochs: best.epoch,
            at: best.at,
            trial: self.id,
        })
    }

    /// Whether a process of this attempt is or may be there.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        match self.phase {
            Phase::Launching { .. } | Phase::Running { .. } | Phase::Stopping { .. } => true,
            Phase::Pending | Phase::Paused | Phase::Finished { .. } => false,
        }
    }

    /// Whether it waits in the middle of a leg.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.phase == Phase::Paused && self.checkpoint < self.to
    }

    /// Whether a leg has ended here already, so that another word of it is a repetition.
    #[must_use]
    pub const fn has_ended(&self, epoch: Epochs) -> bool {
        epoch <= self.from
    }

    /// Silence of the engine's own is not held against its process.
    pub fn forgive(&mut self, deaf: Duration) {
        match &mut self.phase {
            Phase::Running { pulse, .. } => pulse.forgive(deaf),
            Phase::Launching { since, .. } => *since = *since + deaf,
            Phase::Pending | Phase::Stopping { .. } | Phase::Paused | Phase::Finished { .. } => {}
        }
    }

    /// Changes the phase, or says that the event does not fit it. Whatever is not in the handlers below
    /// must not happen.
    ///
    /// # Errors
    /// When the pair of phase and event is not in the table of the architecture. Then nothing has changed.
    pub fn apply(&mut self, event: TrialEvent) -> Result<(), IllegalTransition> {
        let fits = match event {
            TrialEvent::Queued { to } => self.on_queued(to),
            TrialEvent::Granted { slot, now } => self.on_granted(slot, now),
            TrialEvent::Hello { now } => self.on_hello(now),
            TrialEvent::Heartbeat { step, now } => self.on_heartbeat(step, now),
            TrialEvent::Reported {
                epoch,
                score,
                seconds,
                now,
            } => {
                self.hears(Some(now)) && {
                    self.history.take(epoch, score, seconds, now);
                    true
                }
            }
            TrialEvent::Checkpointed { epoch } => {
                self.hears(None) && {
                    // That of the leg's end counts when the leg has ended, so that a leg is never empty.
                    if epoch < self.to {
                        self.checkpoint = self.checkpoint.max(epoch);
                    }
                    true
                }
            }
            TrialEvent::LegEnded { epoch, now } => self.on_leg_ended(epoch, now),
            TrialEvent::Continued { to, now } => self.on_continued(to, now),
            TrialEvent::StopAsked { reason, deadline } => self.on_stop_asked(reason, deadline),
            TrialEvent::KillAsked { deadline } => self.on_kill_asked(deadline),
            TrialEvent::Exited { how } => self.on_exited(how),
            TrialEvent::Interrupted => self.on_interrupted(),
        };
        if fits {
            return Ok(());
        }
        Err(IllegalTransition {
            trial: self.id,
            phase: self.phase.clone(),
            event,
        })
    }

    fn on_queued(&mut self, to: Epochs) -> bool {
        let waits = matches!(self.phase, Phase::Paused | Phase::Pending);
        if waits {
            self.to = to;
            self.phase = Phase::Pending;
        }
        waits
    }

    fn on_granted(&mut self, slot: SlotId, now: RunTime) -> bool {
        let waits = self.phase == Phase::Pending;
        if waits {
            self.from = self.checkpoint;
            self.phase = Phase::Launching { slot, since: now };
        }
        waits
    }

    fn on_hello(&mut self, now: RunTime) -> bool {
        match self.phase {
            Phase::Launching { slot, .. } => {
                self.phase = Phase::Running {
                    slot,
                    pulse: Pulse::new(now),
                }
            }
            // It was on its way when the process was told to go.
            Phase::Stopping { .. } => {}
            Phase::Running { .. } | Phase::Pending | Phase::Paused | Phase::Finished { .. } => {
                return false;
            }
        }
        true
    }

    fn on_heartbeat(&mut self, step: u64, now: RunTime) -> bool {
        let hears = self.hears(None);
        if let Phase::Running { pulse, .. } = &mut self.phase {
            pulse.beat(now, step);
        }
        hears
    }

    /// Whether there is a process to be heard, also while it goes; `moved` says that it gets on.
    fn hears(&mut self, moved: Option<RunTime>) -> bool {
        match &mut self.phase {
            Phase::Running { pulse, .. } => moved.into_iter().for_each(|now| pulse.moved(now)),
            Phase::Stopping { .. } => {}
            Phase::Launching { .. } | Phase::Pending | Phase::Paused | Phase::Finished { .. } => {
                return false;
            }
        }
        true
    }

    fn on_leg_ended(&mut self, epoch: Epochs, now: RunTime) -> bool {
        let hears = self.hears(Some(now));
        if hears {
            self.checkpoint = self.checkpoint.max(epoch);
            self.from = epoch;
            self.failures = 0;
            self.retry_of = None;
        }
        hears
    }

    fn on_continued(&mut self, to: Epochs, now: RunTime) -> bool {
        let Phase::Running { pulse, .. } = &mut self.phase else {
            return false;
        };
        pulse.moved(now);
        self.to = to;
        true
    }

    fn on_stop_asked(&mut self, reason: StopReason, deadline: RunTime) -> bool {
        match self.phase {
            Phase::Launching { slot, .. } | Phase::Running { slot, .. } => {
                self.phase = Phase::Stopping {
                    slot,
                    reason,
                    deadline,
                };
            }
            // There is no process; a person may still end the trial.
            Phase::Pending | Phase::Paused if reason == StopReason::User => {
                self.finish(Outcome::Stopped {
                    by: StoppedBy::User,
                });
            }
            Phase::Pending | Phase::Paused | Phase::Stopping { .. } | Phase::Finished { .. } => {
                return false;
            }
        }
        true
    }

    fn on_kill_asked(&mut self, next: RunTime) -> bool {
        let Phase::Stopping { deadline, .. } = &mut self.phase else {
            return false;
        };
        *deadline = next;
        true
    }

    fn on_exited(&mut self, how: Exit) -> bool {
        match (&self.phase, how) {
            (Phase::Launching { .. }, Exit::Ok) => self.fail(FailureKind::LaunchFailed),
            (Phase::Running { .. }, Exit::Ok) => self.leave(),
            (Phase::Launching { .. } | Phase::Running { .. }, Exit::Failed(kind)) => {
                self.fail(kind)
            }
            (Phase::Stopping { reason, .. }, Exit::Ok | Exit::Failed(_)) => {
                self.stopped(*reason, how)
            }
            (
                Phase::Pending | Phase::Paused | Phase::Finished { .. },
                Exit::Ok | Exit::Failed(_),
            ) => return false,
        }
        true
    }

    /// The process is lost through no fault of the trial's.
    fn on_interrupted(&mut self) -> bool {
        match self.phase {
            Phase::Launching { .. } | Phase::Running { .. } => {
                self.attempt = self.attempt.next();
                self.phase = Phase::Paused;
            }
            Phase::Stopping { reason, .. } => self.stopped(reason, Exit::Ok),
            Phase::Pending | Phase::Paused | Phase::Finished { .. } => return false,
        }
        true
    }

    /// Whether its last epoch was scored: its best model stands.
    #[must_use]
    pub fn is_trained(&self) -> bool {
        self.from.max(self.history.epochs()) >= self.full
    }

    /// It has left with 0, untold: after a leg, that is to say that it has nothing more to learn.
    fn leave(&mut self) {
        if self.is_trained() || self.from > 0 {
            self.finish(Outcome::Completed);
        } else {
            self.fail(FailureKind::Internal);
        }
    }

    /// It has gone after it was told to.
    fn stopped(&mut self, reason: StopReason, how: Exit) {
        match reason {
            StopReason::Completed => self.finish(Outcome::Completed),
            StopReason::Rung => self.finish(Outcome::Stopped {
                by: StoppedBy::Rung,
            }),
            StopReason::User => self.finish(Outcome::Stopped {
                by: StoppedBy::User,
            }),
            StopReason::Diverged => self.finish(Outcome::Failed {
                kind: FailureKind::Diverged,
            }),
            StopReason::Hung => self.finish(Outcome::Failed {
                kind: FailureKind::Hung,
            }),
            StopReason::Lost => self.fail(FailureKind::Lost),
            StopReason::LaunchFailed => self.fail(FailureKind::LaunchFailed),
            StopReason::Paused => self.phase = Phase::Paused,
            StopReason::Budget | StopReason::Preempted | StopReason::Shutdown => match how {
                // What it says of itself counts; that it was killed is our own doing.
                Exit::Failed(kind) if kind.exit_code().is_some() => self.fail(kind),
                Exit::Ok | Exit::Failed(_) if self.is_trained() => self.finish(Outcome::Completed),
                Exit::Ok | Exit::Failed(_) => self.phase = Phase::Paused,
            },
        }
    }

    /// An attempt has failed: once more, or for good.
    fn fail(&mut self, kind: FailureKind) {
        // A dead launcher is never the trial's fault.
        let counts = kind != FailureKind::LauncherDied;
        if kind.is_worth_a_retry() && (!counts || self.failures < Self::MAX_RETRIES) {
            self.failures += u32::from(counts);
            self.attempt = self.attempt.next();
            self.retry_of = Some(kind);
            self.phase = Phase::Pending;
        } else {
            self.finish(Outcome::Failed { kind });
        }
    }

    fn finish(&mut self, outcome: Outcome) {
        self.phase = Phase::Finished { outcome };
    }
}
