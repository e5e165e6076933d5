//! The constant model: what is predicted without looking at any input.

use datasets::encode::TargetKind;
use datasets::store::{Part, Prepared};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::error::{Error, Result};
use crate::precision::narrow;

/// The name of the one tensor.
const TENSOR: &str = "constant";

/// Which number stands for all numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Centre {
    /// The mean: least squared error.
    Mean,
    /// The median: least absolute error.
    Median,
}

/// Class frequencies, or the mean or median of the target, in the training rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantModel {
    /// The probability of the second of two classes, or of each class, or a number.
    values: Vec<f32>,
}

impl ConstantModel {
    /// Fits on the training rows, which weigh the same.
    pub fn fit(prepared: &Prepared, centre: Centre) -> Self {
        let target = &prepared.manifest().schema.target;
        let of = prepared
            .part(Part::Train)
            .iter()
            .map(|&row| prepared.target()[row as usize]);
        let values = match target.kind {
            TargetKind::Number => vec![centre_of(of.collect(), centre)],
            TargetKind::Binary => vec![frequencies(of, 2)[1]],
            TargetKind::Category => frequencies(of, target.classes.len()),
        };
        Self { values }
    }

    /// Predictions for `n_rows` rows, all the same.
    pub fn predict(&self, n_rows: usize) -> Vec<f32> {
        self.values.repeat(n_rows)
    }

    /// Its values, in the safetensors format.
    pub fn to_safetensors(&self) -> Result<Vec<u8>> {
        let bytes: Vec<u8> = self
            .values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let view = TensorView::new(Dtype::F32, vec![self.values.len()], &bytes)
            .map_err(|e| Error::Bug(e.to_string()))?;
        safetensors::serialize([(TENSOR, view)], None).map_err(|e| Error::Bug(e.to_string()))
    }

    /// The model again, from what [`Self::to_safetensors`] gave.
    pub fn from_safetensors(weights: &[u8]) -> Result<Self> {
        let fault =
            |e: safetensors::SafeTensorError| Error::data(format!("no constant model: {e}"));
        let tensors = SafeTensors::deserialize(weights).map_err(fault)?;
        let tensor = tensors.tensor(TENSOR).map_err(fault)?;
        if tensor.dtype() != Dtype::F32 || tensor.data().is_empty() {
            return Err(Error::data("no constant model: its values are not numbers"));
        }
        Ok(Self {
            values: tensor
                .data()
                .as_chunks::<4>()
                .0
                .iter()
                .map(|bytes| f32::from_le_bytes(*bytes))
                .collect(),
        })
    }
}

/// The share of each class.
fn frequencies(classes: impl Iterator<Item = f32>, n_classes: usize) -> Vec<f32> {
    let mut counts = vec![0_u64; n_classes];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the index of a class"
    )]
    classes.for_each(|class| counts[class as usize] += 1);
    let sum = counts.iter().sum::<u64>().max(1) as f64;
    counts
        .into_iter()
        .map(|count| narrow(count as f64 / sum))
        .collect()
}

fn centre_of(mut numbers: Vec<f32>, centre: Centre) -> f32 {
    let n = numbers.len();
    match centre {
        Centre::Mean => {
            narrow(numbers.iter().map(|&x| f64::from(x)).sum::<f64>() / n.max(1) as f64)
        }
        Centre::Median if n == 0 => 0.0,
        Centre::Median => {
            let (_, upper, _) = numbers.select_nth_unstable_by(n / 2, f32::total_cmp);
            *upper
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_is_as_asked() {
        for (centre, expected) in [(Centre::Mean, 4.0), (Centre::Median, 2.0)] {
            assert!((centre_of(vec![1.0, 9.0, 2.0], centre) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn frequencies_are_shares() {
        assert_eq!(
            frequencies([0.0, 2.0, 2.0, 0.0].into_iter(), 3),
            [0.5, 0.0, 0.5]
        );
    }

    #[test]
    fn a_model_survives_its_file_and_damage_is_refused() {
        let model = ConstantModel {
            values: vec![0.25, 0.75],
        };
        let bytes = model.to_safetensors().unwrap();
        assert_eq!(ConstantModel::from_safetensors(&bytes).unwrap(), model);
        assert_eq!(model.predict(2), [0.25, 0.75, 0.25, 0.75]);
        assert!(ConstantModel::from_safetensors(&bytes[..bytes.len() - 4]).is_err());
    }
}
