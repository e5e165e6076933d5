//! Logistic regression of two classes, by quasi-Newton steps.
//!
//! The curvature of a row, p (1 - p), is at most a quarter, so that a quarter of the normal equations bounds
//! the Hessian (Böhning and Lindsay, 1988). Its factor is the preconditioner of BFGS: one matrix serves every
//! strength of the penalty, where Newton's own would cost a matrix a step, most of the time where rows are words.

use super::curvature::Curvature;
use super::design::Design;
use super::gram::Gram;
use super::lbfgs::{Objective, minimise};
use super::solve::dot;

/// Steps after which it ends in any case; ten to thirty are usual.
const MAX_STEPS: usize = 100;
/// A loss that falls by less than this share of itself in a step is as good as still.
const TOLERANCE: f64 = 1e-8;

/// The rows of a fit.
pub(super) struct Logistic<'a> {
    pub(super) design: &'a Design,
    /// 0 or 1, one a row.
    pub(super) target: &'a [f64],
    /// Add up to 1.
    pub(super) row_weights: &'a [f64],
}

impl Logistic<'_> {
    /// The normal equations that all fits of these rows share.
    pub(super) fn gram(&self) -> Gram {
        Gram::new(self.design, self.row_weights)
    }

    /// The weights of least loss: the mean log loss and half `l2` times the squared weights but the
    /// intercept's. Begins at `weights`.
    pub(super) fn fit(&self, gram: &Gram, l2: f64, weights: Vec<f64>) -> Vec<f64> {
        let problem = Penalised {
            rows: self,
            l2,
            curvature: Curvature::new(gram, 0.25, l2),
        };
        minimise(&problem, weights, MAX_STEPS, TOLERANCE)
    }

    /// The mean log loss.
    pub(super) fn log_loss(&self, weights: &[f64]) -> f64 {
        let rows = self.target.iter().zip(self.row_weights).enumerate();
        rows.map(|(row, (&y, weight))| weight * loss(self.margin(row, weights), y))
            .sum()
    }

    fn margin(&self, row: usize, weights: &[f64]) -> f64 {
        let mut z = [0.0];
        self.design.multiply(row, weights, &mut z);
        z[0]
    }
}

struct Penalised<'a> {
    rows: &'a Logistic<'a>,
    l2: f64,
    curvature: Curvature,
}

impl Objective for Penalised<'_> {
    fn value(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let Logistic {
            design,
            target,
            row_weights,
        } = *self.rows;
        gradient
            .iter_mut()
            .zip(weights)
            .for_each(|(g, w)| *g = self.l2 * w);
        gradient[0] = 0.0;
        let mut value = 0.5 * self.l2 * dot(&weights[1..], &weights[1..]);
        for (row, (&y, &weight)) in target.iter().zip(row_weights).enumerate() {
            let z = self.rows.margin(row, weights);
            value += weight * loss(z, y);
            design.spread(row, &[weight * (probability(z) - y)], gradient);
        }
        value
    }

    fn precondition(&self, vector: &mut [f64]) {
        self.curvature.solve(vector, 1);
    }
}

/// The log loss of a row, ln(1 + e^z) - y z, without overflow.
fn loss(z: f64, y: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p() - y * z
}

/// The logistic function.
pub(super) fn probability(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}
