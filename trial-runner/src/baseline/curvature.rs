//! A bound on the curvature of a loss, factored: what quasi-Newton steps are preconditioned with.

use super::gram::Gram;
use super::solve::Cholesky;

/// A multiple of the normal equations plus the penalty, ready to be solved. Slots behind the core count as independent of
/// all else; where all are in the core, and for squared errors, the curvature is exact.
pub(super) struct Curvature {
    core: Cholesky,
    n_core: usize,
    rest: Vec<f64>,
}

impl Curvature {
    /// `factor` times the sums of `gram`, plus `l2` for every slot but the intercept's.
    pub(super) fn new(gram: &Gram, factor: f64, l2: f64) -> Self {
        let n = gram.n_core;
        let mut core: Vec<f64> = gram.core.iter().map(|sum| sum * factor).collect();
        (1..n).for_each(|i| core[i * n + i] += l2);
        // An intercept in each of many classes and the sum of the levels' weights are one direction without a penalty.
        core[0] += 1e-9;
        Self {
            core: Cholesky::new(core, n),
            n_core: n,
            rest: gram.rest.iter().map(|sum| sum * factor + l2).collect(),
        }
    }

    /// Solves for `width` right-hand sides at once; `sides` is `n_slots` x `width`, row-major, and becomes the solution.
    pub(super) fn solve(&self, sides: &mut [f64], width: usize) {
        let (core, rest) = sides.split_at_mut(self.n_core * width);
        self.core.solve(core, width);
        for (side, curvature) in rest.chunks_exact_mut(width).zip(&self.rest) {
            side.iter_mut().for_each(|x| *x /= curvature);
        }
    }
}
