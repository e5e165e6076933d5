//! The command line: one file a verb.

mod budget;
mod size;
mod trial_program;

use std::process::ExitCode;

use crate::exit::Exit;

/// Runs the command line of this process.
pub(crate) fn main() -> ExitCode {
    Exit::Done.into()
}
