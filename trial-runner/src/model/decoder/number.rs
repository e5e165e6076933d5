//! A real number: a linear output, several losses, predictions in the unit of the column.

use datasets::encode::{Recode, TargetScale};
use search::config::model::{Clip, Normalization, NumberLoss};

use super::Targets;
use crate::error::{Error, Result};

/// The least absolute target that relative losses divide by, as in torchmetrics.
const LEAST: f64 = 1.17e-6;

/// The head of a number output.
#[derive(Debug, Clone)]
pub struct Number {
    /// What is minimised.
    loss: NumberLoss,
    scale: Scale,
    /// Bounds on predictions, as the target is written in the arrays.
    bounds: Option<(f64, f64)>,
    /// How that differs from the unit of the column.
    pub(super) recode: Option<Recode>,
}

/// From the unit of the column to that of the network: `(f(y) - shift) * factor`.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Whether `f` is sign(y) ln(1 + |y|).
    log1p: bool,
    shift: f64,
    factor: f64,
}

impl Scale {
    fn to_network(self, y: f64) -> f64 {
        let y = if self.log1p {
            y.abs().ln_1p().copysign(y)
        } else {
            y
        };
        (y - self.shift) * self.factor
    }

    fn to_column(self, z: f64) -> f64 {
        let y = z / self.factor + self.shift;
        if self.log1p {
            y.abs().exp_m1().copysign(y)
        } else {
            y
        }
    }

    /// The derivative of `to_column` at `z`.
    fn slope(self, z: f64) -> f64 {
        let inner = z / self.factor + self.shift;
        if self.log1p {
            inner.abs().exp() / self.factor
        } else {
            1.0 / self.factor
        }
    }
}

impl Number {
    /// A head for a target of this scale in training.
    pub fn new(
        loss: NumberLoss,
        normalization: Normalization,
        clip: Option<Clip>,
        target: &TargetScale,
        recode: Option<Recode>,
    ) -> Result<Self> {
        let range = target.max - target.min;
        let (log1p, shift, factor) = match normalization {
            Normalization::None => (false, 0.0, 1.0),
            Normalization::Zscore => (false, target.mean, 1.0 / target.sd),
            Normalization::Minmax => (
                false,
                target.min,
                if range > 0.0 { 1.0 / range } else { 1.0 },
            ),
            Normalization::Log1p => (true, 0.0, 1.0),
            Normalization::Iq | Normalization::Robust | Normalization::Quantile => {
                return Err(Error::Config(format!(
                    "a number output cannot be scaled by {normalization:?}; known: zscore, minmax, log1p, none"
                )
                .to_lowercase()));
            }
        };
        let bounds = clip.map(|clip| match clip {
            Clip::Range(low, high) => (low, high),
            Clip::TrainingRange => (target.min, target.max),
        });
        Ok(Self {
            loss,
            scale: Scale {
                log1p,
                shift,
                factor,
            },
            bounds,
            recode,
        })
    }

    /// The mean loss of a batch of outputs; overwrites them by its gradient. Relative losses are taken in
    /// the unit of the column, the others in that of the network.
    pub fn loss(&self, outputs: &mut [f32], targets: &Targets) -> f64 {
        let total = f64::from(targets.total_weight());
        let mut sum = 0.0;
        for (row, (z, &target)) in outputs.iter_mut().zip(&targets.values).enumerate() {
            let weight = f64::from(targets.weight(row)) / total;
            let (loss, slope) = self.of_row(f64::from(*z), f64::from(target));
            sum += weight * loss;
            *z = narrow(weight * slope);
        }
        let is_root = match self.loss {
            NumberLoss::RootMeanSquaredError | NumberLoss::RootMeanSquaredPercentageError => true,
            NumberLoss::MeanSquaredError
            | NumberLoss::MeanAbsoluteError
            | NumberLoss::MeanAbsolutePercentageError
            | NumberLoss::Huber { .. } => false,
        };
        if !is_root {
            return sum;
        }
        let root = sum.sqrt();
        let factor = narrow(if root > 0.0 { 0.5 / root } else { 0.0 });
        outputs.iter_mut().for_each(|z| *z *= factor);
        root
    }

    /// The loss of a row and its slope; of the square, where the loss is a root of a mean.
    fn of_row(&self, z: f64, target: f64) -> (f64, f64) {
        let error = z - self.scale.to_network(target);
        let relative = || (self.scale.to_column(z) - target) / target.abs().max(LEAST);
        let relative_slope = || self.scale.slope(z) / target.abs().max(LEAST);
        match self.loss {
            NumberLoss::MeanSquaredError | NumberLoss::RootMeanSquaredError => {
                (error * error, 2.0 * error)
            }
            NumberLoss::MeanAbsoluteError => (error.abs(), sign(error)),
            NumberLoss::MeanAbsolutePercentageError => {
                let error = relative();
                (error.abs(), sign(error) * relative_slope())
            }
            NumberLoss::RootMeanSquaredPercentageError => {
                let error = relative();
                (error * error, 2.0 * error * relative_slope())
            }
            NumberLoss::Huber { delta } if error.abs() <= delta => (0.5 * error * error, error),
            NumberLoss::Huber { delta } => {
                (delta * (error.abs() - 0.5 * delta), delta * sign(error))
            }
        }
    }

    /// Turns outputs into predictions in the unit of the column.
    pub fn predictions(&self, outputs: &mut [f32]) {
        for z in outputs {
            let y = self.scale.to_column(f64::from(*z));
            *z = narrow(self.bounds.map_or(y, |(low, high)| y.max(low).min(high)));
        }
    }
}

fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the arrays hold single precision"
)]
fn narrow(x: f64) -> f32 {
    x as f32
}
