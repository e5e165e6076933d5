//! Randomness, derived and never ambient: one stream for each purpose and index, from the run's seed.
//!
//! So adding a trial, or drawing one number more in one place, changes nothing elsewhere.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The seed of one stream. `purpose` names what it is for ("sampler", "trial", "split"); `index` tells
/// streams of one purpose apart (a trial's number).
#[must_use]
pub fn derive(run_seed: u64, purpose: &str, index: u64) -> u64 {
    let mut key = Vec::with_capacity(purpose.len() + 8);
    key.extend_from_slice(purpose.as_bytes());
    key.extend_from_slice(&index.to_le_bytes());
    xxh3_64_with_seed(&key, run_seed)
}

/// The generator of a stream: the same on every machine.
#[must_use]
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A number in [0, 1) with 53 random bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits fit a float exactly")]
pub fn unit(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_fixed_for_all_time() {
        // A change here changes every seeded run there ever was.
        assert_eq!(derive(42, "trial", 0), 7_048_490_736_098_031_870);
        assert_eq!(rng(42).next_u64(), 12_578_764_544_318_200_737);
    }

    #[test]
    fn seed_purpose_and_index_each_make_another_stream() {
        let base = derive(1, "a", 1);
        assert!(
            [derive(2, "a", 1), derive(1, "b", 1), derive(1, "a", 2)]
                .iter()
                .all(|other| *other != base)
        );
    }

    #[test]
    fn units_lie_in_the_half_open_interval_and_spread() {
        let mut rng = rng(7);
        let drawn: Vec<f64> = (0..10_000).map(|_| unit(&mut rng)).collect();
        assert!(drawn.iter().all(|u| (0.0..1.0).contains(u)));
        let mean = drawn.iter().sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
