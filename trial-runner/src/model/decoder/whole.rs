//! Layers, a projection and a head.

use search::config::layers::Activation;
use search::config::model::{self as config, ClassWeights, OutputKind};
use tch::{Device, Tensor};

use super::{Binary, Category, Number};
use crate::error::{Error, Result};
use crate::metric::Predictions;
use crate::model::combiner;
use crate::model::encoder::Codings;
use crate::model::layer::{Activate, Linear, Stack};
use crate::model::memory::{floats, floats_mut};
use crate::model::parameters::{Init, Layout, Treatment};
use crate::model::pass::Pass;
use crate::precision::narrow;

/// The targets of a batch.
#[derive(Debug, Default, Clone)]
pub struct Targets {
    /// A number, or the index of a class.
    pub values: Vec<f32>,
    /// Weights of the rows; empty for all 1.
    pub weights: Vec<f32>,
}

impl Targets {
    /// The weight of a row of the batch.
    pub fn weight(&self, row: usize) -> f32 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// The sum of all weights; 1 where that is 0, so that it can be divided by.
    pub fn total_weight(&self) -> f32 {
        if self.weights.is_empty() {
            return self.values.len() as f32;
        }
        let total: f32 = self.weights.iter().sum();
        if total > 0.0 { total } else { 1.0 }
    }
}

/// From the combiner's output to predictions.
#[derive(Debug)]
pub struct Decoder {
    stack: Stack,
    projection: Linear,
    shift: Activate,
    head: Head,
}

#[derive(Debug)]
enum Head {
    Binary(Binary),
    Category(Category),
    Number(Number),
}

impl Decoder {
    /// Declares the decoder of an output, named after it: `income.decoder.projection.weight`. Its last layer
    /// is as the combiner has its own.
    pub fn new(
        layout: &mut Layout,
        output: &config::Output,
        combiner: &config::Combiner,
        n_in: i64,
        codings: &Codings,
    ) -> Result<Self> {
        let path = format!("{}.decoder", output.name);
        let stack = Stack::new(layout, &path, n_in, &output.fc);
        let head = Head::new(output, combiner, codings)?;
        let (n_in, n_out) = (stack.n_out(), Self::n_outputs(output, codings));
        let path = format!("{path}.projection");
        let activate = Activate::plain(Activation::Identity, n_out);
        let (projection, shift) = match combiner {
            config::Combiner::Realmlp(realmlp) => {
                let zero = realmlp.zero_init_last;
                combiner::dense(layout, &path, (n_in, n_out), realmlp, activate, zero)
            }
            config::Combiner::Concat(_) => {
                let init = Init::Uniform((6.0 / (n_in + n_out) as f64).sqrt());
                let linear = Linear::new(layout, &path, n_in, n_out, init, Treatment::WEIGHT);
                let activate = if output.use_bias {
                    activate.with_bias(layout, &path, Init::Constant(0.0), Treatment::BIAS)
                } else {
                    activate
                };
                (linear, activate)
            }
        };
        Ok(Self {
            stack,
            projection,
            shift,
            head,
        })
    }

    /// `[batch, n_in] -> [batch, n_out]`, before the head.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        let x = self.stack.forward(pass, x);
        let z = self.projection.forward(pass, &x);
        self.shift.forward(pass, z)
    }

    /// Columns of the outputs: one, or one a class.
    pub fn n_outputs(output: &config::Output, codings: &Codings) -> i64 {
        match output.kind {
            OutputKind::Binary { .. } | OutputKind::Number { .. } => 1,
            OutputKind::Category { .. } => {
                i64::try_from(codings.schema.target.classes.len()).expect("a number of classes")
            }
        }
    }

    /// The mean loss of a batch of outputs, and its gradient, of the same shape.
    pub fn loss(&self, outputs: &Tensor, targets: &Targets) -> (f64, Tensor) {
        let mut gradient = outputs.to_device(Device::Cpu).copy();
        let z = floats_mut(&mut gradient);
        let loss = match &self.head {
            Head::Binary(binary) => binary.loss(z, targets),
            Head::Category(category) => category.loss(z, targets),
            Head::Number(number) => number.loss(z, targets),
        };
        (loss, gradient.to_device(outputs.device()))
    }

    /// The gradients of all parameters here, and that of the input.
    pub fn backward(&mut self, pass: &mut Pass<'_>, gradient: Tensor) -> Tensor {
        let gradient = self.shift.backward(pass, gradient);
        self.projection
            .backward(pass, &gradient, true)
            .and_then(|gradient| self.stack.backward(pass, gradient, true))
            .expect("the gradient of the input was asked for")
    }

    /// Predictions without rows, to be extended.
    pub fn no_predictions(&self) -> Predictions {
        match &self.head {
            Head::Binary(binary) => Predictions::Binary {
                probability: Vec::new(),
                threshold: binary.threshold,
            },
            Head::Category(category) => Predictions::Category {
                probabilities: Vec::new(),
                n_classes: category.n_classes,
            },
            Head::Number(number) => Predictions::Number {
                values: Vec::new(),
                recode: number.recode(),
            },
        }
    }

    /// Adds the predictions of a batch of outputs.
    pub fn predict(&self, outputs: &Tensor, into: &mut Predictions) {
        let on_cpu = outputs.to_device(Device::Cpu);
        let z = floats(&on_cpu);
        let mut values = z.to_vec();
        match &self.head {
            Head::Binary(binary) => values.iter_mut().for_each(|z| *z = binary.probability(*z)),
            Head::Category(category) => category.probabilities(&mut values),
            Head::Number(number) => number.predictions(&mut values),
        }
        into.extend(&values);
    }
}

impl Head {
    fn new(
        output: &config::Output,
        combiner: &config::Combiner,
        codings: &Codings,
    ) -> Result<Self> {
        Ok(match &output.kind {
            &OutputKind::Binary {
                positive_class_weight,
                label_smoothing,
                threshold,
            } => Self::Binary(Binary {
                positive_weight: narrow(positive_class_weight.unwrap_or(1.0)),
                label_smoothing: narrow(label_smoothing),
                logit_factor: match combiner {
                    config::Combiner::Realmlp(_) => Binary::OF_TWO_LOGITS,
                    config::Combiner::Concat(_) => 1.0,
                },
                threshold: narrow(threshold),
            }),
            OutputKind::Category {
                class_weights,
                label_smoothing,
            } => {
                let classes = &codings.schema.target.classes;
                Self::Category(Category {
                    n_classes: classes.len(),
                    class_weights: weights(class_weights, classes)?,
                    label_smoothing: narrow(*label_smoothing),
                })
            }
            OutputKind::Number {
                loss,
                normalization,
                clip,
            } => {
                let scale = codings.target.as_ref().ok_or_else(|| {
                    Error::Config("the encodings have no scale for a number output".to_owned())
                })?;
                let recode = codings.schema.target.recode;
                Self::Number(Number::new(*loss, *normalization, *clip, scale, recode)?)
            }
        })
    }
}

fn weights(asked: &ClassWeights, classes: &[String]) -> Result<Vec<f32>> {
    match asked {
        ClassWeights::Equal => Ok(Vec::new()),
        ClassWeights::ByIndex(weights) if weights.len() == classes.len() => {
            Ok(weights.iter().map(|&weight| narrow(weight)).collect())
        }
        ClassWeights::ByIndex(weights) => Err(Error::Config(format!(
            "loss.class_weights has {} weights, and the target {} classes",
            weights.len(),
            classes.len()
        ))),
        ClassWeights::ByClass(weights) => {
            if let Some(unknown) = weights.keys().find(|name| !classes.contains(name)) {
                return Err(Error::Config(format!(
                    "loss.class_weights names \"{unknown}\", which is no class of the target"
                )));
            }
            Ok(classes
                .iter()
                .map(|class| narrow(weights.get(class).copied().unwrap_or(1.0)))
                .collect())
        }
    }
}
