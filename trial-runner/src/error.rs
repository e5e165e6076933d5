//! What can go wrong in this crate, named by what it means for the caller.
//!
//! A message is a lowercase fragment that says what and where; `hint` says what to do
//! about it; `class` is the exit code of a verb, `failure` the kind under which a trial
//! process leaves.

use std::io;
use std::path::{Path, PathBuf};

use schedulers::protocol::FailureKind;

/// The result of anything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Who can do something about an error. The number is the exit code of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A fault of this program.
    Bug = 1,
    /// Wrong usage or a wrong config.
    User = 2,
    /// The data cannot be used.
    Data = 3,
    /// The machine: disk, memory, libtorch, GPU.
    Environment = 4,
}

/// Why this crate could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The command line or a spec file makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A config that cannot be read, or that no trial can run.
    #[error("{0}")]
    Config(String),
    /// Rows or columns that cannot be used.
    #[error("{what}")]
    Data {
        /// What is wrong, and where.
        what: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A table or prepared arrays that cannot be used.
    #[error(transparent)]
    Table(#[from] datasets::Error),
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file of ours whose content is not what its format says.
    #[error("{}: {what}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A file or message written by another version of this program.
    #[error("{what} has version {found}, and this program reads version {expected}")]
    WrongVersion {
        /// The file or message.
        what: String,
        /// Its version.
        found: u32,
        /// Ours.
        expected: u32,
    },
    /// The training loss is not a finite number any more.
    #[error("the training loss is not finite in epoch {epoch}")]
    Diverged {
        /// The epoch in which it happened, counted from 1.
        epoch: u32,
    },
    /// The memory of the machine, of the slot or of the GPU does not suffice.
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// A system call failed.
    #[error("{doing}: {source}")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// libtorch refused an operation.
    #[error("libtorch: {0}")]
    Torch(String),
    /// The machine lacks something that was asked for.
    #[error("{0}")]
    Environment(String),
    /// A fault of this program.
    #[error("{0}")]
    Bug(String),
}

impl Error {
    /// Data that cannot be used, without advice.
    pub fn data(what: impl Into<String>) -> Self {
        Self::Data {
            what: what.into(),
            hint: None,
        }
    }

    /// For `map_err` on a read of `path`.
    pub fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Read {
            path: path.to_owned(),
            source,
        }
    }

    /// For `map_err` on a write of `path`.
    pub fn writing(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Write {
            path: path.to_owned(),
            source,
        }
    }

    /// A file of ours with wrong content.
    pub fn corrupt(path: &Path, what: impl Into<String>) -> Self {
        Self::Corrupt {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    /// For `map_err` on a system call.
    pub fn system<E: Into<io::Error>>(doing: &'static str) -> impl FnOnce(E) -> Self {
        move |source| Self::System {
            doing,
            source: source.into(),
        }
    }

    /// Whether a reader has closed the pipe that was written to.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Table(datasets::Error::Io { source, .. }) if source.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Who can do something about it.
    pub fn class(&self) -> Class {
        match self {
            Self::Usage(_) | Self::Config(_) => Class::User,
            Self::Data { .. } | Self::Corrupt { .. } | Self::WrongVersion { .. } => Class::Data,
            Self::Table(error) => match error.class() {
                datasets::error::Class::Usage => Class::User,
                datasets::error::Class::Data => Class::Data,
                datasets::error::Class::Environment => Class::Environment,
            },
            Self::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => Class::Data,
            Self::Read { .. }
            | Self::Write { .. }
            | Self::System { .. }
            | Self::OutOfMemory(_)
            | Self::Environment(_) => Class::Environment,
            Self::Diverged { .. } => Class::User,
            Self::Torch(_) | Self::Bug(_) => Class::Bug,
        }
    }

    /// What to do about it, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Usage(_) => "`autotune-trial help` lists the verbs and their files",
            Self::Config(_) => "`autotune render --config FILE` checks a config without data",
            Self::Data { hint, .. } => return hint.clone(),
            Self::Table(error) => return error.hint(),
            Self::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "check the path; it is taken from the folder the command is started in"
            }
            Self::Read { .. } => "check that the file is readable for this user",
            Self::Write { .. } => "check the folder's permissions and the free disk space",
            Self::Corrupt { .. } => {
                "the file is damaged or was edited; make it again or restore it"
            }
            Self::WrongVersion { .. } => {
                "use the program that wrote it, or write it again with this one"
            }
            Self::Diverged { .. } => "lower trainer.learning_rate or set trainer.gradient_clipping",
            Self::OutOfMemory(_) => "lower trainer.batch_size, or free memory",
            Self::System { .. } | Self::Environment(_) => return None,
            Self::Torch(_) | Self::Bug(_) => {
                "this is a fault of autotune; please report it with the version and the config"
            }
        };
        Some(hint.to_owned())
    }

    /// What it means for a trial.
    pub fn failure(&self) -> FailureKind {
        match self {
            Self::Usage(_) | Self::Config(_) => FailureKind::BadConfig,
            Self::Data { .. } | Self::Corrupt { .. } => FailureKind::BadData,
            Self::Table(error) => match error.class() {
                datasets::error::Class::Usage | datasets::error::Class::Data => {
                    FailureKind::BadData
                }
                datasets::error::Class::Environment => FailureKind::Storage,
            },
            Self::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                FailureKind::BadData
            }
            Self::Read { .. } | Self::Write { .. } => FailureKind::Storage,
            Self::WrongVersion { .. } => FailureKind::WrongVersion,
            Self::Diverged { .. } => FailureKind::Diverged,
            Self::OutOfMemory(_) => FailureKind::OutOfMemory,
            Self::System { .. } | Self::Torch(_) | Self::Environment(_) | Self::Bug(_) => {
                FailureKind::Internal
            }
        }
    }

    /// Sorts a message of libtorch, or of a panic that carries one: memory has its own
    /// place, since the answer to it is a smaller batch.
    pub fn from_torch_message(message: &str) -> Self {
        let first = message.lines().next().unwrap_or_default().trim().to_owned();
        let memory = [
            "can't allocate memory",
            "not enough memory",
            "out of memory",
            "bad_alloc",
            "Cannot allocate memory",
        ];
        if memory.iter().any(|sign| message.contains(sign)) {
            Self::OutOfMemory(first)
        } else {
            Self::Torch(first)
        }
    }
}

impl From<tch::TchError> for Error {
    fn from(error: tch::TchError) -> Self {
        Self::from_torch_message(&error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_errors_of_libtorch_are_told_from_others() {
        let cases = [
            (
                "Internal torch error: DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes.",
                true,
            ),
            ("CUDA out of memory. Tried to allocate 2.00 GiB", true),
            (
                "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)\nException raised from meta",
                false,
            ),
        ];
        for (message, memory) in cases {
            let error = Error::from_torch_message(message);
            assert_eq!(matches!(error, Error::OutOfMemory(_)), memory, "{message}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
}
