//! Why a folder of prepared arrays cannot be written or read.

use std::io;
use std::path::{Path, PathBuf};

use super::VERSION;

/// A folder that is no folder of prepared arrays, or cannot become one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder has no manifest.
    #[error("{} holds no prepared arrays", dir.display())]
    NotPrepared {
        /// The folder.
        dir: PathBuf,
    },
    /// Another version wrote it.
    #[error("the prepared arrays in {} have version {found}, and this program reads version {VERSION}", dir.display())]
    Version {
        /// The folder.
        dir: PathBuf,
        /// Its version.
        found: u32,
    },
    /// A file is not what the manifest says.
    #[error("{}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The manifest has no form in JSON.
    #[error("the manifest cannot be written: {0}")]
    Unwritable(serde_json::Error),
}

impl StoreError {
    /// For `map_err`.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            doing,
            path,
            source,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotPrepared { .. } => "name a folder that `autotune-trial prepare` has written",
            Self::Version { .. } | Self::Damaged { .. } => {
                "delete the folder; it is a cache and is made again"
            }
            Self::Io { .. } => {
                "check the folder's permissions and the free disk space; `autotune clean` removes prepared arrays"
            }
            Self::Unwritable(_) => "this is a fault of autotune; please report it",
        }
    }
}
