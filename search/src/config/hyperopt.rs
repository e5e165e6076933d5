//! The typed search section: what is searched, by what, for how long, and who stops trials.

use serde_json::{Map, Value};

use super::scheduler::Scheduler;
use crate::metric::Metric;

/// The search for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperopt {
    /// What trials are judged by.
    pub metric: Metric,
    /// Whether the metric is made large or small.
    pub goal: Goal,
    /// The output feature that is judged.
    pub output_feature: String,
    /// The part that is judged.
    pub part: SplitPart,
    /// What is searched, and how.
    pub search: Search,
}

/// What is searched, by what, for how long, and who stops trials; of a model as of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Dotted path -> checked domain, as `{space: loguniform, lower: 1e-4, upper: 0.1}`, in the order of the config.
    pub parameters: Map<String, Value>,
    /// What proposes.
    pub search_alg: SearchAlg,
    /// How much is run.
    pub executor: Executor,
    /// What stops.
    pub scheduler: Scheduler,
}

/// Direction of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// Less is better.
    Minimize,
    /// More is better.
    Maximize,
}

/// A part of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitPart {
    /// What is learned from.
    Training,
    /// What trials are judged by.
    Validation,
    /// What the final model is judged by, once.
    Test,
}

/// What proposes configs.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAlg {
    /// The sampler.
    pub kind: SearchKind,
    /// Assignments tried first, in order.
    pub points_to_evaluate: Vec<Map<String, Value>>,
    /// Seed, when the config fixes one.
    pub seed: Option<u64>,
}

/// Samplers that can run. Ludwig's names of other libraries are read as the nearest of these, with a warning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SearchKind {
    /// Independent draws; every `grid_search` parameter is gone through in full (Ludwig: `variant_generator`, `random`).
    Random,
    /// A scrambled Sobol sequence, then independent draws.
    Sobol,
    /// Points of even cover, then a tree-structured Parzen estimator (Ludwig: `hyperopt`, `optuna`, `bohb`).
    Tpe {
        /// Points before the model proposes.
        n_initial_points: u32,
        /// The share of trials that counts as good, above 0, at most 0.9.
        gamma: f64,
    },
    /// Points of even cover, then changes of what did well.
    Evolution {
        /// Trials that may be parents.
        population: u32,
    },
}

/// How much is run, and on what.
#[derive(Debug, Clone, PartialEq)]
pub struct Executor {
    /// Trials at most; `None`: as many as the time allows.
    pub num_samples: Option<u32>,
    /// Time for the whole search; `None`: no bound but `num_samples`.
    pub time_budget_s: Option<f64>,
    /// Trials at once; `None`: as many as there are slots.
    pub max_concurrent_trials: Option<u32>,
}
