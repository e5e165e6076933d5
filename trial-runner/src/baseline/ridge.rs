//! Ridge regression: least squares with a penalty on squared weights, by the normal equations.

use super::design::Design;
use super::gram::gram;
use super::solve::Cholesky;

/// The normal equations of rows, ready to be solved with any strength of the penalty.
pub(super) struct Ridge {
    matrix: Vec<f64>,
    side: Vec<f64>,
    n_slots: usize,
}

impl Ridge {
    /// Sums up `rows` with `target` and row weights, which add up to 1.
    pub(super) fn new(design: &Design, target: &[f64], weights: &[f64]) -> Self {
        let mut side = vec![0.0; design.n_slots];
        for (row, (y, weight)) in target.iter().zip(weights).enumerate() {
            design.spread(row, &[y * weight], &mut side);
        }
        Self {
            matrix: gram(design, weights),
            side,
            n_slots: design.n_slots,
        }
    }

    /// The weights of least loss: half the mean squared error and half `l2` times the squared weights but the
    /// intercept's.
    pub(super) fn solve(&self, l2: f64) -> Vec<f64> {
        let mut matrix = self.matrix.clone();
        penalise(&mut matrix, self.n_slots, l2);
        let mut weights = self.side.clone();
        Cholesky::new(matrix, self.n_slots).solve(&mut weights, 1);
        weights
    }
}

/// Adds `l2` to the diagonal, but for the intercept's slot.
pub(super) fn penalise(matrix: &mut [f64], n: usize, l2: f64) {
    (1..n).for_each(|i| matrix[i * n + i] += l2);
}
