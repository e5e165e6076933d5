//! How a trial process fails, and the exit codes that say so.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a trial, or one attempt at a leg of it, failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The training loss, or two scores in a row, were not finite.
    Diverged,
    /// Memory ran out: an allocation failed, the limit of the slot was hit, or the kernel killed it.
    OutOfMemory,
    /// The process could not use its config.
    BadConfig,
    /// The process could not use its data.
    BadData,
    /// The process speaks another version of the protocol.
    WrongVersion,
    /// A file could not be read or written: no space, no permission.
    Storage,
    /// A bug in the trial process; its log has more.
    Internal,
    /// It ended by a signal or an exit code that nobody here gave it.
    Crashed,
    /// Somebody else ended it with a signal.
    Killed,
    /// It took heartbeats, but no step.
    Hung,
    /// No heartbeat came any more.
    Lost,
    /// It could not be started, or did not say hello in time.
    LaunchFailed,
    /// The launcher died while starting it.
    LauncherDied,
}

impl FailureKind {
    /// Every kind, in the order of the declaration.
    pub const ALL: [Self; 13] = [
        Self::Diverged,
        Self::OutOfMemory,
        Self::BadConfig,
        Self::BadData,
        Self::WrongVersion,
        Self::Storage,
        Self::Internal,
        Self::Crashed,
        Self::Killed,
        Self::Hung,
        Self::Lost,
        Self::LaunchFailed,
        Self::LauncherDied,
    ];

    /// The exit code with which a trial process says this; nothing for what only the engine can see.
    ///
    /// Success is 0. The codes lie apart from those of shells (126 and up), of a Rust panic (101) and
    /// of `abort`.
    #[must_use]
    pub const fn exit_code(self) -> Option<u8> {
        match self {
            Self::Internal => Some(70),
            Self::Diverged => Some(71),
            Self::OutOfMemory => Some(72),
            Self::BadConfig => Some(73),
            Self::BadData => Some(74),
            Self::WrongVersion => Some(75),
            Self::Storage => Some(76),
            Self::Crashed
            | Self::Killed
            | Self::Hung
            | Self::Lost
            | Self::LaunchFailed
            | Self::LauncherDied => None,
        }
    }

    /// What a non-zero exit code means; `Crashed` when it is none of ours.
    #[must_use]
    pub fn from_exit_code(code: i32) -> Self {
        let named = |kind: &Self| kind.exit_code().is_some_and(|ours| i32::from(ours) == code);
        Self::ALL.into_iter().find(named).unwrap_or(Self::Crashed)
    }

    /// Whether the same leg may succeed when it is tried again: the machine failed, or memory ran out
    /// (then the batch is halved), not the config.
    #[must_use]
    pub const fn is_worth_a_retry(self) -> bool {
        match self {
            Self::OutOfMemory
            | Self::Killed
            | Self::Lost
            | Self::LaunchFailed
            | Self::LauncherDied => true,
            Self::Diverged
            | Self::BadConfig
            | Self::BadData
            | Self::WrongVersion
            | Self::Storage
            | Self::Internal
            | Self::Crashed
            | Self::Hung => false,
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Diverged => "it diverged",
            Self::OutOfMemory => "it ran out of memory",
            Self::BadConfig => "its config cannot be used",
            Self::BadData => "its data cannot be used",
            Self::WrongVersion => "it speaks another version of the protocol",
            Self::Storage => "a file could not be read or written",
            Self::Internal => "it met an internal error",
            Self::Crashed => "it crashed",
            Self::Killed => "it was killed from outside",
            Self::Hung => "it made no progress",
            Self::Lost => "its heartbeat stopped",
            Self::LaunchFailed => "it could not be started",
            Self::LauncherDied => "the launcher died",
        })
    }
}
