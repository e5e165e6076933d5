//! What a profile says of a table and of each column. These types are the format of `profile.json`.

use serde::{Deserialize, Serialize};

use crate::Finding;

/// A look at a whole table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Rows.
    pub n_rows: u64,
    /// One entry a column, in the order of the file.
    pub columns: Vec<ColumnProfile>,
    /// What is odd.
    pub findings: Vec<Finding>,
}

impl Profile {
    /// The profile of the column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&ColumnProfile> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// How the values of a column are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// Typed timestamps.
    Time,
    /// Typed booleans.
    Bool,
}

/// A count of distinct values: exact up to 10,000, then by a sketch (HyperLogLog, standard error 0.8 %).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distinct {
    /// Counted.
    Exact(u64),
    /// Estimated.
    About(u64),
}

impl Distinct {
    /// The count, exact or not.
    #[must_use]
    pub fn count(self) -> u64 {
        match self {
            Self::Exact(n) | Self::About(n) => n,
        }
    }
}

/// A look at one column, over all its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnProfile {
    /// The column's name.
    pub name: String,
    /// How it is stored.
    pub storage: Storage,
    /// Rows.
    pub n_rows: u64,
    /// Rows without a value.
    pub n_missing: u64,
    /// Distinct values, missing not counted.
    pub n_distinct: Distinct,
    /// Whether no value stands twice. Told exactly for text and whole numbers; fractions count as not unique
    /// where their distinct values are estimated.
    pub unique: bool,
    /// The commonest values with their counts, at most 64, commonest first (ties by value). Empty where
    /// distinct values are not counted exactly.
    pub top_values: Vec<(String, u64)>,
    /// The rarest value with its count, where distinct values are counted exactly.
    pub rarest: Option<(String, u64)>,
    /// For stored numbers with at least one finite value.
    pub number: Option<NumberSummary>,
    /// For stored text with at least one value.
    pub text: Option<TextSummary>,
    /// For text of which a date format reads at least half, and for typed times.
    pub date: Option<DateSummary>,
    /// A hash of every value in row order: equal columns have equal hashes.
    pub content_hash: u64,
}

impl ColumnProfile {
    /// Rows with a value.
    #[must_use]
    pub fn n_present(&self) -> u64 {
        self.n_rows - self.n_missing
    }

    /// Share of rows without a value, 0 for no rows.
    #[must_use]
    pub fn missing_share(&self) -> f64 {
        if self.n_rows == 0 {
            0.0
        } else {
            self.n_missing as f64 / self.n_rows as f64
        }
    }
}

/// Finite numbers of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberSummary {
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation over all rows (divided by n).
    pub sd: f64,
    /// Quantiles at 1, 5, 25, 50, 75, 95, 99 %; exact up to 100,000 rows, then from as many rows spread evenly.
    pub quantiles: [f64; 7],
    /// Rows that hold an infinite number.
    pub n_infinite: u64,
    /// Whether every finite value is whole.
    pub all_integer: bool,
    /// Whole values too large to be exact, beyond 2^53.
    pub n_inexact: u64,
    /// Whether no value is smaller than the one before it.
    pub ascending: bool,
}

/// Texts of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextSummary {
    /// Mean number of words of a row that has a value.
    pub avg_words: f64,
    /// Most words of a row.
    pub max_words: u64,
    /// Mean number of characters (bytes of UTF-8) of a row that has a value.
    pub avg_chars: f64,
    /// Rows whose text is a number.
    pub n_numeric: u64,
    /// Whether some text is a whole number with leading zeros.
    pub leading_zeros: bool,
    /// Whether every text has one length, and no space.
    pub same_length: bool,
}

/// Dates of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DateSummary {
    /// The format that reads most rows, in `strftime` terms; none for typed times.
    pub format: Option<String>,
    /// Rows that it reads.
    pub n_read: u64,
    /// Rows read only by other formats, with those formats.
    pub others: Vec<(String, u64)>,
    /// The format with day and month exchanged, when it reads every row as well.
    pub ambiguous_with: Option<String>,
    /// The first date, as `2012-10-02 09:00:00`.
    pub first: String,
    /// The last date.
    pub last: String,
    /// Rows whose date is earlier than the one before it (missing ones skipped); 0 where the table is in the order of
    /// this date, which calls for a split by time.
    pub n_back: u64,
}
