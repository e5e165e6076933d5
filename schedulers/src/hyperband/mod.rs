//! Synchronous HyperBand. `plan` says how many trials each bracket starts and keeps, `hyperband` runs the brackets,
//! `bohb` says which level a model is to be fitted on. (The asynchronous form is `asha` with several brackets.)
//!
//! Li et al., "Hyperband: A Novel Bandit-Based Approach to Hyperparameter Optimization" (JMLR 2018), algorithm 1.

mod bohb;
#[expect(
    clippy::module_inception,
    reason = "the file is named by its one noun, as the others are"
)]
mod hyperband;
mod plan;

pub use bohb::fit_level;
pub use hyperband::Hyperband;
pub use plan::{Level, Survivors, plan};

#[cfg(test)]
mod tests;
