//! The way of a command: arguments in, exit code out.

use std::panic;
use std::process::ExitCode;

use clap::Parser;

use super::args::{Cli, Verb, with_default_verb};
use super::world::World;
use super::{
    ask_tell, clean, datasets, doctor, evaluate, explain, export, init, list, predict, profile,
    render, resume, run, train, trials, tune,
};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Data, say_panic};

/// Runs the command line of this process.
pub(crate) fn main() -> ExitCode {
    let clock = Clock::of_process();
    panic::set_hook(Box::new(|panic| say_panic(&panic.to_string())));
    let typed: Vec<_> = std::env::args_os().collect();
    let command_line = typed
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let cli = match Cli::try_parse_from(with_default_verb(typed)) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let mode = cli.talk.mode();
    let mut world = World {
        command_line,
        mode,
        data: Data::new(),
        clock,
    };
    let exit = panic::catch_unwind(panic::AssertUnwindSafe(|| verb(&cli.verb, &mut world)));
    let exit = exit.map(|exit| match (exit, world.data.finish()) {
        // What was asked for is not done as long as nobody can read it.
        (Ok(_), Err(error)) => Err(Error::environment(
            format!("cannot write to standard output: {error}"),
            "free some space, or send the output elsewhere",
        )),
        (exit, _) => exit,
    });
    match exit {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => {
            mode.say_error(&error);
            error.exit()
        }
        // The hook has said it.
        Err(_) => Exit::Bug,
    }
    .into()
}

/// Help and version are data; anything else clap says is wrong usage.
fn refuse(error: &clap::Error) -> ExitCode {
    // What cannot be printed cannot be told either.
    let _ = error.print();
    if error.use_stderr() {
        Exit::Usage.into()
    } else {
        Exit::Done.into()
    }
}

fn verb(verb: &Verb, world: &mut World) -> Result<Exit> {
    match verb {
        Verb::Run(args) => run::run(args, world),
        Verb::Profile(args) => profile::run(args, world),
        Verb::Init(args) => init::run(args, world),
        Verb::Render(args) => render::run(args, world),
        Verb::Train(args) => train::run(args, world),
        Verb::Tune(args) => tune::run(args, world),
        Verb::AskTell(args) => ask_tell::run(args, world),
        Verb::Predict(args) => predict::run(args, world),
        Verb::Evaluate(args) => evaluate::run(args, world),
        Verb::Resume(args) => resume::run(args, world),
        Verb::List(args) => list::run(args, world),
        Verb::Trials(args) => trials::run(args, world),
        Verb::Explain(args) => explain::run(args, world),
        Verb::Export(args) => export::run(args, world),
        Verb::Clean(args) => clean::run(args, world),
        Verb::Datasets(verb) => datasets::run(verb, world),
        Verb::Doctor(args) => doctor::run(args, world),
        Verb::ChildProfile(args) => profile::child(args, world),
    }
}
