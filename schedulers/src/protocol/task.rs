//! What one process is asked to do. The engine writes it to `spec.json`; that file is enough to run
//! the task again by hand.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{VERSION, check_version};
use crate::error::{Error, Result};
use crate::ids::Epochs;

/// One task with the share of the machine it may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSpec {
    /// The protocol version of the writer.
    pub version: u32,
    /// Threads to compute with, one for each core of the slot.
    pub threads: u32,
    /// The cores to stay on; empty for any.
    pub cpus: Vec<u32>,
    /// What `CUDA_VISIBLE_DEVICES` is set to; nothing for CPU only.
    pub gpu: Option<String>,
    /// Upper limit of the process's own memory.
    pub memory_limit_bytes: Option<u64>,
    /// What to do.
    pub task: Task,
}

/// What a process does before it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// Train one trial, leg by leg.
    Train(TrainTask),
    /// Measure how long an epoch takes.
    Probe(ProbeTask),
    /// Score a finished model on a part of the data.
    Evaluate(EvaluateTask),
}

/// Train one trial from one rung to the next, then wait for a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainTask {
    /// Which trial.
    pub trial: u32,
    /// Which attempt at its present leg.
    pub attempt: u32,
    /// The concrete config.
    pub config: PathBuf,
    /// The folder of prepared arrays.
    pub prepared: PathBuf,
    /// The trial's own folder: logs, checkpoints, model.
    pub trial_dir: PathBuf,
    /// Epochs already trained; there is a checkpoint when it is not 0.
    pub from: Epochs,
    /// Where this leg ends.
    pub to: Epochs,
    /// Full training, R: what the learning-rate schedule spans.
    pub full: Epochs,
    /// Rows of one epoch when it is less than a pass over the training part.
    pub epoch_rows: Option<u64>,
    /// Seed of this trial, already derived from the run's.
    pub seed: u64,
    /// The metric that `Report::score` carries.
    pub metric: String,
    /// Which rows to train on.
    pub on: TrainOn,
    /// Seconds between rolling checkpoints within a leg.
    pub checkpoint_every_s: f64,
}

/// Which rows a model is trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainOn {
    /// The training part; the validation part gives the scores.
    Train,
    /// Both parts, for the final refit: there are no scores, and epochs are as selected before.
    TrainAndValidation,
}

/// Train for some seconds and throw the model away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeTask {
    /// The concrete config.
    pub config: PathBuf,
    /// The folder of prepared arrays.
    pub prepared: PathBuf,
    /// How long to measure at most.
    pub seconds: f64,
    /// As in `TrainTask`.
    pub epoch_rows: Option<u64>,
}

/// Score a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluateTask {
    /// The model package.
    pub model_dir: PathBuf,
    /// The folder of prepared arrays.
    pub prepared: PathBuf,
    /// `train`, `validation` or `test`.
    pub part: String,
    /// Names of metrics.
    pub metrics: Vec<String>,
}

impl TaskSpec {
    /// The text of `spec.json`.
    ///
    /// # Errors
    /// When a path in it is not Unicode.
    pub fn to_json(&self) -> Result<String> {
        let mut text = serde_json::to_string_pretty(self).map_err(Error::Encode)?;
        text.push('\n');
        Ok(text)
    }

    /// Reads `spec.json`; the version is looked at before all else.
    ///
    /// # Errors
    /// When it is of another version, not JSON, or lacks something.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let versioned: Versioned = serde_json::from_str(text).map_err(Error::Decode)?;
        check_version(versioned.version)?;
        serde_json::from_str(text).map_err(Error::Decode)
    }

    /// A spec of this version with one thread and no limits.
    #[must_use]
    pub const fn new(task: Task) -> Self {
        Self {
            version: VERSION,
            threads: 1,
            cpus: Vec::new(),
            gpu: None,
            memory_limit_bytes: None,
            task,
        }
    }
}
