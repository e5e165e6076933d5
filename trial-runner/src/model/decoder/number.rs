//! A real number: a linear output, several losses, predictions as the target is written in the arrays.
//!
//! Three units: that of the column; that of the arrays, which is a [`Recode`] of it for columns that single precision
//! would not hold, else the same; and that of the network's output. Relative losses, logarithms and bounds speak of
//! the column.

use datasets::encode::{Recode, TargetScale};
use search::config::model::{Clip, Normalization, NumberLoss};

use super::Targets;
use crate::error::{Error, Result};
use crate::precision::narrow;

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
}

/// From the unit of the arrays to that of the network: `(f(a) - shift) * factor`.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Whether `f` is sign(y) ln(1 + |y|) of the value y in the unit of the column.
    log1p: bool,
    /// How the unit of the arrays differs from that of the column.
    recode: Option<Recode>,
    shift: f64,
    factor: f64,
}

impl Scale {
    /// Logarithms of a column that is recoded for its narrow range have a narrow range too: they are recoded in turn,
    /// so that the single precision of the network tells them apart.
    fn of_logarithms(target: &TargetScale, recode: Option<Recode>) -> Self {
        let plain = Self {
            log1p: true,
            recode,
            shift: 0.0,
            factor: 1.0,
        };
        let (min, max) = (plain.to_network(target.min), plain.to_network(target.max));
        match recode.and_then(|_| Recode::of(min, max)) {
            Some(logarithms) => Self {
                shift: logarithms.offset,
                factor: logarithms.scale,
                ..plain
            },
            None => plain,
        }
    }

    fn to_network(self, a: f64) -> f64 {
        let inner = if self.log1p {
            let y = self.to_column(a);
            y.abs().ln_1p().copysign(y)
        } else {
            a
        };
        (inner - self.shift) * self.factor
    }

    fn to_arrays(self, z: f64) -> f64 {
        let inner = z / self.factor + self.shift;
        if self.log1p {
            written(inner.abs().exp_m1().copysign(inner), self.recode)
        } else {
            inner
        }
    }

    /// The derivative of `to_arrays` at `z`.
    fn slope(self, z: f64) -> f64 {
        let inner = z / self.factor + self.shift;
        if self.log1p {
            inner.abs().exp() * self.unit() / self.factor
        } else {
            1.0 / self.factor
        }
    }

    fn to_column(self, a: f64) -> f64 {
        self.recode.map_or(a, |recode| recode.restore(a))
    }

    /// How far apart two values are in the arrays that differ by 1 in the column.
    fn unit(self) -> f64 {
        self.recode.map_or(1.0, |recode| recode.scale)
    }
}

impl Number {
    /// A head for a target of this scale in training, in the unit of the arrays; `clip` is in that of the column.
    pub fn new(
        loss: NumberLoss,
        normalization: Normalization,
        clip: Option<Clip>,
        target: &TargetScale,
        recode: Option<Recode>,
    ) -> Result<Self> {
        let range = target.max - target.min;
        let linear = |shift, factor| Scale {
            log1p: false,
            recode,
            shift,
            factor,
        };
        let scale = match normalization {
            Normalization::None => linear(0.0, 1.0),
            Normalization::Zscore => linear(target.mean, 1.0 / target.sd),
            Normalization::Minmax => {
                linear(target.min, if range > 0.0 { 1.0 / range } else { 1.0 })
            }
            Normalization::Log1p => Scale::of_logarithms(target, recode),
            Normalization::Iq | Normalization::Robust | Normalization::Quantile => {
                return Err(Error::Config(format!(
                    "a number output cannot be scaled by {normalization:?}; known: zscore, minmax, log1p, none"
                )
                .to_lowercase()));
            }
        };
        let bounds = clip.map(|clip| match clip {
            Clip::Range(low, high) => (written(low, recode), written(high, recode)),
            Clip::TrainingRange => (target.min, target.max),
        });
        Ok(Self {
            loss,
            scale,
            bounds,
        })
    }

    /// How predictions differ from the unit of the column.
    pub(super) fn recode(&self) -> Option<Recode> {
        self.scale.recode
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
        // The difference is taken in the arrays, where no offset swallows its digits.
        let size = || self.scale.to_column(target).abs().max(LEAST) * self.scale.unit();
        let relative = || (self.scale.to_arrays(z) - target) / size();
        let relative_slope = || self.scale.slope(z) / size();
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

    /// Turns outputs into predictions, as the target is written in the arrays.
    pub fn predictions(&self, outputs: &mut [f32]) {
        for z in outputs {
            let a = self.scale.to_arrays(f64::from(*z));
            *z = narrow(self.bounds.map_or(a, |(low, high)| a.max(low).min(high)));
        }
    }
}

/// A value in the unit of the column, as the arrays have it.
fn written(y: f64, recode: Option<Recode>) -> f64 {
    recode.map_or(y, |recode| recode.apply(y))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns that are recoded: for a large offset, for their magnitude, and with both signs.
    const COLUMNS: [[f64; 3]; 3] = [
        [1.6e9, 1.6e9 + 40.0, 1.6e9 + 100.0],
        [1e300, 2e300, 3e300],
        [-3e20, -2e20, 1e20],
    ];

    const RELATIVE: [NumberLoss; 2] = [
        NumberLoss::MeanAbsolutePercentageError,
        NumberLoss::RootMeanSquaredPercentageError,
    ];

    /// A head for the column as it is, one for the column as it is recoded, and the recode.
    fn heads(
        loss: NumberLoss,
        normalization: Normalization,
        column: [f64; 3],
    ) -> (Number, Number, Recode) {
        let recode = Recode::of(column[0], column[2]).unwrap();
        let head = |recode: Option<Recode>| {
            let target = TargetScale {
                mean: 0.0,
                sd: 1.0,
                min: written(column[0], recode),
                max: written(column[2], recode),
            };
            Number::new(loss, normalization, None, &target, recode).unwrap()
        };
        (head(None), head(Some(recode)), recode)
    }

    fn near(got: f64, expected: f64, tolerance: f64) {
        assert!(
            (got - expected).abs() <= tolerance * expected.abs(),
            "{got}, expected {expected}"
        );
    }

    #[test]
    fn a_relative_loss_is_that_of_the_column_however_it_is_written() {
        for column in COLUMNS {
            for loss in RELATIVE {
                let (plain, recoded, recode) = heads(loss, Normalization::Minmax, column);
                for y in column {
                    for z in [-0.3, 0.2, 1.1] {
                        let expected = plain.of_row(z, y);
                        let got = recoded.of_row(z, recode.apply(y));
                        near(got.0, expected.0, 1e-6);
                        near(got.1, expected.1, 1e-6);
                    }
                }
            }
        }
    }

    #[test]
    fn a_relative_loss_of_a_logarithm_is_that_of_the_column_however_it_is_written() {
        for column in COLUMNS {
            for loss in RELATIVE {
                let (plain, recoded, recode) = heads(loss, Normalization::Log1p, column);
                let Scale { shift, factor, .. } = recoded.scale;
                let z = plain
                    .scale
                    .to_network(column[0] + 0.2 * (column[2] - column[0]));
                for y in column {
                    let expected = plain.of_row(z, y);
                    let got = recoded.of_row((z - shift) * factor, recode.apply(y));
                    near(got.0, expected.0, 1e-5);
                    near(got.1 * factor, expected.1, 1e-5);
                }
            }
        }
    }

    #[test]
    fn a_logarithm_is_that_of_the_column_however_it_is_written_and_comes_back() {
        for column in COLUMNS {
            let (plain, recoded, recode) =
                heads(NumberLoss::MeanSquaredError, Normalization::Log1p, column);
            let Scale { shift, factor, .. } = recoded.scale;
            for y in column {
                let z = recoded.scale.to_network(recode.apply(y));
                near(z / factor + shift, plain.scale.to_network(y), 1e-12);
                let mut outputs = [narrow(z)];
                recoded.predictions(&mut outputs);
                let back = recode.restore(f64::from(outputs[0]));
                let error = (back - y).abs();
                assert!(
                    error <= 1e-4 * (column[2] - column[0]),
                    "{y} comes back as {back}"
                );
            }
        }
    }

    #[test]
    fn bounds_are_in_the_unit_of_the_column() {
        let [min, _, max] = COLUMNS[0];
        let recode = Recode::of(min, max).unwrap();
        let target = TargetScale {
            mean: 0.0,
            sd: 1.0,
            min: recode.apply(min),
            max: recode.apply(max),
        };
        let clip = Some(Clip::Range(min + 10.0, max - 10.0));
        let (loss, normalization) = (NumberLoss::MeanSquaredError, Normalization::Minmax);
        let head = Number::new(loss, normalization, clip, &target, Some(recode)).unwrap();
        let mut outputs = [-9.0, 9.0];
        head.predictions(&mut outputs);
        for (got, expected) in outputs.iter().zip([min + 10.0, max - 10.0]) {
            let got = recode.restore(f64::from(*got));
            assert!((got - expected).abs() < 1e-3, "{got}, expected {expected}");
        }
    }
}
