//! What can go wrong in here: lines of the protocol. (Transitions that no trial may make are `trial::IllegalTransition`.)

/// The result of everything fallible in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Every error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A message cannot be written as JSON.
    #[error("message cannot be written as JSON: {0}")]
    Encode(#[source] serde_json::Error),
    /// A line is no message of the protocol.
    #[error("line is no message of the protocol: {0}")]
    Decode(#[source] serde_json::Error),
    /// A line is longer than any message.
    #[error("line is longer than {limit} bytes")]
    LineTooLong {
        /// The limit.
        limit: usize,
    },
    /// The other side speaks another version.
    #[error("protocol version {theirs}, expected {ours}")]
    WrongVersion {
        /// Our version.
        ours: u32,
        /// The other side's.
        theirs: u32,
    },
}

impl Error {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Encode(_) => "paths must be Unicode; choose another folder",
            Self::Decode(_) | Self::LineTooLong { .. } => {
                "something else wrote to the pipe; see the trial's stderr.log"
            }
            Self::WrongVersion { .. } => {
                "install `autotune` and `autotune-trial` of one version, side by side"
            }
        }
    }
}
