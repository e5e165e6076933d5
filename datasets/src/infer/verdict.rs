//! What inference says of a table: the format of the second half of `profile.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Finding, Kind};

/// What the user decides; everything else is inferred.
#[derive(Debug, Clone, Default)]
pub struct InferOptions {
    /// The target, by name.
    pub target: Option<String>,
    /// Whether a table without a target is an error (`run`) or not (`profile`).
    pub need_target: bool,
    /// Kinds asked for with `--type`; they overrule, and keep a column in that would be left out.
    pub types: BTreeMap<String, Kind>,
    /// Columns asked to be left out.
    pub ignore: Vec<String>,
}

/// What each column is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inference {
    /// One verdict a column, in the order of the table.
    pub columns: Vec<Verdict>,
    /// The target, where one is named or can be guessed.
    pub target: Option<TargetVerdict>,
    /// What is odd, beyond the findings of the profile.
    pub findings: Vec<Finding>,
}

impl Inference {
    /// The verdicts of the columns that a model reads.
    pub fn inputs(&self) -> impl Iterator<Item = &Verdict> {
        self.columns
            .iter()
            .filter(|verdict| verdict.role == Role::Input)
    }

    /// The verdict on the column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Verdict> {
        self.columns.iter().find(|verdict| verdict.name == name)
    }
}

/// What one column is, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The column.
    pub name: String,
    /// What it is taken for.
    pub kind: Kind,
    /// What it might be instead, to be forced with `--type`.
    pub second: Option<Kind>,
    /// What was seen, as a sentence fragment with its numbers.
    pub evidence: String,
    /// The date format, in `strftime` terms, of a date read from text.
    pub date_format: Option<String>,
    /// What becomes of it.
    pub role: Role,
}

/// What becomes of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The model reads it.
    Input,
    /// The model predicts it.
    Target,
    /// Neither.
    LeftOut {
        /// The reason.
        why: LeftOut,
    },
}

/// Why a column is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOut {
    /// Every row holds the same value.
    Constant,
    /// No row holds a value.
    AllMissing,
    /// Each row has a value of its own, which is a running number or a key.
    UniqueId,
    /// The same values as another column, row by row.
    Duplicate {
        /// The first of them.
        of: String,
    },
    /// The user asked for it.
    Asked,
}

/// What is predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetVerdict {
    /// The column.
    pub name: String,
    /// `Binary`, `Category` or `Number`.
    pub kind: Kind,
    /// Why this column is the target, and why it is of this kind.
    pub why: String,
    /// Whether the target was guessed.
    pub guessed: bool,
    /// The classes with their rows, sorted by text (numbers by value); empty for a number.
    pub classes: Vec<(String, u64)>,
    /// Rows without a target; they are used nowhere.
    pub n_missing: u64,
}

impl LeftOut {
    /// The reason in a few words.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Constant => "one value in every row".to_owned(),
            Self::AllMissing => "no value in any row".to_owned(),
            Self::UniqueId => "an identifier: every row has its own value".to_owned(),
            Self::Duplicate { of } => format!("the same values as {of}"),
            Self::Asked => "asked for with --ignore".to_owned(),
        }
    }
}
