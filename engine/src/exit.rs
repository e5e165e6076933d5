//! The exit codes of `autotune`, in one place.

use std::process::ExitCode;

/// How a command ended, for scripts; the numbers are a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// What was asked for is done.
    Done = 0,
    /// A fault of this program.
    Bug = 1,
    /// A wrong command line or config.
    Usage = 2,
    /// Data that cannot be used.
    Data = 3,
    /// The machine is in the way: disk, memory, libtorch, GPU, network, or a budget too short for any model.
    Environment = 4,
    /// No trial succeeded; the baseline model is saved.
    NoTrial = 5,
    /// Interrupted by Ctrl-C; the best model so far is saved.
    Interrupted = 130,
    /// Terminated by a signal; the best model so far is saved.
    Terminated = 143,
}

impl Exit {
    /// The number a shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
