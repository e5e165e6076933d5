//! What a trial process says on its report pipe, and what it is told on its command pipe.
//!
//! A training process says `Hello`, `Started`, then `Heartbeat` about once a second from a thread of its
//! own, a `Report` after each epoch, and `LegEnd` when it has reached `to` and its checkpoint is on disk.
//! Then it waits for a `Command`. A probe or an evaluation says `Hello`, heartbeats and one `Result`.
//! `Failed` is the last word before a non-zero exit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FailureKind, real};
use crate::ids::Epochs;

/// From a trial process to the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TrialMessage {
    /// First word.
    Hello {
        /// Protocol version of the process.
        version: u32,
        /// Its process id.
        pid: u32,
        /// The trial it was asked to run; 0 for other tasks.
        trial: u32,
        /// The attempt it was asked to run; 0 for other tasks.
        attempt: u32,
    },
    /// Model and data are in place and training begins.
    Started {
        /// Trainable parameters.
        n_params: u64,
        /// Rows of one epoch.
        n_rows: u64,
        /// Seconds from the fork to here.
        setup_s: f64,
    },
    /// The process is alive.
    Heartbeat {
        /// Steps taken so far in this process; progress is when it grows.
        step: u64,
    },
    /// One epoch was trained and scored.
    Report(Report),
    /// A checkpoint is safe on disk.
    Checkpoint {
        /// Epochs that it holds.
        epoch: Epochs,
    },
    /// The leg has reached its end, its checkpoint is on disk, and the process waits for a command.
    LegEnd {
        /// Epochs trained so far.
        epoch: Epochs,
        /// The epoch of the best score so far.
        best_epoch: Epochs,
        /// The best score so far, raw.
        #[serde(with = "real")]
        best_score: f64,
        /// Seconds of training in this leg.
        train_s: f64,
    },
    /// What a probe or an evaluation found.
    Result(TaskResult),
    /// The process gives up; its exit code says the same.
    Failed {
        /// Why.
        failure: FailureKind,
        /// One line for people.
        message: String,
    },
}

/// The scores of one epoch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Epochs trained so far, this one included.
    pub epoch: Epochs,
    /// Mean training loss of this epoch.
    #[serde(with = "real")]
    pub loss: f64,
    /// The objective on the validation part, raw: in the metric's own direction.
    #[serde(with = "real")]
    pub score: f64,
    /// All metrics that were computed, by name, raw.
    #[serde(with = "real::map")]
    pub scores: BTreeMap<String, f64>,
    /// The epoch of the best score so far.
    pub best_epoch: Epochs,
    /// The best score so far, raw.
    #[serde(with = "real")]
    pub best_score: f64,
    /// Seconds of training in this epoch.
    pub train_s: f64,
    /// Seconds of scoring in this epoch.
    pub eval_s: f64,
    /// Rows trained on in this epoch.
    pub n_rows: u64,
}

/// What a task that is no training found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum TaskResult {
    /// Of a probe.
    Probe {
        /// Seconds of one epoch, training and scoring.
        seconds_per_epoch: f64,
        /// Seconds of starting and ending that do not grow with epochs.
        fixed_seconds: f64,
        /// Seconds of scoring the validation part once.
        validation_seconds: f64,
        /// Trainable parameters.
        n_params: u64,
    },
    /// Of an evaluation.
    Evaluate {
        /// Metrics by name, raw.
        #[serde(with = "real::map")]
        scores: BTreeMap<String, f64>,
        /// How long it took.
        seconds: f64,
    },
}

/// From the engine to a training process. End of file on the command pipe means that the engine is
/// gone: the process checkpoints and exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Command {
    /// Start the next leg in the same process.
    Continue {
        /// Where it ends.
        to: Epochs,
    },
    /// Exit with 0; the checkpoint of the leg's end is kept for later.
    Pause,
    /// Checkpoint at the next step border where an epoch has ended, or keep the last checkpoint; exit with 0.
    Stop,
}
