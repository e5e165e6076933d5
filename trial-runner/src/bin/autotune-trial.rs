//! The trial process.

use std::process::ExitCode;

#[global_allocator]
static MEMORY: trial_runner::sys::Memory = trial_runner::sys::Memory;

fn main() -> ExitCode {
    trial_runner::main()
}
