//! The trial process.

use std::process::ExitCode;

fn main() -> ExitCode {
    trial_runner::main()
}
