//! What the conductor asks for. The dispatcher does each in order; a choice is never left to it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::explain::Decision;
use crate::ids::{Attempt, Epochs, SlotId, TrialId};
use crate::protocol::FailureKind;

/// What shall be done, and what must be answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the sampler for this trial. Answer: `Suggested` or `SpaceExhausted`. Several may be open.
    Ask {
        /// The number the suggestion gets.
        trial: TrialId,
    },
    /// Measure the tuned default on this slot, for at most 5 % of the budget. Answer: `Probed` or `ProbeFailed`.
    Probe {
        /// Where.
        slot: SlotId,
    },
    /// Start a process. Answer: `Hello`, later one `Exited`; or `Exited` alone when it cannot be started.
    Launch {
        /// Whose.
        trial: TrialId,
        /// The number of this attempt at the trial.
        attempt: Attempt,
        /// Where; nobody else holds it.
        slot: SlotId,
        /// Epochs of the checkpoint to go on from; 0 for a fresh start.
        from: Epochs,
        /// Where the leg ends.
        to: Epochs,
        /// Full training of this trial, R.
        full: Epochs,
        /// Why the attempt before failed. After `OutOfMemory` the batch is to be halved.
        retry_of: Option<FailureKind>,
    },
    /// Answer to `LegEnded`: send `Command::Continue`.
    Continue {
        /// Who waits.
        trial: TrialId,
        /// Where the next leg ends.
        to: Epochs,
    },
    /// Answer to `LegEnded`: send `Command::Pause`. Answer: `Exited`.
    Pause {
        /// Who waits.
        trial: TrialId,
    },
    /// Send `Command::Stop`; the process may be gone already. Answer: `Exited`. When the grace is over
    /// `Kill` follows by itself.
    Stop {
        /// Who runs, or waits after `LegEnded`.
        trial: TrialId,
        /// Why.
        reason: StopReason,
    },
    /// Kill the process group. Answer: `Exited`. May come more than once.
    Kill {
        /// Whose.
        trial: TrialId,
        /// Which.
        attempt: Attempt,
    },
    /// Write this down; it is why the other effects are asked for.
    Record(Decision),
    /// The run is in another phase.
    Entered(Phase),
    /// Every process is gone, or was killed and did not go in time. What is left is evaluating and
    /// packaging the best. Comes once, unless the run is resumed.
    RunEnded,
}

/// The part of its life in which a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// New trials are started, and the promising promoted.
    Search,
    /// Nothing new starts; leaders are trained to the end while that fits.
    Finish,
    /// Nothing starts; what runs is stopped.
    Done,
}

/// Why a process is told to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It has trained in full.
    Completed,
    /// It waits for promotion at a rung.
    Paused,
    /// Its score at a rung was not good enough.
    Rung,
    /// The budget is spent; with a checkpoint it may go on another day.
    Budget,
    /// The leader needs its slot.
    Preempted,
    /// The run was stopped by its user; with a checkpoint it may go on another day.
    Shutdown,
    /// Its user stopped this trial.
    User,
    /// Two scores in a row were not finite.
    Diverged,
    /// It made no progress.
    Hung,
    /// Its heartbeat stopped.
    Lost,
    /// It did not say hello in time.
    LaunchFailed,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "it has trained in full",
            Self::Paused => "it waits for promotion",
            Self::Rung => "its score at a rung was not good enough",
            Self::Budget => "the budget is spent",
            Self::Preempted => "the leader needs its slot",
            Self::Shutdown => "the run was stopped",
            Self::User => "its user stopped it",
            Self::Diverged => "two scores in a row were not finite",
            Self::Hung => "it made no progress",
            Self::Lost => "its heartbeat stopped",
            Self::LaunchFailed => "it did not start in time",
        })
    }
}
