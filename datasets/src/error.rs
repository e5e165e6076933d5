//! What can go wrong with data, and what to do about it. Messages say what and where; hints say what to do.

use std::io;
use std::path::{Path, PathBuf};

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Who can mend an error: it decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The command or config is wrong.
    Usage,
    /// The data cannot be used as it is.
    Data,
    /// The machine is in the way: disk, permissions.
    Environment,
}

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The path does not exist.
    #[error("no file at {}", .0.display())]
    NotFound(PathBuf),
    /// The path is a folder or something else that holds no table.
    #[error("{} is not a file", .0.display())]
    NotAFile(PathBuf),
    /// A file stands where a new one was to be made.
    #[error("{} is there already", .0.display())]
    Exists(PathBuf),
    /// The ending of an output's name asks for a format that is not written.
    #[error("{}: a table is not written as .{}", .0.display(), .0.extension().unwrap_or_default().display())]
    UnknownEnding(PathBuf),
    /// Reading or writing failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`, `create`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file has no bytes, or no rows under its header.
    #[error("{} {what}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// `is empty` or `has a header but no rows`.
        what: &'static str,
    },
    /// The content is no table in a format that is read.
    #[error("{} is {what}, not a table", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
        /// What it looks like: `a binary file`, `a web page`, `a zip archive`.
        what: &'static str,
        /// What to do about it.
        hint: &'static str,
    },
    /// The file ends in the middle of its compressed stream or its footer.
    #[error("{} is cut short or damaged: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        why: String,
    },
    /// Bytes that are no text in the encoding.
    #[error("{}:{line}: byte {offset} (column {column}) is not valid {encoding}", path.display())]
    Encoding {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: u64,
        /// Place in the (decompressed) file, counted from 0.
        offset: u64,
        /// The name of the table column, or its number where the header itself is broken.
        column: String,
        /// The encoding that was assumed.
        encoding: String,
    },
    /// `--encoding` names no known encoding.
    #[error("unknown encoding \"{0}\"")]
    UnknownEncoding(String),
    /// A row has another number of fields than the header.
    #[error("{}:{line}: expected {expected} fields, saw {seen}", path.display())]
    Ragged {
        /// The file.
        path: PathBuf,
        /// Line on which the row begins, counted from 1.
        line: u64,
        /// Fields in the header.
        expected: usize,
        /// Fields in this row.
        seen: usize,
    },
    /// A quoted field is not closed.
    #[error("{}:{line}: the quoted field that opens here is never closed", path.display())]
    OpenQuote {
        /// The file.
        path: PathBuf,
        /// Line on which the record with the quote begins.
        line: u64,
    },
    /// A record is longer than a block may be.
    #[error("{}:{line}: a record of more than {} MB", path.display(), limit >> 20)]
    LongRecord {
        /// The file.
        path: PathBuf,
        /// Line on which the record begins.
        line: u64,
        /// The limit in bytes.
        limit: usize,
    },
    /// A line of a JSON lines file is not a flat object.
    #[error("{}:{line}: {why}", path.display())]
    JsonLine {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// A column of lists, structs or other nested values.
    #[error("column \"{column}\" of {} holds {what}, which no model reads", path.display())]
    Nested {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The type in words.
        what: String,
    },
    /// Two columns of a typed file have one name.
    #[error("{} has two columns of the same name{}", path.display(), quoted(column.as_deref()))]
    SameName {
        /// The file.
        path: PathBuf,
        /// The name, where the format tells it.
        column: Option<String>,
    },
    /// The names given for the columns are more or fewer than the columns.
    #[error("{} has {seen} columns, but {given} names were given", path.display())]
    ColumnCount {
        /// The file.
        path: PathBuf,
        /// Columns in the file.
        seen: usize,
        /// Names given.
        given: usize,
    },
    /// A name that is no column of the table.
    #[error("no column \"{name}\"; the columns are {}", listed(columns))]
    UnknownColumn {
        /// The name as given.
        name: String,
        /// The nearest column, if one is near.
        nearest: Option<String>,
        /// Every column of the table.
        columns: Vec<String>,
    },
    /// `--type` names no kind.
    #[error("unknown type \"{given}\"")]
    UnknownKind {
        /// The name as given.
        given: String,
        /// The nearest kind, if one is near.
        nearest: Option<String>,
    },
    /// A kind was asked for that the values of the column cannot be.
    #[error("column \"{column}\" cannot be of type {kind}: {why}")]
    WrongKind {
        /// The column.
        column: String,
        /// The kind asked for.
        kind: crate::Kind,
        /// Why not, with an example value.
        why: String,
    },
    /// No target was named and none can be guessed with a reason.
    #[error("which column is the target? candidates: {}", listed(candidates))]
    NoTarget {
        /// Columns that could be it, the likeliest first.
        candidates: Vec<String>,
    },
    /// The target has one value only, or none.
    #[error("the target \"{column}\" cannot be learned: {why}")]
    UselessTarget {
        /// The column.
        column: String,
        /// `every row is "x"` or `no row has a value`.
        why: String,
    },
    /// Nothing is left to learn from.
    #[error("no input column is left: {why}")]
    NoInputs {
        /// What was left out and why.
        why: String,
    },
    /// Too few rows to train and judge a model.
    #[error("{rows} rows with a target are too few: at least {least} are needed")]
    TooFewRows {
        /// Rows that have a target.
        rows: u64,
        /// The least that can be split.
        least: u64,
    },
    /// A folder that should hold a table of ours does not.
    #[error("{} holds no readable table: {why}", dir.display())]
    NotIngested {
        /// The folder.
        dir: PathBuf,
        /// What is missing or wrong.
        why: String,
    },
    /// A table lacks columns that a model reads.
    #[error("the table has no column {}", listed(missing))]
    MissingColumns {
        /// Every column that is missing.
        missing: Vec<String>,
    },
    /// A weight that is below zero.
    #[error("column \"{column}\" holds {n_rows} weight(s) below zero")]
    NegativeWeight {
        /// The column of weights.
        column: String,
        /// Rows with such a weight.
        n_rows: usize,
    },
    /// More rows than the arrays can count.
    #[error("{rows} rows are more than 4,294,967,295")]
    TooManyRows {
        /// Rows of all tables together.
        rows: usize,
    },
    /// The rows cannot be divided as asked.
    #[error(transparent)]
    Split(#[from] crate::split::SplitError),
    /// Prepared arrays cannot be written or read.
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
}

impl Error {
    /// What the user can do about it, on a line of its own.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::NotFound(_) => {
                "check the path, or see `autotune datasets list` for tables known by name"
                    .to_owned()
            }
            Self::NotAFile(_) => "name one CSV, Parquet, JSON lines or Arrow IPC file".to_owned(),
            Self::Exists(_) => "choose another name, or remove it first".to_owned(),
            Self::UnknownEnding(_) => {
                "name it .csv, or .parquet or .pq; a name without an ending is CSV".to_owned()
            }
            Self::Io { action, .. } => match *action {
                "read" => "check that the file may be read".to_owned(),
                _ => "check that the folder exists, may be written and has free space".to_owned(),
            },
            Self::Empty { .. } => "give a table with a header and at least one row".to_owned(),
            Self::NotATable { hint, .. } => (*hint).to_owned(),
            Self::Damaged { .. } => "copy or download it again".to_owned(),
            Self::Encoding { .. } => {
                "name the encoding, for example `--encoding latin1` or `--encoding utf-16le`"
                    .to_owned()
            }
            Self::UnknownEncoding(_) => {
                "for example utf-8, latin1, windows-1252, utf-16le, shift_jis, gb18030".to_owned()
            }
            Self::Ragged { .. } => {
                "mend the line; a field that holds the delimiter must stand in double quotes"
                    .to_owned()
            }
            Self::OpenQuote { .. } => {
                "close the quote; a quote inside a quoted field is written twice".to_owned()
            }
            Self::LongRecord { .. } => {
                "look for a quote that is opened on that line and never closed".to_owned()
            }
            Self::JsonLine { .. } => {
                "each line must be one flat object, as {\"age\": 38, \"job\": \"nurse\"}".to_owned()
            }
            Self::Nested { column, .. } => {
                format!("flatten \"{column}\" into plain columns, or drop it from the file")
            }
            Self::SameName { .. } => {
                "give one of them another name: columns of typed files are told apart by it"
                    .to_owned()
            }
            Self::ColumnCount { .. } => "give one name for each column".to_owned(),
            Self::UnknownColumn { nearest, .. } | Self::UnknownKind { nearest, .. } => {
                match nearest {
                    Some(name) => format!("did you mean \"{name}\"?"),
                    None if matches!(self, Self::UnknownKind { .. }) => {
                        format!(
                            "one of {}",
                            listed(&crate::Kind::ALL.map(|k| k.name().to_owned()))
                        )
                    }
                    None => return None,
                }
            }
            Self::WrongKind { column, .. } => format!(
                "leave `--type {column}=...` out to see what it is taken for, with the reason"
            ),
            Self::NoTarget { .. } => "name it with `--target COLUMN`".to_owned(),
            Self::UselessTarget { .. } => "choose another column with `--target`".to_owned(),
            Self::NoInputs { .. } => {
                "force one in with `--type COLUMN=TYPE`, or give a table with more columns"
                    .to_owned()
            }
            Self::TooFewRows { .. } => "give a larger table".to_owned(),
            Self::NotIngested { .. } => "delete the folder and run again".to_owned(),
            Self::MissingColumns { .. } => {
                "give the table these columns; their order and other columns are of no account"
                    .to_owned()
            }
            Self::NegativeWeight { .. } => "use weights of zero and above".to_owned(),
            Self::TooManyRows { .. } => "set preprocessing.sample_size".to_owned(),
            Self::Split(error) => error.hint(),
            Self::Store(error) => error.hint().to_owned(),
        };
        Some(text)
    }

    /// Who can mend it.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::NotFound(_)
            | Self::NotAFile(_)
            | Self::Exists(_)
            | Self::UnknownEnding(_)
            | Self::UnknownEncoding(_)
            | Self::ColumnCount { .. }
            | Self::UnknownColumn { .. }
            | Self::UnknownKind { .. }
            | Self::WrongKind { .. }
            | Self::NoTarget { .. } => Class::Usage,
            Self::Empty { .. }
            | Self::NotATable { .. }
            | Self::Damaged { .. }
            | Self::Encoding { .. }
            | Self::Ragged { .. }
            | Self::OpenQuote { .. }
            | Self::LongRecord { .. }
            | Self::JsonLine { .. }
            | Self::Nested { .. }
            | Self::SameName { .. }
            | Self::UselessTarget { .. }
            | Self::NoInputs { .. }
            | Self::MissingColumns { .. }
            | Self::NegativeWeight { .. }
            | Self::TooManyRows { .. }
            | Self::TooFewRows { .. } => Class::Data,
            Self::Split(error) => error.class(),
            Self::Io { .. } | Self::NotIngested { .. } | Self::Store(_) => Class::Environment,
        }
    }

    /// An unknown column, with the nearest of the known ones.
    pub fn unknown_column<'a>(name: &str, columns: impl IntoIterator<Item = &'a str>) -> Self {
        let columns: Vec<&str> = columns.into_iter().collect();
        Self::UnknownColumn {
            name: name.to_owned(),
            nearest: crate::nearest::nearest(name, columns.iter().copied()).map(str::to_owned),
            columns: columns.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Turns an I/O error into ours; for `map_err`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

/// Names in one line, cut after the first dozen.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let mut text = names
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(" and {} more", names.len() - SHOWN));
    }
    text
}

/// ` "name"`, or nothing.
fn quoted(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" \"{name}\""))
}
