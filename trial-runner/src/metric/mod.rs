//! Metrics, computed exactly from all predictions of a part; checked against scikit-learn.
//!
//! Read `evaluate` first: it maps a metric's name to its implementation. All sums are in
//! `f64`. Policy for what has no value: no rows, a non-finite prediction, or a metric
//! that is undefined for these rows (a ranking with one class) give NaN; the caller treats
//! NaN as the worst score.

pub mod classes;
pub mod evaluate;
pub mod numbers;
pub mod probabilities;
pub mod ranking;

pub use evaluate::{Predictions, evaluate};

#[cfg(test)]
mod tests;
