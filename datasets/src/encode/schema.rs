//! What the arrays hold: the features, where each stands, and the target.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::text::Terms;
use super::{Recode, RowFill, date};

/// The features and the target of a table, with all that is needed to read another table the same way.
/// It is part of every model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// The inputs, in the order of the config.
    pub features: Vec<Feature>,
    /// Columns of the array of numbers.
    pub n_numbers: usize,
    /// Columns of the array of categories.
    pub n_categories: usize,
    /// Columns of text.
    pub n_texts: usize,
    /// What is predicted.
    pub target: Target,
}

/// One input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Its name in the config.
    pub name: String,
    /// The column it is read from.
    pub column: String,
    /// What stands for a missing value before anything is fitted; as `Keep` where rows were dropped.
    pub missing: RowFill,
    /// Where its values stand.
    pub slot: Slot,
}

/// The place of a feature in the arrays, by its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Slot {
    /// A column of numbers; NaN is missing.
    Number {
        /// Which one.
        at: usize,
        /// How it is written, where it is not as it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recode: Option<Recode>,
    },
    /// A column of numbers, 0 for the first level, 1 for the second; NaN is missing or neither.
    Binary {
        /// Which one.
        at: usize,
        /// The two values.
        levels: [String; 2],
    },
    /// [`date::PARTS`] columns of numbers; all NaN is missing.
    Date {
        /// The first one.
        at: usize,
        /// The strict format of text; `None` for typed times and for the usual ISO forms.
        format: Option<String>,
    },
    /// A column of categories: 0 is missing, then the levels in order, then unseen.
    Category {
        /// Which one.
        at: usize,
        /// The levels by falling count in training, then by text. Code 1 is the first.
        levels: Vec<String>,
        /// Training rows of each level.
        train_counts: Vec<u64>,
        /// Whether levels are in lower case, and values are compared in lower case.
        lowercase: bool,
    },
    /// A text.
    Text {
        /// Which one.
        at: usize,
        /// What its terms are.
        terms: Terms,
    },
}

impl Slot {
    /// The columns it has in the array of numbers.
    pub fn numbers(&self) -> Range<usize> {
        match self {
            Self::Number { at, .. } | Self::Binary { at, .. } => *at..at + 1,
            Self::Date { at, .. } => *at..at + date::PARTS.len(),
            Self::Category { .. } | Self::Text { .. } => 0..0,
        }
    }

    /// How its numbers are written, where they are not as they are.
    pub fn recode(&self) -> Option<Recode> {
        match self {
            Self::Number { recode, .. } => *recode,
            Self::Binary { .. } | Self::Date { .. } | Self::Category { .. } | Self::Text { .. } => {
                None
            }
        }
    }

    /// The name of its kind, as in the config.
    pub fn kind(&self) -> crate::Kind {
        match self {
            Self::Number { .. } => crate::Kind::Number,
            Self::Binary { .. } => crate::Kind::Binary,
            Self::Date { .. } => crate::Kind::Date,
            Self::Category { .. } => crate::Kind::Category,
            Self::Text { .. } => crate::Kind::Text,
        }
    }
}

/// What is predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its name in the config.
    pub name: String,
    /// The column it is read from.
    pub column: String,
    /// Its kind.
    pub kind: TargetKind,
    /// The classes, in the order of numbers where all are numbers, else of text; of two, the second is
    /// the positive one. Empty for a number.
    pub classes: Vec<String>,
    /// How a number is written, where it is not as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recode: Option<Recode>,
}

/// The kinds of target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// Two classes.
    Binary,
    /// Two or more classes.
    Category,
    /// A real number.
    Number,
}

impl Schema {
    /// The feature of that name.
    pub fn feature(&self, name: &str) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.name == name)
    }

    /// Whether places are inside the arrays and levels have counts. Checked whenever one is read from disk.
    pub fn is_consistent(&self) -> bool {
        let fits = |slot: &Slot| match slot {
            Slot::Number { .. } | Slot::Binary { .. } | Slot::Date { .. } => {
                slot.numbers().end <= self.n_numbers
            }
            Slot::Category {
                at,
                levels,
                train_counts,
                ..
            } => *at < self.n_categories && levels.len() == train_counts.len(),
            Slot::Text { at, .. } => *at < self.n_texts,
        };
        let classes = self.target.classes.len();
        let target_fits = match self.target.kind {
            TargetKind::Binary => classes == 2,
            TargetKind::Category => classes >= 2,
            TargetKind::Number => classes == 0,
        };
        target_fits && self.features.iter().all(|feature| fits(&feature.slot))
    }
}
