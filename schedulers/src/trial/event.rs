//! What can happen to a trial, and the error of what cannot.

use super::Phase;
use crate::conductor::{Exit, StopReason};
use crate::ids::{Epochs, RunTime, SlotId, TrialId};
use crate::score::Score;

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
