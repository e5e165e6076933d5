//! What a run was asked to do, resolved against the world: the run has nothing left to choose
//! but what the data decides.

mod asks;
mod kept;
mod render;
mod slots;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use search::config::Config;

use crate::hardware::Hardware;

pub use kept::Place;
pub use slots::{choose_gpus, lay_out};

/// One run, whole: printed before it starts and saved with it.
#[derive(Debug, Clone)]
pub struct RunPlan {
    /// Whether to search or to train one config.
    pub verb: Verb,
    /// The run's name, unique in its output folder.
    pub name: String,
    /// The run's own folder; it must not exist yet.
    pub folder: PathBuf,
    /// Where downloads, ingested tables and prepared arrays are kept.
    pub cache: PathBuf,
    /// The program that trains: `autotune-trial`.
    pub trial_binary: PathBuf,
    /// A registry name, a path or a URL; of a program, its command.
    pub dataset: String,
    /// A separate table to validate on.
    pub validation: Option<String>,
    /// A separate table to test on.
    pub test: Option<String>,
    /// Keep nothing back for testing.
    pub no_test: bool,
    /// The column to predict, when named.
    pub target: Option<String>,
    /// Types the user insists on, by column.
    pub types: BTreeMap<String, String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// The split, as written after `--split`.
    pub split: Option<String>,
    /// The metric to optimise, when named.
    pub metric: Option<String>,
    /// The text encoding of the table, when named.
    pub encoding: Option<String>,
    /// A base config to use in place of a proposed one.
    pub config: Option<PathBuf>,
    /// The program that is tuned, in place of a model of a table; what is gone on with has it in its folder.
    pub program: Option<Config>,
    /// When the run ends.
    pub limits: Limits,
    /// The seed that all randomness of the run is derived from.
    pub seed: u64,
    /// The machine, as measured when the command began.
    pub hardware: Hardware,
    /// The places where trials run; at least one.
    pub slots: Vec<Slot>,
    /// The most memory one trial may take, in bytes.
    pub memory_limit_bytes: Option<u64>,
    /// The scheduler, when named.
    pub scheduler: Option<String>,
    /// The sampler, when named.
    pub sampler: Option<String>,
    /// The command line, as typed.
    pub command_line: Vec<String>,
}

/// Search over a config's space, train one config, or tune a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// `autotune run`.
    Search,
    /// `autotune train`: one trial, no search.
    Train,
    /// `autotune tune`: a search over the parameters of a program of the user's.
    Tune,
}

impl Verb {
    /// The word for it on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Search => "run",
            Self::Train => "train",
            Self::Tune => "tune",
        }
    }
}

/// When a run ends: at the first of the limits that are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// From the command to the prompt.
    pub budget: Option<Duration>,
    /// Trials started.
    pub max_trials: Option<u32>,
    /// Epochs of the full training of a trial.
    pub max_epochs: Option<u32>,
}

/// Cores, or a GPU with some cores, that one trial holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The cores the trial is bound to; their number is its thread count.
    pub cpus: Vec<u32>,
    /// What `CUDA_VISIBLE_DEVICES` says for the trial.
    pub gpu: Option<String>,
}
