//! Asynchronous successive halving. `brackets` has the rungs; `promotion` is the default, `stopping` the
//! variant that never pauses.
//!
//! Li et al., "A System for Massively Parallel Hyperparameter Tuning" (MLSys 2020), Algorithm 2.

mod brackets;
mod promotion;
mod stopping;

pub use promotion::Promotion;
pub use stopping::Stopping;

#[cfg(test)]
mod tests;
