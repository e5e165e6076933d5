//! `model.json`: what a model folder holds, for programs and people.

use std::collections::BTreeMap;

use datasets::encode::{Schema, Target};
use serde::{Deserialize, Serialize};

/// What kind of model the weights belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Class frequencies, or the mean or median of the target: no input is read.
    Constant,
    /// Ridge or logistic regression on the prepared arrays.
    Linear,
    /// A network: encoders, combiner, decoder.
    Network,
}

/// One input of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputAbout {
    /// Name of the input feature.
    pub name: String,
    /// The column it is read from.
    pub column: String,
    /// Its kind as in the config: number, binary, category, date, text.
    pub kind: String,
}

/// `model.json` without the list of files, which `Package` adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// What kind of model it is.
    pub family: Family,
    /// What it predicts.
    pub target: Target,
    /// What it reads.
    pub inputs: Vec<InputAbout>,
    /// The metric by which its epoch was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// Scores on the validation part, by metric.
    #[serde(default)]
    pub scores: BTreeMap<String, f64>,
    /// The trial that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<u32>,
    /// The epoch its weights are from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u32>,
}

impl About {
    /// The description of a model of `family` over `schema`, without scores.
    pub fn new(family: Family, schema: &Schema) -> Self {
        let inputs = schema.features.iter().map(|feature| InputAbout {
            name: feature.name.clone(),
            column: feature.column.clone(),
            kind: feature.slot.kind().name().to_owned(),
        });
        Self {
            family,
            target: schema.target.clone(),
            inputs: inputs.collect(),
            metric: None,
            scores: BTreeMap::new(),
            trial: None,
            epoch: None,
        }
    }
}
