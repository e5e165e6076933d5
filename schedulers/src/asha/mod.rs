//! Asynchronous successive halving. `promotion` is the default, `stopping` the variant that never pauses;
//! `brackets` has the rungs, `guard` measures whether the first one can be trusted, `cap` opens the upper ones
//! only when they are needed.
//!
//! Li et al., "A System for Massively Parallel Hyperparameter Tuning" (MLSys 2020), Algorithm 2.

mod brackets;
mod cap;
mod guard;
mod promotion;
mod stopping;

pub use guard::{Correlation, spearman};
pub use promotion::Promotion;
pub use stopping::Stopping;

#[cfg(test)]
mod tests;
