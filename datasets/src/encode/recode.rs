//! Columns of numbers that single precision would not hold as they are.

use serde::{Deserialize, Serialize};

/// How a column is written into an array of single precision: `(x - offset) * scale`.
///
/// A recoding of the representation, chosen by the range of all values: it tells nothing about any row or target.
/// Linear scalings (zscore, minmax, iq, robust) and quantiles learn the same from either; log1p and none see the
/// recoded value of an input. Part of every model, so that new tables are read the same way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recode {
    /// Taken away first.
    pub offset: f64,
    /// Multiplied by then; a power of two, which loses nothing.
    pub scale: f64,
}

/// Single precision tells 2^24 values of one magnitude apart. A range of less than this share of the magnitude keeps
/// fewer than 2^12 of them.
const NARROW: f64 = 1.0 / 4096.0;

/// Magnitudes that single precision holds with all its digits, and squares of which it holds at all.
const MAGNITUDES: std::ops::Range<f64> = 1e-18..1e18;

impl Recode {
    /// What a column with finite values from `min` to `max` needs; `None` when it is held as it is or constant.
    #[must_use]
    pub fn of(min: f64, max: f64) -> Option<Self> {
        let magnitude = min.abs().max(max.abs());
        let half = max / 2.0 - min / 2.0;
        let is_held = MAGNITUDES.contains(&magnitude) && 2.0 * half >= magnitude * NARROW;
        if is_held || half <= 0.0 || !half.is_finite() {
            return None;
        }
        let offset = if 2.0 * half < magnitude * NARROW {
            min / 2.0 + max / 2.0
        } else {
            0.0
        };
        let largest = (min - offset).abs().max((max - offset).abs());
        let scale = (-largest.log2().floor()).clamp(-1022.0, 1022.0).exp2();
        Some(Self { offset, scale })
    }

    /// The value as it is written.
    #[must_use]
    pub fn apply(self, x: f64) -> f64 {
        (x - self.offset) * self.scale
    }

    /// The value again.
    #[must_use]
    pub fn restore(self, x: f64) -> f64 {
        x / self.scale + self.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that come back, in single precision between.
    #[expect(clippy::cast_possible_truncation, reason = "what the arrays do")]
    fn back(recode: Recode, x: f64) -> f64 {
        recode.restore(f64::from(recode.apply(x) as f32))
    }

    #[test]
    fn a_column_that_is_held_is_left_alone() {
        for (min, max) in [
            (0.0, 1.0),
            (-1e6, 1e6),
            (1000.0, 2000.0),
            (1e9, 2e9),
            (0.0, 1e12),
            (3.0, 3.0),
        ] {
            assert_eq!(Recode::of(min, max), None, "{min} to {max}");
        }
    }

    #[test]
    fn a_range_that_is_narrow_for_its_offset_comes_back() {
        for (min, max) in [
            (1.6e9, 1.6e9 + 100.0),
            (1e9, 1e9 + 1.0),
            (-5e15, -5e15 + 64.0),
        ] {
            let recode = Recode::of(min, max).unwrap();
            for share in [0.0, 0.1, 0.5, 0.77, 1.0] {
                let x = min + share * (max - min);
                let error = (back(recode, x) - x).abs();
                assert!(error <= (max - min) * 1e-6, "{x}: {error}");
            }
        }
    }

    #[test]
    fn magnitudes_beyond_single_precision_come_back() {
        for (min, max) in [
            (-1e308, 1e308),
            (1e300, 3e300),
            (0.0, 1e-310),
            (-2e-50, 1e-50),
        ] {
            let recode = Recode::of(min, max).unwrap();
            for x in [min, max, max / 3.0] {
                let error = (back(recode, x) - x).abs();
                assert!(error <= max.abs().max(min.abs()) * 1e-6, "{x}: {error}");
            }
        }
    }
}
