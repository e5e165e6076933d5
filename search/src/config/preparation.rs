//! The typed preparation: what must be known to split, decode and code the columns once for all trials.

use serde::Serialize;

use super::model::Missing;
use crate::metric::TargetKind;

/// What `prepare` does with a table. Equal preparations of equal tables give equal arrays.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preparation {
    /// Input columns, in the order of the config.
    pub inputs: Vec<InputColumn>,
    /// The target column.
    pub target: TargetColumn,
    /// How rows are parted.
    pub split: Split,
    /// Column of row weights; it is no input.
    pub weight_column: Option<String>,
    /// How many rows are taken at all.
    pub sample: Sample,
}

impl Preparation {
    /// Sixteen hex digits that name this preparation: equal values have equal keys, on every machine.
    pub fn key(&self) -> String {
        let text = serde_json::to_string(self).expect("a preparation is plain data");
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }
}

/// An input column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InputColumn {
    /// Name of the feature.
    pub name: String,
    /// Column of the table.
    pub column: String,
    /// What stands in for a missing value.
    pub missing: Missing,
    /// Type, with what matters for decoding.
    pub kind: ColumnKind,
}

/// Type of an input column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum ColumnKind {
    /// A real number.
    Number,
    /// Two values.
    Binary {
        /// The text that counts as true where neither value is a conventional boolean.
        fallback_true_label: Option<String>,
    },
    /// One of a set of values.
    Category {
        /// Whether values that differ in case only are one.
        lowercase: bool,
    },
    /// A point in time.
    Date {
        /// Format, as in `strftime`; `None`: found by a strict vote over the column.
        format: Option<String>,
    },
    /// Words.
    Text {
        /// Whether case is ignored.
        lowercase: bool,
        /// Longest run of words that is a term: 1 or 2.
        ngrams: u32,
        /// Whether runs of three to five characters are terms too.
        char_ngrams: bool,
    },
}

/// The target column. Rows without a target are in no part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetColumn {
    /// Name of the feature.
    pub name: String,
    /// Column of the table.
    pub column: String,
    /// Kind of target.
    #[serde(serialize_with = "kind_name")]
    pub kind: TargetKind,
    /// The text that counts as true, where neither class is a conventional boolean (binary only).
    pub fallback_true_label: Option<String>,
}

fn kind_name<S: serde::Serializer>(kind: &TargetKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

/// How rows are parted into training, validation and test part. Probabilities are in this order and sum to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Split {
    /// At random.
    Random {
        /// Shares of the parts.
        probabilities: [f64; 3],
    },
    /// At random within each class of a column.
    Stratify {
        /// The column, by name in the table.
        column: String,
        /// Shares of the parts.
        probabilities: [f64; 3],
    },
    /// As a column says: 0 training, 1 validation, 2 test.
    Fixed {
        /// The column.
        column: String,
    },
    /// By time: oldest rows train, newest test.
    Datetime {
        /// The column.
        column: String,
        /// Shares of the parts.
        probabilities: [f64; 3],
    },
    /// By a hash of a column: a row stays in its part when the table grows.
    Hash {
        /// The column.
        column: String,
        /// Shares of the parts.
        probabilities: [f64; 3],
    },
    /// At random by group: rows of equal value in the column stay together.
    Group {
        /// The column.
        column: String,
        /// Shares of the parts.
        probabilities: [f64; 3],
    },
    /// By a column of folds.
    Folds {
        /// The column.
        column: String,
        /// The fold that validates; `None`: the last but one, in sorted order.
        validation: Option<String>,
        /// The fold that tests; `None`: the last, in sorted order.
        test: Option<String>,
    },
}

/// How many rows of the table are taken, at random.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub enum Sample {
    /// All.
    All,
    /// This share, in 0 to 1.
    Ratio(f64),
    /// At most this many.
    Rows(u64),
}
