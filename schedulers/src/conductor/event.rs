//! What the conductor is told. Every event is a row of the journal, so these types are a file format:
//! fields are added, never changed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ids::{Attempt, CostClass, Epochs, SlotId, TrialId};
use crate::protocol::FailureKind;
use crate::score::Score;

/// What has happened. The dispatcher journals it, hands it over with the time, and acts on what comes back.
///
/// Events of a trial carry its attempt; those of an attempt that is over are ignored, as are repeated
/// ones, so that nothing needs to be filtered on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Time has passed, and something is due: the deadline, the end of a grace, the last moment to finish the
    /// leader. From `Conductor::due`, which the dispatcher calls at least every `conductor::TICK`.
    Tick,
    /// A process does not do what it should. From `Conductor::due`.
    Unresponsive {
        /// Whose process.
        trial: TrialId,
        /// Which one.
        attempt: Attempt,
        /// What is missing.
        sign: Sign,
    },
    /// Slots may be used. From the dispatcher, once the launcher is ready; starts the run.
    SlotsOpened {
        /// New ones; those known already are ignored.
        slots: Vec<SlotId>,
    },
    /// Answer to `Effect::Ask`: the trial's config stands on disk.
    Suggested {
        /// As asked.
        trial: TrialId,
        /// Which trials cost about as much an epoch.
        class: CostClass,
    },
    /// Answer to `Effect::Ask`: there is nothing new to try, and never will be.
    SpaceExhausted {
        /// As asked; the number is not used.
        trial: TrialId,
    },
    /// Answer to `Effect::Probe`: its process has ended, and its slot is free.
    Probed {
        /// Seconds of one epoch of the tuned default, training and scoring.
        seconds_per_epoch: f64,
        /// Seconds of a leg that do not grow with its epochs.
        fixed_seconds: f64,
    },
    /// Answer to `Effect::Probe`: its process has ended without a result, and its slot is free.
    ProbeFailed,
    /// The process of a launch said hello with the right version. From its report pipe.
    Hello {
        /// Whose process.
        trial: TrialId,
        /// Which one.
        attempt: Attempt,
    },
    /// The process is alive. From its report pipe. The one event that need not be journalled: it changes no
    /// decision, only what `due` finds.
    Heartbeat {
        /// Whose process.
        trial: TrialId,
        /// Which one.
        attempt: Attempt,
        /// Steps taken so far.
        step: u64,
    },
    /// An epoch was trained and scored. From its report pipe.
    Reported {
        /// Whose process.
        trial: TrialId,
        /// Which one.
        attempt: Attempt,
        /// Epochs so far.
        epoch: Epochs,
        /// The score of this epoch.
        score: Score,
        /// Seconds of this epoch, training and scoring.
        seconds: f64,
    },
    /// A checkpoint is on disk. From its report pipe.
    Checkpointed {
        /// Whose process.
        trial: TrialId,
        /// Which one.
        attempt: Attempt,
        /// Epochs that it holds.
        epoch: Epochs,
    },
    /// The leg is over, its checkpoint on disk, and the process waits: one of `Continue`, `Pause`, `Stop`
    /// comes back. From its report pipe.
    LegEnded {
        /// Whose process.
        trial: TrialId,
        /// Which one.
        attempt: Attempt,
        /// Epochs so far.
        epoch: Epochs,
        /// Best score so far.
        best: Score,
        /// Seconds of the leg.
        seconds: f64,
    },
    /// The process is gone and its pipe is drained; or it could not be started. Exactly one for each `Launch`.
    Exited {
        /// Whose process.
        trial: TrialId,
        /// Which one.
        attempt: Attempt,
        /// How.
        how: Exit,
    },
    /// The launcher died. Processes that said hello live on; launches without a hello are lost. The
    /// dispatcher sends this before it starts another one.
    LauncherDied,
    /// End now, saving what stands; a second one kills. From Ctrl-C, SIGTERM or the monitor.
    StopAsked {
        /// Who asks.
        by: StopBy,
    },
    /// End now, killing every process.
    KillAsked,
    /// One trial shall end. From the monitor.
    TrialStopAsked {
        /// Which.
        trial: TrialId,
    },
    /// More time. From the monitor, or from `resume --add-budget` before `Resumed`.
    BudgetAdded {
        /// How much.
        time: Duration,
    },
    /// Another reserve, from the measured time of evaluating, packaging and stopping (`budget::reserve`).
    ReserveMeasured {
        /// The new reserve.
        reserve: Duration,
    },
    /// The engine starts again after the events so far: every process of before is gone, and so are the
    /// slots and open questions. `SlotsOpened` follows.
    Resumed,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With exit code 0.
    Ok,
    /// In any other way.
    Failed(FailureKind),
}

/// Who asks for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopBy {
    /// A person.
    User,
    /// A signal.
    Signal,
}

/// What a process lets be missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// It did not say hello within `conductor::LAUNCH_TIMEOUT`.
    Hello,
    /// It has not said a word for 10 s.
    Heartbeat,
    /// It beats, but takes no step for 30 s and 20 median steps.
    Progress,
}
