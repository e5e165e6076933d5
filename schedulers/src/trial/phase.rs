//! What a trial can be doing, and how it can end.

use serde::{Deserialize, Serialize};

use super::Pulse;
use crate::conductor::StopReason;
use crate::ids::{RunTime, SlotId};
use crate::protocol::FailureKind;

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
