//! What is wanted of the columns, before anything is known of their values.

use serde::{Deserialize, Serialize};

use super::{TargetKind, Terms};

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
        /// The strict format of text; `None`: the one that reads most values, else the ISO forms.
        format: Option<String>,
    },
    /// Words.
    Text {
        /// What its terms are.
        terms: Terms,
    },
}

/// What happens to a row without a value before any trial; all else is for the trial to fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
