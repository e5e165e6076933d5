//! Our own stream of random numbers: first weights, shuffles and dropout.
//!
//! libtorch's generator has no state that can be saved through tch, and its values may change
//! between versions. This one is xoshiro256++ (Blackman and Vigna, "Scrambled Linear Pseudorandom
//! Number Generators", 2018), seeded by SplitMix64. A stream is made anew for each purpose and
//! epoch, so its state never has to be saved.

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream {
    state: [u64; 4],
}

impl Stream {
    /// The stream of a seed and a purpose.
    pub fn new(seed: u64, purpose: &str, index: u64) -> Self {
        let mut x = search::seed::derive(seed, purpose, index);
        let mut next = || {
            x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = x;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        };
        Self {
            state: [next(), next(), next(), next()],
        }
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in `0..n` (multiply and shift; the bias is below n / 2^64).
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from((u128::from(self.next_u64()) * n as u128) >> 64).expect("below n, a usize")
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Shuffles in place (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_and_depends_on_seed_purpose_and_index() {
        let shuffled = |seed, purpose, index| {
            let mut items: Vec<u32> = (0..100).collect();
            Stream::new(seed, purpose, index).shuffle(&mut items);
            items
        };
        let first = shuffled(1, "rows", 1);
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_eq!(first, shuffled(1, "rows", 1));
        for other in [
            shuffled(2, "rows", 1),
            shuffled(1, "weights", 1),
            shuffled(1, "rows", 2),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut stream = Stream::new(7, "test", 0);
        let draws: Vec<f64> = (0..20_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| x * x).sum::<f64>() / draws.len() as f64;
        assert!(
            mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05,
            "{mean} {variance}"
        );
    }
}
