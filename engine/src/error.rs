//! Everything that can end a command without its result, each with its exit code and a hint.

use std::io;
use std::path::{Path, PathBuf};

use schedulers::conductor::StopBy;

use crate::exit::Exit;

/// The result of whatever can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a command could not do what was asked: what and where in the message, what to do in [`Error::hint`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("cannot {act} {}: {}", path.display(), words(source))]
    File {
        /// What was tried: `read`, `write`, `create`, ...
        act: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The command line or the config asks for what cannot be.
    #[error("{what}")]
    Usage {
        /// What is wrong, and where.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The data cannot be used.
    #[error("{what}")]
    Data {
        /// What is wrong, and where.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The machine is in the way.
    #[error("{what}")]
    Environment {
        /// What is wrong, and where.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Somebody asked for the end before there was anything to save.
    #[error("stopped before there was a model")]
    Interrupted {
        /// Who asked.
        by: StopBy,
    },
    /// A fault of this program.
    #[error("{what}")]
    Bug {
        /// What was found broken.
        what: String,
    },
}

impl Error {
    /// A wrong command line or config.
    pub fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage {
            what: what.into(),
            hint: hint.into(),
        }
    }

    /// Data that cannot be used.
    pub fn data(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Data {
            what: what.into(),
            hint: hint.into(),
        }
    }

    /// A machine that is in the way.
    pub fn environment(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Environment {
            what: what.into(),
            hint: hint.into(),
        }
    }

    /// A fault of this program.
    pub fn bug(what: impl Into<String>) -> Self {
        Self::Bug { what: what.into() }
    }

    /// An operation on a path that the system refused; for `map_err`.
    pub fn file(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { act, path, source }
    }

    /// The same error of a run that leaves a model in `model` all the same.
    #[must_use]
    pub fn keeping(self, model: &Path) -> Self {
        match self {
            Self::Environment { what, hint } => Self::Environment {
                what: format!(
                    "{what}; the best model so far stands in {}",
                    model.display()
                ),
                hint: format!("{hint}; `autotune resume` goes on with the run"),
            },
            Self::Usage { .. }
            | Self::Data { .. }
            | Self::Interrupted { .. }
            | Self::File { .. }
            | Self::Bug { .. } => self,
        }
    }

    /// What to do about it, one line.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the kinds of the system are many and grow"
    )]
    pub fn hint(&self) -> &str {
        match self {
            Self::File { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => {
                    "choose a folder you may write to, or change its permissions"
                }
                io::ErrorKind::NotFound => "check the path",
                io::ErrorKind::StorageFull => {
                    "free some disk space; `autotune clean` removes prepared data"
                }
                io::ErrorKind::ReadOnlyFilesystem => {
                    "choose a folder on a writable disk with --output, and one for the cache with AUTOTUNE_CACHE"
                }
                _ => "check the path and the disk",
            },
            Self::Usage { hint, .. } | Self::Data { hint, .. } | Self::Environment { hint, .. } => {
                hint
            }
            Self::Interrupted { .. } => "nothing was kept of this run",
            Self::Bug { .. } => {
                "this is a fault of autotune: please report it with the output of `autotune doctor`"
            }
        }
    }

    /// The exit code of its class.
    pub fn exit(&self) -> Exit {
        match self {
            Self::File { .. } | Self::Environment { .. } => Exit::Environment,
            Self::Usage { .. } => Exit::Usage,
            Self::Data { .. } => Exit::Data,
            Self::Interrupted { by: StopBy::User } => Exit::Interrupted,
            Self::Interrupted { by: StopBy::Signal } => Exit::Terminated,
            Self::Bug { .. } => Exit::Bug,
        }
    }
}

/// The system's own words without its number: "permission denied".
fn words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase()
}

impl From<datasets::Error> for Error {
    fn from(error: datasets::Error) -> Self {
        let (what, hint) = (error.to_string(), error.hint().unwrap_or_default());
        match error.class() {
            datasets::error::Class::Usage => Self::Usage { what, hint },
            datasets::error::Class::Data => Self::Data { what, hint },
            datasets::error::Class::Environment => Self::Environment { what, hint },
        }
    }
}

impl From<results::Error> for Error {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the rest, and what may come, is the machine's"
    )]
    fn from(error: results::Error) -> Self {
        use results::Error as Results;
        let (what, hint) = (error.to_string(), error.hint());
        match error {
            Results::Missing { .. }
            | Results::Exists { .. }
            | Results::Foreign { .. }
            | Results::NoTrial { .. } => Self::usage(what, hint),
            Results::Refused(_) | Results::Closed => Self::bug(what),
            _ => Self::environment(what, hint),
        }
    }
}

impl From<search::ConfigError> for Error {
    fn from(error: search::ConfigError) -> Self {
        let hint = error.hint().unwrap_or_default().to_owned();
        Self::Usage {
            what: error.to_string(),
            hint,
        }
    }
}

impl From<Vec<search::ConfigError>> for Error {
    /// All faults of a config in one message, each with its place; one alone keeps its hint apart.
    fn from(mut errors: Vec<search::ConfigError>) -> Self {
        match errors.len() {
            0 => Self::bug("a config was refused without a reason"),
            1 => errors.remove(0).into(),
            n => {
                let lines: Vec<String> = errors
                    .iter()
                    .map(|error| format!("\n  {}", error.one_line()))
                    .collect();
                Self::usage(
                    format!("{n} faults in the config{}", lines.concat()),
                    "mend them and run again; `autotune render --config FILE` checks a config",
                )
            }
        }
    }
}
