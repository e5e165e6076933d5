//! LC-1: learning curves that any language can make from a seed (search.md, 1.6).

/// Weyl increment of SplitMix64.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Curves of one seed. Curve `i` is `a + d * r^-k`, falling; the best possible loss is 0.
#[derive(Clone, Copy, Debug)]
pub struct Lc1 {
    /// Chooses the curves.
    pub seed: u64,
    /// Standard deviation of what is observed.
    pub sigma: f64,
}

/// One step of SplitMix64.
pub(super) const fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(GOLDEN);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl Lc1 {
    /// Full training of the benchmark.
    pub const FULL: u32 = 81;

    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a float exactly")]
    pub(super) fn u(self, i: u64, j: u64) -> f64 {
        (mix(mix(mix(self.seed).wrapping_add(i)).wrapping_add(j)) >> 11) as f64
            / (1_u64 << 53) as f64
    }

    /// The true loss of curve `i` at `r` epochs.
    #[must_use]
    pub fn loss(self, i: u64, r: u32) -> f64 {
        let (a, d, k) = (
            0.5 * self.u(i, 0),
            0.5 * self.u(i, 1),
            0.3 + 1.2 * self.u(i, 2),
        );
        a + d * f64::from(r).powf(-k)
    }

    /// What is observed of it.
    #[must_use]
    pub fn observed(self, i: u64, r: u32) -> f64 {
        let noise: f64 = (0..4)
            .map(|q| self.u(i, 1000 + 12 * u64::from(r) + q))
            .sum::<f64>()
            - 2.0;
        self.loss(i, r) + self.sigma * 3_f64.sqrt() * noise
    }
}
