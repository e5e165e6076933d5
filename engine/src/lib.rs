//! The hands of `autotune`: the command line, the run, processes, files and screens.
//!
//! What happens next is decided elsewhere (`schedulers::conductor`); this crate asks, acts
//! and writes down. Read `run` for the life of a run, `dispatcher` for the loop in its
//! middle, `backend` for how a trial becomes a process.

pub mod autoconfig;
pub mod backend;
pub mod cli;
pub mod clock;
pub mod dispatcher;
pub mod error;
pub mod exit;
pub mod fetch;
pub mod hardware;
pub mod look;
pub mod output;
pub mod replay;
pub mod run;
pub mod run_plan;
pub mod signal;
pub mod watchdog;

pub use error::{Error, Result};
pub use exit::Exit;

/// Runs the command line of this process; the whole of the binary `autotune`.
pub fn main() -> std::process::ExitCode {
    cli::main()
}
