//! One column of a table and the views of its values.

use std::borrow::Cow;

use crate::mapped::Mapped;

/// The code of a missing value in a coded text column.
pub const MISSING_CODE: u32 = u32::MAX;
/// A missing value in a column of times.
pub const MISSING_TIME: i64 = i64::MIN;
/// A missing value in a column of typed booleans.
pub const MISSING_BOOL: u8 = 255;

/// One column: its name and its values on disk.
#[derive(Debug)]
pub struct Column {
    pub(crate) name: String,
    pub(crate) n_rows: usize,
    pub(crate) n_missing: u64,
    pub(crate) n_unread: u64,
    pub(crate) data: Data,
}

/// The mapped files of a column.
#[derive(Debug)]
pub(crate) enum Data {
    Number(Mapped<f64>),
    Time(Mapped<i64>),
    Bool(Mapped<u8>),
    Coded {
        codes: Mapped<u32>,
        ends: Mapped<u64>,
        bytes: Mapped<u8>,
    },
    Plain {
        ends: Mapped<u64>,
        bytes: Mapped<u8>,
    },
}

impl Column {
    /// The name: as in the file, but made unique and never empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Rows without a value.
    #[must_use]
    pub fn n_missing(&self) -> u64 {
        self.n_missing
    }

    /// Of the missing ones, those that held words where numbers were read.
    #[must_use]
    pub fn n_unread(&self) -> u64 {
        self.n_unread
    }

    /// The values, in row order.
    #[must_use]
    pub fn values(&self) -> Values<'_> {
        match &self.data {
            Data::Number(values) => Values::Number(values),
            Data::Time(values) => Values::Time(values),
            Data::Bool(values) => Values::Bool(values),
            Data::Coded { codes, ends, bytes } => Values::Text(TextColumn::Coded {
                codes,
                dictionary: Dictionary { ends, bytes },
            }),
            Data::Plain { ends, bytes } => {
                Values::Text(TextColumn::Plain(Dictionary { ends, bytes }))
            }
        }
    }

    /// Whether every code has its text: not so where the files were damaged since they were written.
    pub(crate) fn is_sound(&self) -> bool {
        let Data::Coded { codes, ends, .. } = &self.data else {
            return true;
        };
        let has_text = |&code: &u32| code == MISSING_CODE || (code as usize) < ends.len();
        let sound = codes.iter().all(has_text);
        self.release(0..self.n_rows);
        sound
    }

    /// Gives the memory of these rows back to the system; a later look reads them again. For one long
    /// pass over a table larger than memory.
    pub fn release(&self, rows: std::ops::Range<usize>) {
        match &self.data {
            Data::Number(values) => values.release(rows),
            Data::Time(values) => values.release(rows),
            Data::Bool(values) => values.release(rows),
            Data::Coded { codes, .. } => codes.release(rows),
            Data::Plain { ends, bytes } => {
                let place = |row: usize| match row.min(self.n_rows) {
                    0 => 0,
                    row => usize::try_from(ends[row - 1]).unwrap_or(usize::MAX),
                };
                bytes.release(place(rows.start)..place(rows.end));
                ends.release(rows);
            }
        }
    }
}

/// The values of a column, by how they are stored.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Numbers; NaN is missing, infinities are kept.
    Number(&'a [f64]),
    /// Text; missing values are `None`, never an empty string.
    Text(TextColumn<'a>),
    /// Typed timestamps in microseconds since 1970-01-01 (UTC, or local where the source knows no zone);
    /// `i64::MIN` is missing.
    Time(&'a [i64]),
    /// Typed booleans: 0, 1, and 255 for missing.
    Bool(&'a [u8]),
}

impl<'a> Values<'a> {
    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Number(values) => values.len(),
            Self::Text(text) => text.len(),
            Self::Time(values) => values.len(),
            Self::Bool(values) => values.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a row as a level's name: numbers in their shortest form (`3`, not `3.0`), booleans
    /// as `true` and `false`, times as `2012-10-02 09:00:00`. `None` is missing.
    ///
    /// # Panics
    /// When `row` is not below `len()`.
    #[must_use]
    pub fn level(&self, row: usize) -> Option<Cow<'a, str>> {
        match self {
            Self::Number(values) => number_level(values[row]).map(Cow::Owned),
            Self::Text(text) => text.get(row).map(Cow::Borrowed),
            Self::Time(values) => time_level(values[row]).map(Cow::Owned),
            Self::Bool(values) => bool_level(values[row]).map(Cow::Borrowed),
        }
    }
}

/// The name of a number as a level; `None` for NaN. `-0` and `0` are one level.
#[must_use]
pub fn number_level(value: f64) -> Option<String> {
    (!value.is_nan()).then(|| format!("{}", value + 0.0))
}

/// The name of a time as a level; `None` for missing.
#[must_use]
pub fn time_level(micros: i64) -> Option<String> {
    let time =
        chrono::DateTime::from_timestamp_micros(micros).filter(|_| micros != MISSING_TIME)?;
    Some(time.naive_utc().to_string())
}

/// The name of a boolean as a level; `None` for missing.
#[must_use]
pub fn bool_level(value: u8) -> Option<&'static str> {
    match value {
        0 => Some("false"),
        1 => Some("true"),
        _ => None,
    }
}

/// A text column: coded against a dictionary when its distinct values are few, else plain.
#[derive(Debug, Clone, Copy)]
pub enum TextColumn<'a> {
    /// A code a row, or `u32::MAX` for missing; levels in order of first appearance.
    Coded {
        /// One code a row.
        codes: &'a [u32],
        /// The text of each code.
        dictionary: Dictionary<'a>,
    },
    /// The text of each row; a missing row has no bytes.
    Plain(Dictionary<'a>),
}

impl<'a> TextColumn<'a> {
    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Coded { codes, .. } => codes.len(),
            Self::Plain(rows) => rows.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a row; `None` is missing.
    ///
    /// # Panics
    /// When `row` is not below `len()`.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&'a str> {
        match self {
            Self::Coded { codes, dictionary } => {
                (codes[row] != MISSING_CODE).then(|| dictionary.get(codes[row] as usize))
            }
            Self::Plain(rows) => Some(rows.get(row)).filter(|text| !text.is_empty()),
        }
    }

    /// The code of each row, when the column is coded.
    #[must_use]
    pub fn codes(&self) -> Option<&'a [u32]> {
        match self {
            Self::Coded { codes, .. } => Some(codes),
            Self::Plain(_) => None,
        }
    }

    /// The distinct values in order of first appearance, when the column is coded.
    #[must_use]
    pub fn dictionary(&self) -> Option<Dictionary<'a>> {
        match self {
            Self::Coded { dictionary, .. } => Some(*dictionary),
            Self::Plain(_) => None,
        }
    }

    /// The text of every row, in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<&'a str>> + use<'a> {
        let this = *self;
        (0..this.len()).map(move |row| this.get(row))
    }
}

/// A list of texts, end to end.
#[derive(Debug, Clone, Copy)]
pub struct Dictionary<'a> {
    /// Where each text ends; it begins where the one before ends.
    pub(crate) ends: &'a [u64],
    pub(crate) bytes: &'a [u8],
}

impl<'a> Dictionary<'a> {
    /// Texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at `at`. Bytes that are no UTF-8, which only a damaged file holds, read as `\u{FFFD}`.
    ///
    /// # Panics
    /// When `at` is not below `len()`.
    #[must_use]
    pub fn get(&self, at: usize) -> &'a str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        let bytes = usize::try_from(start)
            .ok()
            .zip(usize::try_from(self.ends[at]).ok())
            .and_then(|(a, b)| self.bytes.get(a..b));
        bytes
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or("\u{FFFD}")
    }

    /// Every text, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let this = *self;
        (0..this.len()).map(move |at| this.get(at))
    }
}
