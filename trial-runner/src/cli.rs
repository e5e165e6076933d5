//! The verbs of `autotune-trial`.

use std::process::ExitCode;

/// Runs the command line of `autotune-trial`.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
