//! Which level a model of the space is to be fitted on.
//!
//! Falkner, Klein and Hutter, "BOHB: Robust and Efficient Hyperparameter Optimization at Scale" (ICML 2018), section
//! 3.1: the largest budget with enough observations. HpBandSter wants d + 1 of them and one more for the model.

use crate::ids::Epochs;

/// The highest level that `d + 2` trials have reached, of `(level, trials)` from the lowest up; nothing while there is
/// none: then a sampler draws at random.
#[must_use]
pub fn fit_level(reached: &[(Epochs, usize)], n_dimensions: usize) -> Option<Epochs> {
    let is_enough = |(_, n): &&(Epochs, usize)| *n >= n_dimensions + 2;
    reached
        .iter()
        .rev()
        .find(is_enough)
        .map(|(level, _)| *level)
}
