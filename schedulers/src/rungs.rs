//! The levels of resource at which trials are judged, up to full training R.

use crate::ids::Epochs;

/// Levels in epochs. Invariant: strictly increasing, each at least 1, the last is R.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rungs(Vec<Epochs>);

impl Rungs {
    /// Nothing but R: no trial is judged on its way. R is at least 1.
    #[must_use]
    pub fn none(full: Epochs) -> Self {
        Self(vec![full.max(1)])
    }

    /// The minima of the coslog4 schedule, R/15, R/5 and 7R/15, in whole epochs: judging in mid-cycle, at a
    /// high rate, misleads.
    #[must_use]
    pub fn coslog4(full: Epochs) -> Self {
        let at = |numerator: u64| {
            let rounded = (2 * numerator * u64::from(full) + 15) / 30;
            Epochs::try_from(rounded)
                .expect("a fraction of R is no more than R")
                .max(1)
        };
        Self::below(full, [at(1), at(3), at(7)])
    }

    /// `min * factor^k`, by multiplication: the logarithm of 243 to base 3 is 4.999999999999999 in floats.
    /// A factor under 2 gives the first level alone.
    #[must_use]
    pub fn geometric(min: Epochs, factor: u32, full: Epochs) -> Self {
        let next = |level: &Epochs| {
            if factor < 2 {
                None
            } else {
                level.checked_mul(factor)
            }
        };
        Self::below(
            full,
            std::iter::successors(Some(min.max(1)), next).take_while(|level| *level < full),
        )
    }

    /// The distinct ones under R, and R.
    fn below(full: Epochs, levels: impl IntoIterator<Item = Epochs>) -> Self {
        let full = full.max(1);
        let mut levels: Vec<Epochs> = levels
            .into_iter()
            .filter(|level| *level < full)
            .chain([full])
            .collect();
        levels.dedup();
        Self(levels)
    }

    /// All levels, R included.
    #[must_use]
    pub fn levels(&self) -> &[Epochs] {
        &self.0
    }

    /// The levels at which trials are judged: all but R.
    #[must_use]
    pub fn judged(&self) -> &[Epochs] {
        &self.0[..self.0.len() - 1]
    }

    /// Full training, R.
    #[must_use]
    pub fn full(&self) -> Epochs {
        *self.0.last().expect("R is always there")
    }

    /// The first level above `epochs`; R from R on.
    #[must_use]
    pub fn next(&self, epochs: Epochs) -> Epochs {
        self.0
            .iter()
            .copied()
            .find(|level| *level > epochs)
            .unwrap_or(self.full())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometric_levels_are_those_of_asha() {
        let check = |min, full, factor, expected: &[Epochs]| {
            assert_eq!(
                Rungs::geometric(min, factor, full).levels(),
                expected,
                "({min},{full},{factor})"
            );
        };
        check(1, 27, 3, &[1, 3, 9, 27]);
        check(1, 81, 3, &[1, 3, 9, 27, 81]);
        check(1, 100, 4, &[1, 4, 16, 64, 100]);
        check(10, 100, 3, &[10, 30, 90, 100]);
        check(3, 27, 3, &[3, 9, 27]);
        check(1, 243, 3, &[1, 3, 9, 27, 81, 243]); // log(243)/log(3) = 4.999999999999999
        check(1, 1000, 10, &[1, 10, 100, 1000]); // log(1000)/log(10) = 2.9999999999999996
        check(1, 16, 2, &[1, 2, 4, 8, 16]);
        check(5, 3, 3, &[3]);
        check(0, 3, 3, &[1, 3]);
        check(2, 9, 1, &[2, 9]);
        check(1, u32::MAX, 65536, &[1, 65536, u32::MAX]);
    }

    #[test]
    fn coslog4_levels_are_whole_distinct_and_at_least_one() {
        let check = |full, expected: &[Epochs]| {
            assert_eq!(Rungs::coslog4(full).levels(), expected, "R = {full}")
        };
        check(256, &[17, 51, 119, 256]);
        check(128, &[9, 26, 60, 128]);
        check(64, &[4, 13, 30, 64]);
        check(32, &[2, 6, 15, 32]);
        check(16, &[1, 3, 7, 16]);
        check(15, &[1, 3, 7, 15]);
        check(4, &[1, 2, 4]);
        check(2, &[1, 2]);
        check(1, &[1]);
        check(0, &[1]);
        for full in 1..2000 {
            let levels = Rungs::coslog4(full);
            assert!(
                levels.levels().windows(2).all(|pair| pair[0] < pair[1]) && levels.levels()[0] >= 1
            );
            assert_eq!(levels.full(), full);
        }
    }

    #[test]
    fn the_next_level_lies_above_and_ends_at_full() {
        let rungs = Rungs::geometric(1, 3, 10);
        let next: Vec<Epochs> = (0..12).map(|epochs| rungs.next(epochs)).collect();
        assert_eq!(next, [1, 3, 3, 9, 9, 9, 9, 9, 9, 10, 10, 10]);
        assert_eq!(rungs.judged(), [1, 3, 9]);
    }
}
