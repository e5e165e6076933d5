//! What is wanted of a table: inputs, target, weights, split.

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use super::VERSION;
use crate::encode::TargetKind;
use crate::encode::text::Terms;
use crate::split::SplitSpec;

/// Everything that decides what the prepared arrays hold, besides the tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recipe {
    /// The inputs, in the order of the config.
    pub inputs: Vec<InputPlan>,
    /// What is predicted.
    pub target: TargetPlan,
    /// A column of row weights.
    pub weight: Option<String>,
    /// How many rows of the table are taken at all; validation and test tables are taken whole.
    pub sample: Sample,
    /// How rows are divided.
    pub split: SplitSpec,
    /// The seed of the shuffle.
    pub seed: u64,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InputPlan {
    /// Its name in the config.
    pub name: String,
    /// The column it is read from.
    pub column: String,
    /// What happens to a row without a value, before any trial.
    pub missing: RowFill,
    /// What its values are.
    pub kind: InputKind,
}

/// What the values of an input are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// Numbers.
    Number,
    /// Two values.
    Binary {
        /// The text of the second one, where neither is a conventional boolean.
        true_label: Option<String>,
    },
    /// Levels.
    Category {
        /// Whether values that differ in case only are one.
        lowercase: bool,
    },
    /// Times.
    Date {
        /// The strict format of text; `None`: the usual ISO forms.
        format: Option<String>,
    },
    /// Words.
    Text {
        /// What its terms are.
        terms: Terms,
    },
}

/// What happens to a row without a value before any trial; all else is for the trial to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowFill {
    /// The value stays missing.
    Keep,
    /// The row does not train.
    Drop,
    /// The last value above it; where there is none, the next below.
    Forward,
    /// The next value below it; where there is none, the last above.
    Backward,
}

/// The target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TargetPlan {
    /// Its name in the config.
    pub name: String,
    /// The column it is read from.
    pub column: String,
    /// What it is.
    pub kind: TargetKind,
    /// The text of the positive class of two, where neither is a conventional boolean.
    pub true_label: Option<String>,
}

/// How many rows of the table are taken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sample {
    /// All.
    All,
    /// This share of them, drawn at random.
    Ratio(f64),
    /// At most this many, drawn at random.
    Rows(u64),
}

impl Recipe {
    /// The name of what comes out, given the fingerprints of the tables that go in: 32 hex digits. The same
    /// key means the same arrays.
    pub fn key(&self, fingerprints: &[&str]) -> String {
        // A recipe is plain data with text keys, which always has a form in JSON.
        let json = serde_json::to_string(&(VERSION, fingerprints, self)).unwrap_or_default();
        format!("{:032x}", xxh3_128(json.as_bytes()))
    }
}
