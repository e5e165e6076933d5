//! Numbers: how missing ones are filled and all are scaled, as a few constants a column.

use serde::{Deserialize, Serialize};

use super::precision::narrow;
use super::{Recode, normal, quantiles};

/// How a column of numbers is scaled. The first five are Ludwig's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normalization {
    /// As it is.
    None,
    /// Mean 0, standard deviation 1.
    Zscore,
    /// From 0 to 1.
    Minmax,
    /// ln(1 + x); below zero its mirror image -ln(1 - x), where Ludwig refuses the column.
    Log1p,
    /// (x - median) / interquartile range.
    Iq,
    /// The same; RealMLP's name for it, usually with the smooth clip.
    Robust,
    /// By rank onto a normal distribution.
    Quantile,
}

/// What stands for a missing number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// A constant.
    Constant(f64),
    /// The mean of the training rows.
    Mean,
    /// Their median.
    Median,
    /// Their most frequent value.
    Mode,
}

impl Fill {
    /// The same for a column that is written otherwise: a constant is given in the unit of the column.
    #[must_use]
    pub fn written(self, recode: Option<Recode>) -> Self {
        match (self, recode) {
            (Self::Constant(value), Some(recode)) => Self::Constant(recode.apply(value)),
            (Self::Constant(_) | Self::Mean | Self::Median | Self::Mode, _) => self,
        }
    }
}

/// What is asked of a column of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NumberSpec {
    /// How it is scaled.
    pub normalization: Normalization,
    /// What stands for a missing number, before scaling.
    pub fill: Fill,
    /// Whether the scaled value x becomes x / sqrt(1 + (x / 3)^2), so that it stays within 3.
    pub clip: bool,
    /// Whether a second output says where the number was missing.
    pub indicator: bool,
}

/// A fitted column: `x` becomes `clip((log1p(fill(x)) - center) * factor)`, or a normal quantile.
///
/// A constant column has factor 0, and so has one without any value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberCoding {
    /// Stands for NaN and infinities.
    pub fill: f32,
    /// Whether the logarithm is taken first.
    pub log1p: bool,
    /// Subtracted.
    pub center: f32,
    /// Multiplied by.
    pub factor: f32,
    /// Whether the smooth clip is applied last.
    pub clip: bool,
    /// Whether there is an indicator beside it: asked for, and some training row has no value.
    pub indicator: bool,
    /// With [`Normalization::Quantile`]: values at evenly spaced shares, ascending; else empty.
    pub quantiles: Vec<f32>,
}

/// Points of the distribution that [`Normalization::Quantile`] keeps, as scikit-learn's default.
const N_QUANTILES: usize = 1000;

/// Shares are kept off 0 and 1 by this much, so that a normal quantile stays within 5.2.
const SHARE_MARGIN: f64 = 1e-7;

impl NumberCoding {
    /// Fits columns of the row-major array `numbers` of `width` columns on `rows`: for each spec its
    /// column. One pass for moments and one for a sample of order statistics, whatever the columns.
    pub fn fit(
        numbers: &[f32],
        width: usize,
        rows: &[u32],
        specs: &[(usize, NumberSpec)],
    ) -> Vec<Self> {
        let mut moments = vec![Moments::default(); specs.len()];
        for &row in rows {
            let row = &numbers[row as usize * width..][..width];
            for (moments, &(column, _)) in moments.iter_mut().zip(specs) {
                moments.add(row[column]);
            }
        }
        let mut samples = vec![Vec::new(); specs.len()];
        for row in quantiles::sample(rows) {
            let row = &numbers[row as usize * width..][..width];
            for (sample, &(column, spec)) in samples.iter_mut().zip(specs) {
                if spec.needs_order() && row[column].is_finite() {
                    sample.push(row[column]);
                }
            }
        }
        let columns = specs.iter().zip(moments).zip(samples);
        columns
            .map(|((&(_, spec), moments), sample)| Self::from_column(spec, moments, sample))
            .collect()
    }

    fn from_column(spec: NumberSpec, moments: Moments, mut sample: Vec<f32>) -> Self {
        sample.sort_unstable_by(f32::total_cmp);
        let fill = match spec.fill {
            Fill::Constant(value) => value,
            Fill::Mean => moments.mean(),
            Fill::Median => quantiles::at(&sample, 0.5),
            Fill::Mode => quantiles::mode(&sample),
        };
        let (center, spread) = match spec.normalization {
            Normalization::None | Normalization::Log1p | Normalization::Quantile => (0.0, 1.0),
            Normalization::Zscore => (moments.mean(), moments.sd()),
            Normalization::Minmax => (f64::from(moments.min), moments.range()),
            Normalization::Iq | Normalization::Robust => {
                (quantiles::at(&sample, 0.5), robust_spread(&sample, moments))
            }
        };
        let usable = moments.n > 0 && spread > 0.0 && spread.is_finite();
        let points = if spec.normalization == Normalization::Quantile {
            spaced(&sample)
        } else {
            Vec::new()
        };
        Self {
            fill: if fill.is_finite() { narrow(fill) } else { 0.0 },
            log1p: spec.normalization == Normalization::Log1p,
            center: if usable { narrow(center) } else { 0.0 },
            factor: if usable { narrow(1.0 / spread) } else { 0.0 },
            clip: spec.clip,
            indicator: spec.indicator && moments.n_missing > 0,
            quantiles: points,
        }
    }

    /// How many outputs the column has: itself, and its indicator if there is one.
    pub fn width(&self) -> usize {
        1 + usize::from(self.indicator)
    }

    /// The scaled value. Never NaN.
    pub fn apply(&self, x: f32) -> f32 {
        let x = if x.is_finite() { x } else { self.fill };
        let x = if self.log1p {
            x.abs().ln_1p().copysign(x)
        } else {
            x
        };
        let x = if self.quantiles.is_empty() {
            (x - self.center) * self.factor
        } else {
            self.to_normal(x)
        };
        if self.clip { smooth_clip(x) } else { x }
    }

    /// Rank by interpolation between the kept points, from both sides so that a value which holds a whole
    /// range of ranks gets the middle of it; then the normal quantile of that share.
    fn to_normal(&self, x: f32) -> f32 {
        let points = &self.quantiles;
        let steps = (points.len() - 1) as f64;
        if steps == 0.0 {
            return 0.0;
        }
        let below = points.partition_point(|&p| p < x);
        let not_above = points.partition_point(|&p| p <= x);
        let place = if below < not_above {
            0.5 * (below + not_above - 1) as f64
        } else if below == 0 {
            0.0
        } else if below == points.len() {
            steps
        } else {
            let (a, b) = (f64::from(points[below - 1]), f64::from(points[below]));
            (below - 1) as f64 + (f64::from(x) - a) / (b - a)
        };
        narrow(normal::quantile(
            (place / steps).clamp(SHARE_MARGIN, 1.0 - SHARE_MARGIN),
        ))
    }
}

impl NumberSpec {
    fn needs_order(&self) -> bool {
        let by_order = match self.normalization {
            Normalization::Iq | Normalization::Robust | Normalization::Quantile => true,
            Normalization::None
            | Normalization::Zscore
            | Normalization::Minmax
            | Normalization::Log1p => false,
        };
        by_order || matches!(self.fill, Fill::Median | Fill::Mode)
    }
}

/// x / sqrt(1 + (x / 3)^2): near x for small x, within 3 always (Holzmüller et al., RealMLP, 2024).
pub fn smooth_clip(x: f32) -> f32 {
    let third = x / 3.0;
    x / (1.0 + third * third).sqrt()
}

/// The interquartile range; where it is zero, half of the range; zero for a constant column (pytabkit's
/// robust scaling, which RealMLP's results are with).
fn robust_spread(sorted: &[f32], moments: Moments) -> f64 {
    let quartiles = quantiles::at(sorted, 0.75) - quantiles::at(sorted, 0.25);
    if quartiles > 0.0 {
        quartiles
    } else {
        0.5 * moments.range()
    }
}

fn spaced(sorted: &[f32]) -> Vec<f32> {
    let n = sorted.len().min(N_QUANTILES);
    if n < 2 {
        return vec![sorted.first().copied().unwrap_or(0.0)];
    }
    (0..n)
        .map(|i| narrow(quantiles::at(sorted, i as f64 / (n - 1) as f64)))
        .collect()
}

/// Running moments of the finite values, in double precision around the first of them.
#[derive(Debug, Clone, Copy)]
struct Moments {
    n: u64,
    n_missing: u64,
    origin: f64,
    sum: f64,
    squares: f64,
    min: f32,
    max: f32,
}

impl Default for Moments {
    fn default() -> Self {
        Self {
            n: 0,
            n_missing: 0,
            origin: 0.0,
            sum: 0.0,
            squares: 0.0,
            min: f32::INFINITY,
            max: f32::NEG_INFINITY,
        }
    }
}

impl Moments {
    fn add(&mut self, x: f32) {
        if !x.is_finite() {
            self.n_missing += 1;
            return;
        }
        if self.n == 0 {
            self.origin = f64::from(x);
        }
        let d = f64::from(x) - self.origin;
        self.n += 1;
        self.sum += d;
        self.squares += d * d;
        self.min = self.min.min(x);
        self.max = self.max.max(x);
    }

    fn mean(&self) -> f64 {
        self.origin + self.sum / self.n as f64
    }

    /// Of the sample, as pandas and so Ludwig takes it.
    fn sd(&self) -> f64 {
        if self.n < 2 || self.min >= self.max {
            return 0.0;
        }
        let n = self.n as f64;
        ((self.squares - self.sum * self.sum / n).max(0.0) / (n - 1.0)).sqrt()
    }

    fn range(&self) -> f64 {
        if self.n == 0 {
            0.0
        } else {
            f64::from(self.max) - f64::from(self.min)
        }
    }
}

#[cfg(test)]
mod tests;
