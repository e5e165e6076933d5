//! `model.json`: what a model folder holds, for programs and people.

use std::collections::BTreeMap;

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

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// Two classes, of which the second is the positive one.
    Binary,
    /// Two or more classes.
    Category,
    /// A real number.
    Number,
}

/// The target of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetAbout {
    /// Name of the output feature; the columns of a prediction begin with it.
    pub name: String,
    /// The column it is read from when a model is evaluated.
    pub column: String,
    /// What it is.
    pub kind: TargetKind,
    /// The classes as they stand in the data, in the order of the probabilities. Empty
    /// for a number.
    pub classes: Vec<String>,
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
    pub target: TargetAbout,
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
    /// What is wrong with it, if anything; said once, before any other file is opened.
    pub(super) fn fault(&self) -> Option<String> {
        let n_classes = self.target.classes.len();
        let classes_fit = match self.target.kind {
            TargetKind::Binary => n_classes == 2,
            TargetKind::Category => n_classes >= 2,
            TargetKind::Number => n_classes == 0,
        };
        if !classes_fit {
            return Some(
                format!(
                    "a {:?} target cannot have {n_classes} classes",
                    self.target.kind
                )
                .to_lowercase(),
            );
        }
        let mut classes: Vec<&str> = self.target.classes.iter().map(String::as_str).collect();
        classes.sort_unstable();
        if classes.windows(2).any(|pair| pair[0] == pair[1]) {
            return Some("two classes have the same name".to_owned());
        }
        if self.target.name.is_empty()
            || self
                .inputs
                .iter()
                .any(|input| input.name.is_empty() || input.column.is_empty())
        {
            return Some("a feature has no name".to_owned());
        }
        None
    }
}
