//! The linear model: ridge regression for a number, logistic regression for classes.

use datasets::encode::{Recode, Schema, TargetKind, TargetScale};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use search::config::model::{ClassWeights, Clip, Linear, OutputKind};
use serde::{Deserialize, Serialize};

use super::design::Design;
use super::layout::Layout;
use super::logistic::{self, Logistic};
use super::penalty::{Chosen, Loss, choose};
use super::ridge::Ridge;
use super::softmax::{self, Softmax};
use crate::error::{Error, Result};
use crate::model::Arrays;
use crate::precision::narrow;

/// The most training rows that are looked at: more do not change a few hundred weights by anything that shows.
const MAX_ROWS: usize = 300_000;
/// The most terms of texts that are looked at, for the same reason: a pass over so many takes about 50 ms.
const MAX_TERMS: usize = 8_000_000;
/// Rows that are predicted at once.
const BLOCK: usize = 4096;
/// The name of the one tensor.
const TENSOR: &str = "linear.weight";

/// A fitted linear model.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    coding: Coding,
    /// `n_slots` x `width`, row-major; slot 0 is the intercept.
    weights: Vec<f64>,
}

/// All of the model but its weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Coding {
    layout: Layout,
    /// The strength of the penalty that was chosen.
    l2: f64,
    output: Outcome,
}

/// What the weights speak of.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// A standardised number.
    Number {
        scale: TargetScale,
        /// Bounds on predictions.
        bounds: Option<(f64, f64)>,
    },
    /// The log odds of the second class.
    Binary,
    /// A score a class.
    Classes { n_classes: usize },
}

impl Outcome {
    fn width(self) -> usize {
        match self {
            Self::Number { .. } | Self::Binary => 1,
            Self::Classes { n_classes } => n_classes,
        }
    }
}

/// The rows of a fit.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    /// The arrays.
    pub arrays: Arrays<'a>,
    /// The target of every row of the arrays.
    pub target: &'a [f32],
    /// The weight of every row of the arrays.
    pub weights: Option<&'a [f32]>,
    /// Rows to fit on.
    pub train: &'a [u32],
    /// Rows by which the strength of the penalty is chosen; none: the config's is taken.
    pub validation: &'a [u32],
}

impl LinearModel {
    /// Fits the model that `config` describes. Deterministic. On one thread a second is enough for a million
    /// numbers or levels that are not zero.
    pub fn fit(schema: &Schema, config: &Linear, rows: &Rows<'_>) -> Result<Self> {
        let train: Vec<u32> = rows
            .train
            .iter()
            .step_by(rows.train.len().div_ceil(max_rows(&rows.arrays)).max(1))
            .copied()
            .collect();
        if train.is_empty() {
            return Err(Error::data("no row to train on"));
        }
        let layout = Layout::fit(schema, &config.inputs, &rows.arrays, &train)?;
        let classes = ClassFactors::new(&config.output.kind, schema);
        let side = |of: &[u32]| Side::new(&layout, rows, of, &classes);
        let (fitted, judged) = (side(&train), side(rows.validation));
        let judged = Some(&judged).filter(|judged| !judged.target.is_empty());
        let (output, Chosen { l2, weights }) = match schema.target.kind {
            TargetKind::Number => {
                let recode = schema.target.recode;
                fit_number(config, recode, (rows, &train), &fitted, judged)
            }
            TargetKind::Binary => (Outcome::Binary, fit_binary(config.l2, &fitted, judged)),
            TargetKind::Category => {
                let n_classes = schema.target.classes.len();
                (
                    Outcome::Classes { n_classes },
                    fit_classes(config.l2, n_classes, &fitted, judged),
                )
            }
        };
        if weights.iter().any(|weight| !weight.is_finite()) {
            return Err(Error::Diverged { epoch: 1 });
        }
        Ok(Self {
            coding: Coding { layout, l2, output },
            weights,
        })
    }

    /// The strength of the penalty that was chosen: to fit the same model again on more rows.
    pub fn l2(&self) -> f64 {
        self.coding.l2
    }

    /// Weights that were learned.
    pub fn n_params(&self) -> usize {
        self.weights.len()
    }

    /// Whether it reads only what `schema` has; to be asked of a model that was read from disk.
    pub fn fits(&self, schema: &Schema) -> bool {
        self.coding.layout.is_consistent(schema)
    }

    /// Predictions for `rows`: a number each, or the probability of the second of two classes, or one
    /// probability a class.
    pub fn predict(&self, arrays: &Arrays<'_>, rows: &[u32]) -> Vec<f32> {
        let width = self.coding.output.width();
        let mut predictions = Vec::with_capacity(rows.len() * width);
        let mut scores = vec![0.0; width];
        for rows in rows.chunks(BLOCK) {
            let design = self.coding.layout.see(arrays, rows);
            for row in 0..design.n_rows() {
                scores.fill(0.0);
                design.multiply(row, &self.weights, &mut scores);
                self.coding.output.finish(&mut scores);
                predictions.extend(scores.iter().map(|&x| narrow(x)));
            }
        }
        predictions
    }

    /// What a model's `encodings.json` keeps of it, beside the schema.
    pub fn encodings(&self) -> Result<serde_json::Value> {
        serde_json::to_value(&self.coding)
            .map_err(|e| Error::Bug(format!("a linear model that is no JSON: {e}")))
    }

    /// Its weights, in the safetensors format.
    pub fn to_safetensors(&self) -> Result<Vec<u8>> {
        let bytes: Vec<u8> = self
            .weights
            .iter()
            .flat_map(|weight| weight.to_le_bytes())
            .collect();
        let shape = vec![self.coding.layout.n_slots(), self.coding.output.width()];
        let view =
            TensorView::new(Dtype::F64, shape, &bytes).map_err(|e| Error::Bug(e.to_string()))?;
        safetensors::serialize([(TENSOR, view)], None).map_err(|e| Error::Bug(e.to_string()))
    }

    /// The model again, from what [`Self::encodings`] and [`Self::to_safetensors`] gave.
    pub fn from_parts(encodings: &serde_json::Value, weights: &[u8]) -> Result<Self> {
        let coding = Coding::deserialize(encodings)
            .map_err(|e| Error::data(format!("no linear model: {e}")))?;
        let tensors = SafeTensors::deserialize(weights)
            .map_err(|e| Error::data(format!("no linear model: {e}")))?;
        let tensor = tensors
            .tensor(TENSOR)
            .map_err(|e| Error::data(format!("no linear model: {e}")))?;
        let shape = [coding.layout.n_slots(), coding.output.width()];
        if tensor.dtype() != Dtype::F64 || tensor.shape() != shape {
            return Err(Error::data(format!(
                "no linear model: its weights are not {} x {} numbers",
                shape[0], shape[1]
            )));
        }
        let numbers = tensor.data().as_chunks::<8>().0.iter();
        Ok(Self {
            coding,
            weights: numbers.map(|bytes| f64::from_le_bytes(*bytes)).collect(),
        })
    }
}

impl Outcome {
    /// From scores to predictions.
    fn finish(self, scores: &mut [f64]) {
        match self {
            Self::Number { scale, bounds } => {
                for score in scores {
                    let x = scale.restore(*score);
                    *score = bounds.map_or(x, |(low, high)| x.clamp(low, high));
                }
            }
            Self::Binary => scores
                .iter_mut()
                .for_each(|score| *score = logistic::probability(*score)),
            Self::Classes { .. } => {
                softmax::to_probabilities(scores);
            }
        }
    }
}

/// How many rows are looked at, by the mean length of their texts.
fn max_rows(arrays: &Arrays<'_>) -> usize {
    let n_terms: usize = arrays.texts.iter().map(|text| text.hash.len()).sum();
    let a_row = n_terms.div_ceil(arrays.n_rows.max(1)).max(1);
    MAX_ROWS.min(MAX_TERMS / a_row).max(1)
}

/// One part of the rows, as the model sees them.
struct Side {
    design: Design,
    target: Vec<f64>,
    /// Add up to 1.
    weights: Vec<f64>,
}

impl Side {
    fn new(layout: &Layout, rows: &Rows<'_>, of: &[u32], classes: &ClassFactors) -> Self {
        let target: Vec<f64> = of
            .iter()
            .map(|&row| f64::from(rows.target[row as usize]))
            .collect();
        let of_row = |&row: &u32| {
            rows.weights
                .map_or(1.0, |weights| f64::from(weights[row as usize]))
        };
        let mut weights: Vec<f64> = of
            .iter()
            .map(of_row)
            .zip(&target)
            .map(|(weight, &y)| weight * classes.of(y))
            .collect();
        let sum: f64 = weights.iter().sum();
        if sum > 0.0 {
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        Self {
            design: layout.see(&rows.arrays, of),
            target,
            weights,
        }
    }

    fn logistic(&self) -> Logistic<'_> {
        Logistic {
            design: &self.design,
            target: &self.target,
            row_weights: &self.weights,
        }
    }

    fn classes(&self) -> Vec<u32> {
        self.target.iter().map(|&y| class(y)).collect()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the index of a class"
)]
fn class(y: f64) -> u32 {
    y as u32
}

/// How much more the rows of a class count.
struct ClassFactors(Vec<f64>);

impl ClassFactors {
    fn new(kind: &OutputKind, schema: &Schema) -> Self {
        let classes = &schema.target.classes;
        Self(match kind {
            OutputKind::Number { .. } => Vec::new(),
            OutputKind::Binary {
                positive_class_weight,
                ..
            } => vec![1.0, positive_class_weight.unwrap_or(1.0)],
            OutputKind::Category { class_weights, .. } => match class_weights {
                ClassWeights::Equal => Vec::new(),
                ClassWeights::ByIndex(weights) => weights.clone(),
                ClassWeights::ByClass(weights) => classes
                    .iter()
                    .map(|class| weights.get(class).copied().unwrap_or(1.0))
                    .collect(),
            },
        })
    }

    fn of(&self, y: f64) -> f64 {
        if self.0.is_empty() {
            1.0
        } else {
            self.0.get(class(y) as usize).copied().unwrap_or(1.0)
        }
    }
}

fn fit_number(
    config: &Linear,
    recode: Option<Recode>,
    (rows, train): (&Rows<'_>, &[u32]),
    fitted: &Side,
    judged: Option<&Side>,
) -> (Outcome, Chosen) {
    let scale = TargetScale::fit(rows.target, train);
    let standardised = |side: &Side| {
        side.target
            .iter()
            .map(|&y| scale.standardise(y))
            .collect::<Vec<_>>()
    };
    let target = standardised(fitted);
    let ridge = Ridge::new(&fitted.design, &target, &fitted.weights);
    let truth = judged.map(standardised).unwrap_or_default();
    let loss = judged.map(|side| {
        |weights: &[f64]| -> f64 {
            let rows = truth.iter().zip(&side.weights).enumerate();
            rows.map(|(row, (y, weight))| {
                let mut score = [0.0];
                side.design.multiply(row, weights, &mut score);
                weight * (score[0] - y).powi(2)
            })
            .sum()
        }
    });
    let chosen = choose(
        config.l2,
        loss.as_ref().map(|f| f as &Loss<'_>),
        |l2, start| ridge.solve(l2, start),
    );
    let bounds = match &config.output.kind {
        OutputKind::Number {
            clip: Some(Clip::Range(low, high)),
            ..
        } => Some(match recode {
            Some(recode) => (recode.apply(*low), recode.apply(*high)),
            None => (*low, *high),
        }),
        OutputKind::Number {
            clip: Some(Clip::TrainingRange),
            ..
        } => Some((scale.min, scale.max)),
        OutputKind::Number { clip: None, .. }
        | OutputKind::Binary { .. }
        | OutputKind::Category { .. } => None,
    };
    (Outcome::Number { scale, bounds }, chosen)
}

fn fit_binary(l2: f64, fitted: &Side, judged: Option<&Side>) -> Chosen {
    let rows = fitted.logistic();
    let gram = rows.gram();
    let judged = judged.map(Side::logistic);
    let loss = judged
        .as_ref()
        .map(|judged| |weights: &[f64]| judged.log_loss(weights));
    choose(l2, loss.as_ref().map(|f| f as &Loss<'_>), |l2, start| {
        let start = start.map_or_else(|| vec![0.0; fitted.design.n_slots], <[f64]>::to_vec);
        rows.fit(&gram, l2, start)
    })
}

fn fit_classes(l2: f64, n_classes: usize, fitted: &Side, judged: Option<&Side>) -> Chosen {
    let classes = fitted.classes();
    let rows = Softmax {
        design: &fitted.design,
        classes: &classes,
        row_weights: &fitted.weights,
        n_classes,
    };
    let gram = rows.gram();
    let truth = judged.map(Side::classes).unwrap_or_default();
    let judged = judged.map(|side| Softmax {
        design: &side.design,
        classes: &truth,
        row_weights: &side.weights,
        n_classes,
    });
    let loss = judged
        .as_ref()
        .map(|judged| |weights: &[f64]| judged.log_loss(weights));
    choose(l2, loss.as_ref().map(|f| f as &Loss<'_>), |l2, start| {
        let start = start.map_or_else(
            || vec![0.0; fitted.design.n_slots * n_classes],
            <[f64]>::to_vec,
        );
        rows.fit(&gram, l2, start)
    })
}

#[cfg(test)]
mod tests;
