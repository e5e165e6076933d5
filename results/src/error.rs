//! What can be wrong with a run's database, by what the reader of the message can do about it.

use std::path::{Path, PathBuf};

/// The result of whatever can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a database of a run could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no database at the path.
    #[error("no run at {}: {} is missing", folder(path), file(path))]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// There is a database where a new one was to be made.
    #[error("a run already exists at {}", folder(path))]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The file is no SQLite database, or a broken one.
    #[error("{} is not a readable SQLite database: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        why: String,
    },
    /// The file is a SQLite database of another program.
    #[error("{} is a SQLite database, but not one of an autotune run", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later version of this program.
    #[error("{} has format {found}; this version reads up to format {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// The folder or file cannot be written or opened.
    #[error("cannot open {}: {why}", path.display())]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        why: String,
    },
    /// A row does not say what its column promises.
    #[error("{what} of the run's database cannot be understood: {why}")]
    Row {
        /// Which row and column.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// An entry that contradicts what is written already, such as a change of a finished trial.
    #[error("the journal refuses an entry: {0}")]
    Refused(String),
    /// No trial of that number in the run.
    #[error("no trial {trial} in this run; it has {n_trials}")]
    NoTrial {
        /// The number asked for.
        trial: u32,
        /// How many there are.
        n_trials: u32,
    },
    /// The writer has ended, after the store was closed.
    #[error("the run's database is closed")]
    Closed,
    /// What was written could not be made safe from a power cut; nothing is written any more.
    #[error("the run's database cannot be written any more: {why}")]
    Stuck {
        /// What SQLite said when it happened.
        why: String,
    },
    /// Anything else SQLite says: a full disk, a lost file.
    #[error("the run's database failed: {0}")]
    Database(#[from] sqlx::Error),
}

impl Error {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "`autotune list` shows the runs; --output names another folder",
            Self::Exists { .. } => "choose another --name, or go on with `autotune list`",
            Self::Malformed { .. } | Self::Row { .. } => {
                "the file is damaged; the models and configs in the run's folder can be used without it"
            }
            Self::Foreign { .. } => "name a folder that `autotune` made",
            Self::Newer { .. } => {
                "update autotune to the version that made the run, or a later one"
            }
            Self::CannotOpen { .. } => {
                "check the permissions of the folder and the space on the disk; a run that was cut short is read from a folder that may be written: copy it to one"
            }
            Self::NoTrial { .. } => "`autotune trials RUN` lists them",
            Self::Refused(_) | Self::Closed => "this is a bug of autotune; please report it",
            Self::Database(_) | Self::Stuck { .. } => {
                "check the space on the disk and that nobody removed the run's folder"
            }
        }
    }

    /// Sorts what SQLite says about `path` into what the user can do about it.
    pub(crate) fn opening(path: &Path, error: sqlx::Error) -> Self {
        let (path, why) = (path.to_owned(), error.to_string());
        match primary_code(&error) {
            // SQLITE_CORRUPT, SQLITE_NOTADB
            Some(11 | 26) => Self::Malformed { path, why },
            // SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN
            Some(3 | 8 | 14) => Self::CannotOpen { path, why },
            Some(_) | None => Self::Database(error),
        }
    }

    /// Tells an entry that a trigger or a constraint refuses from a failing disk.
    pub(crate) fn writing(error: sqlx::Error) -> Self {
        match primary_code(&error) {
            // SQLITE_CONSTRAINT
            Some(19) => Self::Refused(error.to_string()),
            Some(_) | None => Self::Database(error),
        }
    }
}

/// SQLite's primary result code: the low byte of the extended one.
fn primary_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?.parse::<u32>().ok()?;
    Some(code & 0xff)
}

fn folder(path: &Path) -> std::path::Display<'_> {
    path.parent().unwrap_or(path).display()
}

fn file(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
