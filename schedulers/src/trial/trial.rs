//! One trial: its phase, its history, and `apply`, the one function that changes either.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Pulse;
use crate::conductor::{Exit, StopReason};
use crate::ids::{Attempt, CostClass, Epochs, RunTime, SlotId, TrialId};
use crate::protocol::FailureKind;
use crate::report::History;
use crate::score::{Score, Standing};

/// What a trial is doing. Each variant holds what is true in it alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// It has a leg to do, and waits for a slot.
    Pending,
    /// Its process was asked for, and has not said hello.
    Launching {
        /// What it holds.
        slot: SlotId,
        /// When it was asked for.
        since: RunTime,
    },
    /// Its process trains.
    Running {
        /// What it holds.
        slot: SlotId,
        /// When it was heard of.
        pulse: Pulse,
    },
    /// Its process was told to go, and has not gone.
    Stopping {
        /// What it holds.
        slot: SlotId,
        /// Why.
        reason: StopReason,
        /// When it is killed.
        deadline: RunTime,
    },
    /// It has no process, and may be promoted, or go on when the run is reopened.
    Paused,
    /// It is over.
    Finished {
        /// How it ended.
        outcome: Outcome,
    },
}

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It trained in full, or as far as its own early stopping let it.
    Completed,
    /// It was not worth going on.
    Stopped {
        /// Who found so.
        by: StoppedBy,
    },
    /// It could not go on.
    Failed {
        /// Why.
        kind: FailureKind,
    },
}

/// Who stops a trial for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// The scheduler, at a rung.
    Rung,
    /// A person.
    User,
}

/// How a trial is treated on its way to R.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// It stands outside the search.
    Baseline,
    /// It runs to R without being judged.
    Straight,
    /// It is judged at rungs.
    Judged,
}

/// What happens to a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrialEvent {
    /// It shall go on to here.
    Queued {
        /// Where the leg ends.
        to: Epochs,
    },
    /// It gets a slot.
    Granted {
        /// Which.
        slot: SlotId,
        /// When.
        now: RunTime,
    },
    /// Its process said hello.
    Hello {
        /// When.
        now: RunTime,
    },
    /// Its process is alive.
    Heartbeat {
        /// Steps so far.
        step: u64,
        /// When.
        now: RunTime,
    },
    /// An epoch was scored.
    Reported {
        /// Epochs so far.
        epoch: Epochs,
        /// Its score.
        score: Score,
        /// What it took.
        seconds: f64,
        /// When.
        now: RunTime,
    },
    /// A checkpoint is on disk.
    Checkpointed {
        /// Epochs it holds.
        epoch: Epochs,
    },
    /// The leg is over and its checkpoint on disk.
    LegEnded {
        /// Epochs so far.
        epoch: Epochs,
        /// When.
        now: RunTime,
    },
    /// It goes on in the same process.
    Continued {
        /// Where the next leg ends.
        to: Epochs,
        /// When.
        now: RunTime,
    },
    /// It is told to go.
    StopAsked {
        /// Why.
        reason: StopReason,
        /// When it is killed.
        deadline: RunTime,
    },
    /// It was told to go, and is killed, again maybe, at another time.
    KillAsked {
        /// When.
        deadline: RunTime,
    },
    /// Its process is gone.
    Exited {
        /// How.
        how: Exit,
    },
    /// The engine was gone, and with it the process.
    Interrupted,
}

/// An event that does not fit a phase. The trial has not changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("trial {trial} is {phase:?}, which does not allow {event:?}")]
pub struct IllegalTransition {
    /// Which.
    pub trial: TrialId,
    /// What it was doing.
    pub phase: Phase,
    /// What was to happen.
    pub event: TrialEvent,
}

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

    /// Changes the phase, or says that the event does not fit it.
    ///
    /// # Errors
    /// When the pair of phase and event is not in the table of the architecture. Then nothing has changed.
    pub fn apply(&mut self, event: TrialEvent) -> Result<(), IllegalTransition> {
        let illegal = |trial: &Self| IllegalTransition {
            trial: trial.id,
            phase: trial.phase.clone(),
            event,
        };
        match (&mut self.phase, event) {
            (Phase::Paused, TrialEvent::Queued { to }) => {
                self.to = to;
                self.phase = Phase::Pending;
            }
            (Phase::Pending, TrialEvent::Queued { to }) => self.to = to,
            (Phase::Pending, TrialEvent::Granted { slot, now }) => {
                self.from = self.checkpoint;
                self.phase = Phase::Launching { slot, since: now };
            }
            (Phase::Launching { slot, .. }, TrialEvent::Hello { now }) => {
                self.phase = Phase::Running {
                    slot: *slot,
                    pulse: Pulse::new(now),
                };
            }
            (Phase::Running { pulse, .. }, TrialEvent::Heartbeat { step, now }) => {
                pulse.beat(now, step)
            }
            // Words that were on their way when it was told to go still count; its heartbeat does not.
            (Phase::Stopping { .. }, TrialEvent::Heartbeat { .. } | TrialEvent::Hello { .. }) => {}
            (
                phase @ (Phase::Running { .. } | Phase::Stopping { .. }),
                TrialEvent::Reported {
                    epoch,
                    score,
                    seconds,
                    now,
                },
            ) => {
                if let Phase::Running { pulse, .. } = phase {
                    pulse.moved(now);
                }
                self.history.take(epoch, score, seconds, now);
            }
            (
                Phase::Running { .. } | Phase::Stopping { .. },
                TrialEvent::Checkpointed { epoch },
            ) => {
                self.checkpoint = self.checkpoint.max(epoch);
            }
            (
                phase @ (Phase::Running { .. } | Phase::Stopping { .. }),
                TrialEvent::LegEnded { epoch, now },
            ) => {
                if let Phase::Running { pulse, .. } = phase {
                    pulse.moved(now);
                }
                self.checkpoint = self.checkpoint.max(epoch);
                self.from = epoch;
                self.failures = 0;
                self.retry_of = None;
            }
            (Phase::Running { pulse, .. }, TrialEvent::Continued { to, now }) => {
                pulse.moved(now);
                self.to = to;
            }
            (
                Phase::Launching { slot, .. } | Phase::Running { slot, .. },
                TrialEvent::StopAsked { reason, deadline },
            ) => {
                self.phase = Phase::Stopping {
                    slot: *slot,
                    reason,
                    deadline,
                };
            }
            (
                Phase::Stopping {
                    deadline: kill_at, ..
                },
                TrialEvent::KillAsked { deadline },
            ) => *kill_at = deadline,
            (Phase::Launching { .. }, TrialEvent::Exited { how: Exit::Ok }) => {
                self.fail(FailureKind::LaunchFailed)
            }
            (Phase::Running { .. }, TrialEvent::Exited { how: Exit::Ok }) => self.leave(),
            (
                Phase::Launching { .. } | Phase::Running { .. },
                TrialEvent::Exited {
                    how: Exit::Failed(kind),
                },
            ) => self.fail(kind),
            (Phase::Stopping { reason, .. }, TrialEvent::Exited { how }) => {
                let reason = *reason;
                self.stopped(reason, how);
            }
            (Phase::Launching { .. } | Phase::Running { .. }, TrialEvent::Interrupted) => {
                self.interrupted()
            }
            (Phase::Stopping { reason, .. }, TrialEvent::Interrupted) => {
                let reason = *reason;
                self.stopped(reason, Exit::Ok);
            }
            // The table is the list above; what is not in it must not happen.
            (_, _) => return Err(illegal(self)),
        }
        Ok(())
    }

    /// It has left with 0, untold.
    fn leave(&mut self) {
        if self.from >= self.full || self.history.epochs() >= self.full {
            self.finish(Outcome::Completed);
        } else {
            self.fail(FailureKind::Internal);
        }
    }

    /// The process is lost through no fault of the trial's.
    fn interrupted(&mut self) {
        self.attempt = self.attempt.next();
        self.phase = Phase::Paused;
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
                Exit::Ok | Exit::Failed(_) if self.from >= self.full => {
                    self.finish(Outcome::Completed)
                }
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

#[cfg(test)]
mod tests;
