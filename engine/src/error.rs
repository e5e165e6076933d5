//! Everything that can end a command without its result, each with its exit code and a hint.

use std::path::PathBuf;

/// The result of whatever can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a command could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("cannot {act} {}: {source}", path.display())]
    File {
        /// What was tried: `read`, `write`, `create`, ...
        act: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
