//! The verbs of `autotune-trial`.
//!
//! The engine is the caller; a person meets this program when a trial is run by hand.
//! Standard output is data. An error is one line, a hint another, on standard error.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::error::{Error, Result};
use crate::predict::Life;
use crate::train::guarded;
use crate::{launcher, predict, prepare, session, sys};

const HELP: &str = "\
autotune-trial: one trial, one process. `autotune` starts it; by hand:

  autotune-trial run SPEC               the task in a spec.json; reports on standard output
  autotune-trial prepare --spec FILE    a table into the arrays that trials read
  autotune-trial predict --spec FILE    a model applied to a new file
  autotune-trial evaluate --spec FILE   a model scored on a new file
                                        with --until-stdin-ends after FILE, both end with their caller
  autotune-trial launcher               forks trials for an engine on its standard input
  autotune-trial version
";

/// Ties a verb to the program that holds the other end of standard input.
const UNTIL_STDIN_ENDS: &str = "--until-stdin-ends";

/// Runs the command line of `autotune-trial`.
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    session::quiet_panics();
    match guarded(|| run(&args)) {
        Ok(code) => code,
        Err(error) => {
            // Nobody to tell where standard error is closed.
            let mut err = io::stderr();
            drop(writeln!(err, "error: {error}"));
            if let Some(hint) = error.hint() {
                drop(writeln!(err, "hint: {hint}"));
            }
            ExitCode::from(error.class() as u8)
        }
    }
}

fn run(args: &[OsString]) -> Result<ExitCode> {
    let words: Vec<&str> = args
        .iter()
        .map(|arg| arg.to_str().unwrap_or_default())
        .collect();
    match words.as_slice() {
        ["launcher"] => launcher::serve()?,
        // Left at once: libtorch's exit handlers wait for its thread pools.
        ["run", _] => sys::exit_now(session::run_cold(Path::new(&args[1]))),
        ["prepare", "--spec", _] => prepare::main(Path::new(&args[2]))?,
        ["predict", "--spec", _] => predict::predict(Path::new(&args[2]), Life::OfItsOwn)?,
        ["predict", "--spec", _, UNTIL_STDIN_ENDS] => {
            predict::predict(Path::new(&args[2]), Life::OfTheCaller)?
        }
        ["evaluate", "--spec", _] => predict::evaluate(Path::new(&args[2]), Life::OfItsOwn)?,
        ["evaluate", "--spec", _, UNTIL_STDIN_ENDS] => {
            predict::evaluate(Path::new(&args[2]), Life::OfTheCaller)?
        }
        ["version"] => say(&format!(
            "autotune-trial {} protocol {} model format {}\n",
            env!("CARGO_PKG_VERSION"),
            schedulers::protocol::VERSION,
            crate::package::FORMAT
        ))?,
        [] | ["help" | "--help" | "-h"] => say(HELP)?,
        [verb, ..] => {
            return Err(Error::Usage(format!(
                "`{verb}` with these arguments is no verb of autotune-trial"
            )));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn say(text: &str) -> Result<()> {
    match io::stdout().write_all(text.as_bytes()) {
        // A reader that has seen enough.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Error::system("cannot write to standard output")),
    }
}
