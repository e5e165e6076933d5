//! Ridge regression: least squares with a penalty on squared weights. By the normal equations where there are
//! few slots, else by quasi-Newton steps.

use super::curvature::Curvature;
use super::design::Design;
use super::gram::Gram;
use super::lbfgs::{Objective, minimise};
use super::solve::dot;

/// Steps after which it ends in any case.
const MAX_STEPS: usize = 100;
/// A loss that falls by less than this share of itself in a step is as good as still.
const TOLERANCE: f64 = 1e-7;

/// Rows, summed up to be solved with any strength of the penalty.
pub(super) struct Ridge<'a> {
    design: &'a Design,
    target: &'a [f64],
    row_weights: &'a [f64],
    gram: Gram,
    /// The weighted sum of rows times their targets.
    side: Vec<f64>,
}

impl<'a> Ridge<'a> {
    /// Sums up `rows` with `target` and row weights, which add up to 1.
    pub(super) fn new(design: &'a Design, target: &'a [f64], row_weights: &'a [f64]) -> Self {
        let mut side = vec![0.0; design.n_slots];
        for (row, (y, weight)) in target.iter().zip(row_weights).enumerate() {
            design.spread(row, &[y * weight], &mut side);
        }
        Self {
            design,
            target,
            row_weights,
            gram: Gram::new(design, row_weights),
            side,
        }
    }

    /// The weights of least loss: half the mean squared error and half `l2` times the squared weights but the
    /// intercept's. Begins at `start`, where it does not know the answer at once.
    pub(super) fn solve(&self, l2: f64, start: Option<&[f64]>) -> Vec<f64> {
        let curvature = Curvature::new(&self.gram, 1.0, l2);
        if self.gram.rest.is_empty() {
            let mut weights = self.side.clone();
            curvature.solve(&mut weights, 1);
            return weights;
        }
        let start = start.map_or_else(|| vec![0.0; self.design.n_slots], <[f64]>::to_vec);
        let problem = Penalised {
            rows: self,
            l2,
            curvature,
        };
        minimise(&problem, start, MAX_STEPS, TOLERANCE)
    }
}

struct Penalised<'a> {
    rows: &'a Ridge<'a>,
    l2: f64,
    curvature: Curvature,
}

impl Objective for Penalised<'_> {
    fn value(&self, weights: &[f64], gradient: &mut [f64]) -> f64 {
        let rows = self.rows;
        gradient
            .iter_mut()
            .zip(weights)
            .for_each(|(g, w)| *g = self.l2 * w);
        gradient[0] = 0.0;
        let mut value = 0.5 * self.l2 * dot(&weights[1..], &weights[1..]);
        for (row, (y, weight)) in rows.target.iter().zip(rows.row_weights).enumerate() {
            let mut score = [0.0];
            rows.design.multiply(row, weights, &mut score);
            let error = score[0] - y;
            value += 0.5 * weight * error * error;
            rows.design.spread(row, &[weight * error], gradient);
        }
        value
    }

    fn precondition(&self, vector: &mut [f64]) {
        self.curvature.solve(vector, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quasi_newton_steps_come_to_the_same_weights_as_the_normal_equations() {
        let wave = |row: usize, slot: usize| ((row * 7 + slot * 13) as f32 * 0.37).sin();
        let rows: Vec<Vec<f32>> = (0..60)
            .map(|row| {
                let inputs = (1..6).map(|slot| wave(row, slot));
                std::iter::once(1.0).chain(inputs).collect()
            })
            .collect();
        let target: Vec<f64> = (0..60).map(|row| f64::from(wave(row, 9)) + 0.5).collect();
        let weights = vec![1.0 / 60.0; 60];
        let solve = |n_core| {
            let design = Design::of_dense(n_core, &rows);
            Ridge::new(&design, &target, &weights).solve(1e-3, None)
        };
        let (exact, stepped) = (solve(6), solve(1));
        for (a, b) in exact.iter().zip(&stepped) {
            assert!((a - b).abs() < 1e-3, "{exact:?} and {stepped:?}");
        }
    }
}
