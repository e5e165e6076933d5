//! The weighted sum of the outer products of rows: the matrix of the normal equations.

use super::design::Design;
use super::solve::dot;

/// Rows whose dense part is turned into columns at once.
const BLOCK: usize = 64;

/// Sums over rows of `weight x x'`: all pairs of the first slots, the core, and of the rest the squares alone.
pub(super) struct Gram {
    /// The lower half, `n_core` x `n_core`, row-major.
    pub(super) core: Vec<f64>,
    pub(super) n_core: usize,
    /// One for each slot behind the core.
    pub(super) rest: Vec<f64>,
}

impl Gram {
    /// Sums up the rows of `design`.
    pub(super) fn new(design: &Design, weights: &[f64]) -> Self {
        let (d, n) = (design.n_dense, design.n_core);
        let mut sums = Self {
            core: vec![0.0; n * n],
            n_core: n,
            rest: vec![0.0; design.n_slots - n],
        };
        let mut columns = vec![0.0; d * BLOCK];
        let mut weighted = vec![0.0; d * BLOCK];
        for first in (0..design.n_rows()).step_by(BLOCK) {
            let rows = first..design.n_rows().min(first + BLOCK);
            let n_rows = rows.len();
            for (k, row) in rows.clone().enumerate() {
                for (j, &x) in design.dense(row).iter().enumerate() {
                    columns[j * BLOCK + k] = f64::from(x);
                    weighted[j * BLOCK + k] = f64::from(x) * weights[row];
                }
            }
            for i in n..d {
                let of_i = &weighted[i * BLOCK..][..n_rows];
                sums.rest[i - n] += dot(of_i, &columns[i * BLOCK..][..n_rows]);
            }
            for i in 0..d.min(n) {
                let of_i = &weighted[i * BLOCK..][..n_rows];
                for j in 0..=i {
                    sums.core[i * n + j] += dot(of_i, &columns[j * BLOCK..][..n_rows]);
                }
            }
            for row in rows {
                sums.add_sparse(design, row, weights[row]);
            }
        }
        sums
    }

    /// Adds the products of a row's sparse slots with its dense ones and with each other.
    fn add_sparse(&mut self, design: &Design, row: usize, weight: f64) {
        let n = self.n_core;
        for (slot, value) in design.sparse(row) {
            let factor = weight * value;
            if slot >= n {
                self.rest[slot - n] += factor * value;
                continue;
            }
            let of_slot = &mut self.core[slot * n..][..n];
            for (sum, &x) in of_slot.iter_mut().zip(design.dense(row)) {
                *sum += factor * f64::from(x);
            }
            // Slots of a row do not repeat and need no order: each pair is met twice, its lower half kept.
            for (other, x) in design.sparse(row) {
                if other <= slot {
                    of_slot[other] += factor * x;
                }
            }
        }
    }
}
