//! Findings: what is odd about a table, where work can go on. What cannot go on is an `Error`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::split::Part;

/// How much a finding should worry its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing needs to be done.
    Note,
    /// May spoil the result; worth a look.
    Warning,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The file has no header line; columns were numbered or named by the caller.
    NoHeader,
    /// Two columns had one name; the later one was renamed.
    DuplicateName,
    /// A column had no name; it was numbered.
    EmptyName,
    /// A column is of a type that no model reads, such as lists; it is not in the table.
    Unreadable,
    /// Only a part of the rows was read.
    Sampled,
    /// A column of numbers holds other values, read as missing.
    NotANumber,
    /// A column holds numbers and words.
    MixedTypes,
    /// A column holds infinite numbers.
    Infinite,
    /// A column holds whole numbers too large to be exact (beyond 2^53).
    InexactIntegers,
    /// Codes with leading zeros, kept as text.
    LeadingZeros,
    /// Every value is the same.
    Constant,
    /// No value at all.
    AllMissing,
    /// Most values are missing.
    MostlyMissing,
    /// The same values as another column, row by row.
    DuplicateColumn,
    /// One input alone nearly tells the target.
    NearCopyOfTarget,
    /// One class of the target is far rarer than another.
    Imbalance,
    /// A class of the target has too few rows to learn or to judge.
    RareClass,
    /// Dates in more than one format.
    SeveralDateFormats,
    /// Day and month cannot be told apart.
    AmbiguousDate,
    /// A category with too many levels for its rows.
    ManyLevels,
    /// A value of each row is its own: an identifier.
    UniqueId,
    /// Rows without a target, which are in no part.
    MissingTarget,
    /// Rows whose target cannot be read or is a class that the model has none of; they are in no part.
    UnknownTarget,
    /// So few rows that scores mean little.
    FewRows,
    /// The target was not named but guessed.
    GuessedTarget,
    /// A column of dates holds other values, read as missing.
    NotADate,
    /// A column of two values holds others, read as missing.
    NotBinary,
    /// Rows with identical inputs could not be kept in one part.
    DuplicateRows,
    /// Rows without a value were left out of training, as asked.
    DroppedRows,
    /// Rows without a weight, which are in no part.
    MissingWeight,
    /// No row was marked for validation; some were taken from training.
    NoValidation,
}

/// One odd thing about a table, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What it is, for programs.
    pub what: What,
    /// How much it matters.
    pub severity: Severity,
    /// The column it is about; none when it is about the table.
    pub column: Option<String>,
    /// A sentence fragment without a full stop, with its numbers.
    pub text: String,
}

impl Finding {
    /// A finding that is worth knowing.
    pub fn note(what: What, column: Option<&str>, text: impl Into<String>) -> Self {
        Self {
            what,
            severity: Severity::Note,
            column: column.map(str::to_owned),
            text: text.into(),
        }
    }

    /// A finding that may spoil the result.
    pub fn warning(what: What, column: Option<&str>, text: impl Into<String>) -> Self {
        Self {
            what,
            severity: Severity::Warning,
            column: column.map(str::to_owned),
            text: text.into(),
        }
    }

    /// The same, told of the table of a part.
    pub(crate) fn in_part(self, part: Part) -> Self {
        let text = format!("the table for {}: {}", part.name(), self.text);
        Self { text, ..self }
    }
}

/// The column, where there is one, and what was found in it.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(column) = &self.column {
            write!(f, "{column}: ")?;
        }
        f.write_str(&self.text)
    }
}
