//! Why a table cannot be split as asked.

use super::Part;
use crate::error::Class;

/// A split that cannot be made, with what stands in its way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// The three probabilities are not shares.
    #[error("split probabilities {given:?} are not shares of training, validation and test")]
    Probabilities {
        /// As given.
        given: [f64; 3],
    },
    /// The column of the split is not in the table.
    #[error("split column {column:?} is not in the table")]
    NoColumn {
        /// The missing column.
        column: String,
    },
    /// A value that names no part.
    #[error("split column {column:?} holds {value:?} in {n_rows} row(s), which names no part")]
    Label {
        /// The column of labels.
        column: String,
        /// The first such value in text order; empty when it is missing.
        value: String,
        /// Rows whose value names no part.
        n_rows: usize,
    },
    /// A fold that was asked for and is not there.
    #[error("fold {fold:?} is not in column {column:?}")]
    NoFold {
        /// The column of folds.
        column: String,
        /// The fold that was asked for.
        fold: String,
    },
    /// A column whose values are all the same, or too few to stand on both sides.
    #[error("split column {column:?} has a single value, so that {part} would be empty", part = .part.name())]
    OneValue {
        /// The column of the split.
        column: String,
        /// The part that would be empty.
        part: Part,
    },
    /// A column with too few values for their hashes to fall into every part.
    #[error("split column {column:?} has {n_values} different value(s), and the hash of none falls into {part}", part = .part.name())]
    FewValues {
        /// The column of the split.
        column: String,
        /// Its different values, a missing one among them.
        n_values: usize,
        /// The part that would be empty.
        part: Part,
    },
    /// A column of times in which nothing reads as a time.
    #[error("split column {column:?} holds no times")]
    NoTimes {
        /// The column of the split.
        column: String,
    },
    /// A part that would hold no row.
    #[error("{part} would be empty: {n_rows} usable row(s)", part = .part.name())]
    Empty {
        /// The part that would be empty.
        part: Part,
        /// Rows that have a target and were not dropped.
        n_rows: usize,
    },
}

impl SplitError {
    /// Who can mend it.
    pub fn class(&self) -> Class {
        match self {
            Self::Probabilities { .. } | Self::NoColumn { .. } | Self::NoFold { .. } => {
                Class::Usage
            }
            Self::Label { .. }
            | Self::OneValue { .. }
            | Self::FewValues { .. }
            | Self::NoTimes { .. }
            | Self::Empty { .. } => Class::Data,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Probabilities { .. } => {
                "give three numbers from 0 to 1, the first above 0, such as [0.7, 0.1, 0.2]".into()
            }
            Self::NoColumn { .. } => {
                "name a column of the table under preprocessing.split.column".into()
            }
            Self::Label { .. } => "use 0, 1, 2 or train, validation, test in every row".into(),
            Self::NoFold { .. } => "name a value of the column of folds".into(),
            Self::FewValues { .. } => {
                "hash a column with many values, such as an identifier, or split by group:COLUMN"
                    .into()
            }
            Self::OneValue { .. } | Self::NoTimes { .. } => {
                "split by another column, or at random".into()
            }
            Self::Empty { .. } => {
                "use a table with more rows, or give validation its own file".into()
            }
        }
    }
}
