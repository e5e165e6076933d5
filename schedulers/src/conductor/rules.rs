//! What a conductor is given at the start and keeps to. Journalled as the first thing of a run, so that
//! a resumed one has the same.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::explain::Unit;
use crate::ids::{Epochs, RunTime};

/// Everything that is settled before the first event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// What the run may spend.
    pub limits: Limits,
    /// Time kept back before the end for stopping, evaluating and packaging (`budget::reserve`).
    pub reserve: Duration,
    /// How full training, R, is settled.
    pub full: Full,
    /// Where trials are judged.
    pub levels: Levels,
    /// How they are judged.
    pub policy: Policy,
    /// Sets of rungs of ASHA, each starting one level higher. At least 1.
    pub brackets: u32,
    /// How new trials are shared among them.
    #[serde(default)]
    pub shares: Shares,
    /// Whether a second bracket of ASHA, opened if there is none, measures what the first rung is worth, and gives
    /// it up when it misleads.
    #[serde(default)]
    pub guard: bool,
    /// Whether the upper rungs of ASHA's promotion are open from the start.
    #[serde(default)]
    pub cap: Cap,
    /// Trial 0, if there is one: started first, without asking. It stands outside rungs and limits.
    pub baseline: Option<Baseline>,
    /// How many of the first suggestions run straight to R: 1 for the tuned default.
    pub straight: u32,
}

/// What a run may spend; several may be set, and the first to be met ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// When the prompt must be back; the reserve lies before it.
    pub end: Option<RunTime>,
    /// Suggestions that are tried. The baseline is not counted.
    pub max_trials: Option<u32>,
    /// Epochs that are trained, all trials together. The baseline is not counted.
    pub max_epochs: Option<u64>,
}

/// How full training, R, is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Full {
    /// It is given.
    Fixed(Epochs),
    /// By `budget::choose_full`, after `Effect::Probe`; without `Limits::end` by the budget of epochs, without a probe.
    Probed,
}

/// Where trials are judged on the way to R.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Levels {
    /// At the minima of the coslog4 learning-rate schedule.
    Coslog4,
    /// At `min * factor^k`.
    Geometric {
        /// The first rung; Ludwig's `grace_period`.
        min: Epochs,
        /// Ludwig's `reduction_factor`.
        factor: u32,
    },
    /// At `min * factor^k` seconds of training, at the first report from there on (Ludwig's `time_total_s`). R stays
    /// one of epochs. Only what stops in the middle of a leg can: ASHA's stopping variant; others judge nowhere.
    Seconds {
        /// The first rung.
        min: u32,
        /// Ludwig's `reduction_factor`.
        factor: u32,
        /// A trial that has trained so long is complete.
        full: u32,
    },
}

/// How trials are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Never: each runs to R in the order of suggestion.
    Fifo,
    /// ASHA, promotion: trials pause at rungs and the best `1 / eta` go on.
    AshaPromotion {
        /// At least 2.
        eta: u32,
    },
    /// ASHA, stopping by the count rule: at rungs all but the best `1 / eta` end.
    AshaStopping {
        /// At least 2.
        eta: u32,
    },
    /// HyperBand: brackets one after the other, each rung waiting for all of its trials. Under BOHB a sampler learns
    /// from it.
    Hyperband {
        /// At least 2.
        eta: u32,
    },
    /// Median stopping: who is worse than half of the others were on average by then ends.
    Median {
        /// What is counted.
        unit: Unit,
        /// Nothing is judged before.
        grace: u32,
        /// Others that must have come as far.
        min_samples: u32,
    },
}

/// How new trials are shared among brackets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shares {
    /// Each bracket gets an eta-th of the one before: 3 to 1 for two of eta 3.
    #[default]
    Falling,
    /// As synchronous HyperBand starts them: 243, 98, 41, 18, 9 from 1 to 243 epochs, eta 3.
    Hyperband,
}

/// Which rungs are open from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cap {
    /// All.
    #[default]
    Full,
    /// Two, and more when the order at the top one changes (PASHA).
    Progressive,
}

/// The trial that exists before any search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// Its own full training: 1 for a linear model.
    pub full: Epochs,
}
