//! What the user asked for, as far as the config is concerned.

use std::time::Duration;

/// Wishes from the command line; each overrules a choice that would be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// What the table is called, for the first line of the config.
    pub dataset: String,
    /// `--metric`.
    pub metric: Option<String>,
    /// `--split`: random, stratify, datetime:COLUMN, group:COLUMN, fixed:COLUMN, hash:COLUMN, folds:COLUMN.
    pub split: Option<String>,
    /// Whether there is a separate test table, or nothing is to be kept back for testing.
    pub no_test_part: bool,
    /// Whether there is a separate validation table.
    pub validation_table: bool,
    /// The time limit.
    pub budget: Option<Duration>,
    /// The limit on trials.
    pub max_trials: Option<u32>,
    /// The limit on epochs of a full training.
    pub max_epochs: Option<u32>,
    /// `--scheduler`: asha, asha-stopping, hyperband, median, fifo.
    pub scheduler: Option<String>,
    /// `--sampler`: tpe, evolution, sobol, random.
    pub sampler: Option<String>,
}
