//! The scale of a numeric target.

use serde::{Deserialize, Serialize};

/// Mean, spread and range of the target in training, for standardising it and for clamping predictions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TargetScale {
    /// The mean.
    pub mean: f64,
    /// The standard deviation (of the population); 1 for a constant target, so that it can be divided by.
    pub sd: f64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

impl TargetScale {
    /// Fits on `rows`, whose targets are finite. Rows weigh the same.
    pub fn fit(target: &[f32], rows: &[u32]) -> Self {
        let values = || {
            rows.iter()
                .map(|&row| f64::from(target[row as usize]))
                .filter(|x| x.is_finite())
        };
        let n = values().count().max(1) as f64;
        let mean = values().sum::<f64>() / n;
        let sd = (values().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        let (min, max) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| {
            (min.min(x), max.max(x))
        });
        Self {
            mean,
            sd: if sd > 0.0 { sd } else { 1.0 },
            min: min.min(max),
            max: max.max(min),
        }
    }

    /// The target as the model sees it.
    pub fn standardise(&self, x: f64) -> f64 {
        (x - self.mean) / self.sd
    }

    /// A prediction in the target's own unit.
    pub fn restore(&self, x: f64) -> f64 {
        x * self.sd + self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_that_of_the_training_rows() {
        let scale = TargetScale::fit(&[2.0, 4.0, 6.0, 100.0], &[0, 1, 2]);
        assert!((scale.mean - 4.0).abs() < 1e-12 && (scale.sd - 1.632_993).abs() < 1e-6);
        assert_eq!((scale.min, scale.max), (2.0, 6.0));
        assert!((scale.restore(scale.standardise(17.5)) - 17.5).abs() < 1e-9);
    }

    #[test]
    fn a_constant_target_can_be_standardised() {
        let scale = TargetScale::fit(&[3.0, 3.0], &[0, 1]);
        assert!(scale.standardise(3.0).abs() < 1e-12 && (scale.restore(0.0) - 3.0).abs() < 1e-12);
    }
}
