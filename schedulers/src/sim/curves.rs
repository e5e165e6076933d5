//! Learning curves that any language can make from a seed: LC-1, LC-1x and LC-2.

use crate::ids::{Epochs, TrialId};
use crate::sim::World;

/// Weyl increment of SplitMix64.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Full training of every curve, in epochs.
pub const FULL: Epochs = 81;

/// What the curves of a benchmark have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// LC-1: `a` and `d` are independent, so that early scores say much of late ones.
    Plain,
    /// LC-2: `d` falls with `a`, so that what starts worst ends best ("late bloomers").
    LateBloomers,
}

/// Curves of one seed. Curve `i` is `a + d * r^-k`, falling; the best possible loss is 0.
#[derive(Clone, Copy, Debug)]
pub struct Curves {
    /// Chooses the curves.
    pub seed: u64,
    /// Standard deviation of what is observed.
    pub sigma: f64,
    /// LC-1 or LC-2.
    pub shape: Shape,
}

/// One step of SplitMix64.
pub(super) const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(GOLDEN);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Curves {
    /// LC-1.
    #[must_use]
    pub const fn lc1(seed: u64, sigma: f64) -> Self {
        Self {
            seed,
            sigma,
            shape: Shape::Plain,
        }
    }

    /// LC-2, whose observations always have a deviation of 0.02.
    #[must_use]
    pub const fn lc2(seed: u64) -> Self {
        Self {
            seed,
            sigma: 0.02,
            shape: Shape::LateBloomers,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a float exactly")]
    pub(super) fn u(self, i: u64, j: u64) -> f64 {
        (mix(mix(mix(self.seed).wrapping_add(i)).wrapping_add(j)) >> 11) as f64
            / (1_u64 << 53) as f64
    }

    /// The three numbers in 0 .. 1 that make curve `i`.
    #[must_use]
    pub fn point(self, i: u64) -> [f64; 3] {
        [0, 1, 2].map(|j| self.u(i, j))
    }

    /// The true loss of the curve of a point at `r` epochs.
    #[must_use]
    pub fn loss_of(self, [u0, u1, u2]: [f64; 3], r: Epochs) -> f64 {
        let (a, k) = (0.5 * u0, 0.3 + 1.2 * u2);
        let d = match self.shape {
            Shape::Plain => 0.5 * u1,
            Shape::LateBloomers => 0.6 * (1.0 - 2.0 * a) + 0.1 * u1,
        };
        a + d * f64::from(r).powf(-k)
    }

    /// The true loss of curve `i` at `r` epochs.
    #[must_use]
    pub fn loss(self, i: u64, r: Epochs) -> f64 {
        self.loss_of(self.point(i), r)
    }

    /// By how much an observation of the `i`-th trial at `r` epochs errs.
    #[must_use]
    pub fn noise(self, i: u64, r: Epochs) -> f64 {
        let sum: f64 = (0..4)
            .map(|q| self.u(i, 1000 + 12 * u64::from(r) + q))
            .sum();
        self.sigma * 3_f64.sqrt() * (sum - 2.0)
    }

    /// What is observed of curve `i`.
    #[must_use]
    pub fn observed(self, i: u64, r: Epochs) -> f64 {
        self.loss(i, r) + self.noise(i, r)
    }
}

/// Trial `n` has curve `n - 1`: trials count from 1, curves from 0.
impl World for Curves {
    fn ask(&mut self, _: TrialId) -> bool {
        true
    }

    fn observe(&mut self, trial: TrialId, epochs: Epochs) -> f64 {
        self.observed(index(trial), epochs)
    }

    fn truth(&self, trial: TrialId) -> f64 {
        self.loss(index(trial), FULL)
    }
}

/// The curve of a trial. The baseline has the first one's.
#[must_use]
pub fn index(trial: TrialId) -> u64 {
    u64::from(trial.0.saturating_sub(1))
}
