//! The proposal: a base config, a comment for every line of it, and the reasons behind.

use std::time::Duration;

/// What the user asked for, as far as the config is concerned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wishes {
    /// `--metric`.
    pub metric: Option<String>,
    /// `--split`: random, stratify, datetime:COLUMN, group:COLUMN, fixed:COLUMN, hash:COLUMN, folds:COLUMN.
    pub split: Option<String>,
    /// A separate test table is given.
    pub test_table: bool,
    /// A separate validation table is given.
    pub validation_table: bool,
    /// Nothing is kept back for testing.
    pub no_test: bool,
    /// The time limit.
    pub budget: Option<Duration>,
    /// The limit on trials.
    pub max_trials: Option<u32>,
    /// The limit on epochs.
    pub max_epochs: Option<u32>,
    /// The seed of the run.
    pub seed: u64,
    /// `--scheduler`.
    pub scheduler: Option<String>,
    /// `--sampler`.
    pub sampler: Option<String>,
    /// Slots of the run.
    pub n_slots: usize,
}

/// Why a value was chosen; kept in the run's record for `explain`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Reason {
    /// The dotted path of the value in the config.
    pub path: String,
    /// The value chosen.
    pub value: String,
    /// Why.
    pub why: String,
}
