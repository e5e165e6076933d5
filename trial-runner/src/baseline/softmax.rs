//! Logistic regression of many classes, by quasi-Newton steps.
//!
//! The Hessian of K classes is K times as wide as that of one. Its blocks are bounded by a multiple of the
//! normal equations (Böhning, "Multinomial Logistic Regression Algorithm", 1992), whose factor is the
//! preconditioner; the rest is left to the memory of BFGS.

use super::curvature::Curvature;
use super::design::Design;
use super::gram::Gram;
use super::lbfgs::{Objective, minimise};
use super::solve::dot;

const MAX_STEPS: usize = 60;
/// A loss that falls by less than this share of itself in a step is as good as still.
const TOLERANCE: f64 = 1e-5;

/// The rows of a fit.
pub(super) struct Softmax<'a> {
    pub(super) design: &'a Design,
    /// The class of each row.
    pub(super) classes: &'a [u32],
    /// Add up to 1.
    pub(super) row_weights: &'a [f64],
    pub(super) n_classes: usize,
}

impl Softmax<'_> {
    /// The normal equations that all fits of these rows share.
    pub(super) fn gram(&self) -> Gram {
        Gram::new(self.design, self.row_weights)
    }

    /// The weights (`n_slots` x `n_classes`, row-major) of least loss: the mean log loss and half `l2` times
    /// the squared weights but the intercepts'. Begins at `weights`.
    pub(super) fn fit(&self, gram: &Gram, l2: f64, weights: Vec<f64>) -> Vec<f64> {
        // The mean of p (1 - p) over classes that are equally likely.
        let spread = (1.0 / self.n_classes as f64) * (1.0 - 1.0 / self.n_classes as f64);
        let problem = Penalised {
            rows: self,
            l2,
            curvature: Curvature::new(gram, spread, l2),
        };
        minimise(&problem, weights, MAX_STEPS, TOLERANCE)
    }

    /// The mean log loss.
    pub(super) fn log_loss(&self, weights: &[f64]) -> f64 {
        let mut scores = vec![0.0; self.n_classes];
        let rows = self.classes.iter().zip(self.row_weights).enumerate();
        rows.map(|(row, (&class, weight))| weight * self.row_loss(row, class, weights, &mut scores))
            .sum()
    }

    /// The log loss of a row; leaves the probabilities of its classes in `scores`.
    fn row_loss(&self, row: usize, class: u32, weights: &[f64], scores: &mut [f64]) -> f64 {
        scores.fill(0.0);
        self.design.multiply(row, weights, scores);
        let of_class = scores[class as usize];
        to_probabilities(scores) - of_class
    }
}

/// Turns scores into probabilities; gives the logarithm of the sum of their exponentials.
pub(super) fn to_probabilities(scores: &mut [f64]) -> f64 {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - top).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
    top + sum.ln()
}

struct Penalised<'a> {
    rows: &'a Softmax<'a>,
    l2: f64,
    curvature: Curvature,
}

impl Objective for Penalised<'_> {
    fn value(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let Softmax {
            design,
            classes,
            row_weights,
            n_classes,
        } = *self.rows;
        gradient
            .iter_mut()
            .zip(weights)
            .for_each(|(g, w)| *g = self.l2 * w);
        gradient[..n_classes].fill(0.0);
        let free = &weights[n_classes..];
        let mut value = 0.5 * self.l2 * dot(free, free);
        let mut scores = vec![0.0; n_classes];
        for (row, (&class, &weight)) in classes.iter().zip(row_weights).enumerate() {
            value += weight * self.rows.row_loss(row, class, weights, &mut scores);
            scores[class as usize] -= 1.0;
            scores.iter_mut().for_each(|score| *score *= weight);
            design.spread(row, &scores, gradient);
        }
        value
    }

    fn precondition(&self, vector: &mut [f64]) {
        self.curvature.solve(vector, self.rows.n_classes);
    }
}
