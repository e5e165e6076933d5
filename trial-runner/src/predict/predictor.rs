//! What every family of models can do.

use datasets::encode::{Target, TargetKind};
use search::config::model::{Linear, Model, OutputKind};
use serde::Deserialize;
use tch::Device;

use crate::baseline::{ConstantModel, LinearModel};
use crate::error::{Error, Result};
use crate::metric::Predictions;
use crate::model::{Arrays, Codings, Network};
use crate::package::{Family, Package};
use crate::task::config;

/// A finished model.
pub trait Predictor {
    /// For each of `rows` of the arrays, in their order. The arrays are laid out by the
    /// schema of the model's package. No rows give predictions that others can extend.
    fn predict(&mut self, arrays: &Arrays<'_>, rows: &[u32]) -> Predictions;
}

/// Makes the model of a package. Weights of other names or shapes than the config and the
/// encodings ask for are an error.
pub fn load(package: &Package) -> Result<Box<dyn Predictor>> {
    let model = || config::parse(&package.config, "the model's config.yaml");
    let mismatch = || {
        Error::data(
            "the model's config.yaml describes another family of models than its model.json",
        )
    };
    match package.about.family {
        Family::Constant => {
            let model = ConstantModel::from_safetensors(&package.weights)?;
            let predictor = Fixed {
                empty: empty(&package.about.target, 0.5),
                model,
            };
            // A value a class, or one: what a row gets.
            let n_values = predictor.model.predict(1).len();
            let expected = if package.about.target.classes.len() > 2 {
                package.about.target.classes.len()
            } else {
                1
            };
            if n_values != expected {
                return Err(Error::data(format!(
                    "no constant model: it has {n_values} values, not {expected}"
                )));
            }
            Ok(Box::new(predictor))
        }
        Family::Linear => {
            let Model::Linear(config) = model()? else {
                return Err(mismatch());
            };
            let coding = package
                .encodings
                .get("linear")
                .unwrap_or(&serde_json::Value::Null);
            let fitted = LinearModel::from_parts(coding, &package.weights)?;
            if !package.schema().is_some_and(|schema| fitted.fits(&schema)) {
                return Err(Error::data(
                    "the model's encodings.json contradicts its schema",
                ));
            }
            Ok(Box::new(linear_predictor(
                fitted,
                &config,
                &package.about.target,
            )))
        }
        Family::Network => {
            let Model::Network(config) = model()? else {
                return Err(mismatch());
            };
            let codings = Codings::deserialize(&package.encodings)
                .map_err(|e| Error::data(format!("the model's encodings.json: {e}")))?;
            if !codings.is_consistent() {
                return Err(Error::data(
                    "the model's encodings.json contradicts its schema",
                ));
            }
            Ok(Box::new(Network::load(
                &config,
                codings,
                &package.weights,
                Device::Cpu,
            )?))
        }
    }
}

/// Predicts, and makes sure that every row has got its prediction: a model folder from
/// elsewhere may contradict itself.
pub fn apply(
    predictor: &mut dyn Predictor,
    arrays: &Arrays<'_>,
    rows: &[u32],
) -> Result<Predictions> {
    let predictions = predictor.predict(arrays, rows);
    if predictions.n_rows() == rows.len() {
        Ok(predictions)
    } else {
        Err(Error::data(
            "the model's weights are for another kind of target than its model.json names",
        ))
    }
}

/// Predictions of no rows.
fn empty(target: &Target, threshold: f32) -> Predictions {
    match target.kind {
        TargetKind::Binary => Predictions::Binary {
            probability: Vec::new(),
            threshold,
        },
        TargetKind::Category => Predictions::Category {
            probabilities: Vec::new(),
            n_classes: target.classes.len(),
        },
        TargetKind::Number => Predictions::Number {
            values: Vec::new(),
            recode: target.recode,
        },
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a probability")]
fn threshold(config: &Linear) -> f32 {
    match &config.output.kind {
        OutputKind::Binary { threshold, .. } => *threshold as f32,
        OutputKind::Category { .. } | OutputKind::Number { .. } => 0.5,
    }
}

/// The constant model.
struct Fixed {
    empty: Predictions,
    model: ConstantModel,
}

impl Predictor for Fixed {
    fn predict(&mut self, _: &Arrays<'_>, rows: &[u32]) -> Predictions {
        let mut predictions = self.empty.clone();
        predictions.extend(&self.model.predict(rows.len()));
        predictions
    }
}

/// The linear model, before it is in a folder.
pub fn linear_predictor(
    model: LinearModel,
    config: &Linear,
    target: &Target,
) -> impl Predictor + use<> {
    Fitted {
        empty: empty(target, threshold(config)),
        model,
    }
}

struct Fitted {
    empty: Predictions,
    model: LinearModel,
}

impl Predictor for Fitted {
    fn predict(&mut self, arrays: &Arrays<'_>, rows: &[u32]) -> Predictions {
        let mut predictions = self.empty.clone();
        predictions.extend(&self.model.predict(arrays, rows));
        predictions
    }
}

impl Predictor for Network {
    fn predict(&mut self, arrays: &Arrays<'_>, rows: &[u32]) -> Predictions {
        self.predict(arrays, rows)
    }
}
