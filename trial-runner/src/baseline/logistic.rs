//! Logistic regression of two classes, by Newton's method.

use super::design::Design;
use super::gram::gram;
use super::ridge::penalise;
use super::solve::{Cholesky, dot};

/// Steps after which it ends in any case; six or seven are usual.
const MAX_STEPS: usize = 25;
/// Half the decrement below which the loss cannot fall by more (Boyd and Vandenberghe, "Convex Optimization", 9.5.1).
const TOLERANCE: f64 = 1e-10;

/// The weights of least loss: the mean log loss and half `l2` times the squared weights but the intercept's.
/// `target` is 0 or 1; row weights add up to 1; begins at `weights`.
pub(super) fn fit(
    design: &Design,
    target: &[f64],
    row_weights: &[f64],
    l2: f64,
    mut weights: Vec<f64>,
) -> Vec<f64> {
    let n = design.n_slots;
    let mut loss = loss_of(design, target, row_weights, l2, &weights);
    for _ in 0..MAX_STEPS {
        let mut gradient = penalty_gradient(&weights, l2);
        let mut curvature = vec![0.0; design.n_rows()];
        for (row, (y, weight)) in target.iter().zip(row_weights).enumerate() {
            let p = probability(margin(design, row, &weights));
            design.spread(row, &[weight * (p - y)], &mut gradient);
            curvature[row] = weight * p * (1.0 - p);
        }
        let mut hessian = gram(design, &curvature);
        penalise(&mut hessian, n, l2);
        let mut step = gradient.clone();
        Cholesky::new(hessian, n).solve(&mut step, 1);
        let decrement = dot(&step, &gradient);
        if decrement < 2.0 * TOLERANCE {
            break;
        }
        let Some((next, less)) = shortened(
            &weights,
            &step,
            |next| loss_of(design, target, row_weights, l2, next),
            loss,
            decrement,
        ) else {
            break;
        };
        (weights, loss) = (next, less);
    }
    weights
}

/// The first of the step and its halves that lowers the loss enough.
fn shortened(
    weights: &[f64],
    step: &[f64],
    loss_of: impl Fn(&[f64]) -> f64,
    loss: f64,
    decrement: f64,
) -> Option<(Vec<f64>, f64)> {
    std::iter::successors(Some(1.0), |length| Some(length * 0.5))
        .take(20)
        .find_map(|length: f64| {
            let next: Vec<f64> = weights
                .iter()
                .zip(step)
                .map(|(w, s)| w - length * s)
                .collect();
            let less = loss_of(&next);
            (less <= loss - 1e-4 * length * decrement).then_some((next, less))
        })
}

/// The mean log loss with its penalty.
fn loss_of(design: &Design, target: &[f64], row_weights: &[f64], l2: f64, weights: &[f64]) -> f64 {
    log_loss(design, target, row_weights, weights) + 0.5 * l2 * dot(&weights[1..], &weights[1..])
}

/// The mean log loss.
pub(super) fn log_loss(
    design: &Design,
    target: &[f64],
    row_weights: &[f64],
    weights: &[f64],
) -> f64 {
    let of_row = |(row, (y, weight)): (usize, (&f64, &f64))| {
        let z = margin(design, row, weights);
        // ln(1 + e^z) - y z, without overflow.
        weight * (z.max(0.0) + (-z.abs()).exp().ln_1p() - y * z)
    };
    target.iter().zip(row_weights).enumerate().map(of_row).sum()
}

fn penalty_gradient(weights: &[f64], l2: f64) -> Vec<f64> {
    let mut gradient: Vec<f64> = weights.iter().map(|w| l2 * w).collect();
    gradient[0] = 0.0;
    gradient
}

fn margin(design: &Design, row: usize, weights: &[f64]) -> f64 {
    let mut z = [0.0];
    design.multiply(row, weights, &mut z);
    z[0]
}

/// The logistic function.
pub(super) fn probability(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}
