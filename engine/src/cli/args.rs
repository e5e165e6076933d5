//! The verbs and their flags, and the rule that `run` may be left out.

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand};

use super::{
    ask_tell, clean, datasets, doctor, evaluate, explain, export, init, list, predict, profile,
    render, resume, run, train, trials, tune,
};
use crate::output::Mode;

/// What stands under the help.
const EXAMPLES: &str = "\
Examples:
  autotune --dataset adult --budget 60s
  autotune --dataset houses.csv --target price --budget 10m
  autotune init --dataset houses.csv --target price --output config.yaml
  autotune run --config config.yaml --dataset houses.csv --budget 10m
  autotune predict --model autotune-runs/RUN --dataset new.csv --output predictions.csv

Exit codes: 0 done, 1 bug, 2 wrong usage or config, 3 unusable data, 4 environment (disk, memory,
libtorch, GPU, network, budget too short), 5 no trial succeeded and the baseline is saved,
130 and 143 interrupted with the best so far saved.";

/// Searches for the best model of a table, and shows every choice it makes.
#[derive(Debug, Parser)]
#[command(name = "autotune", version, about = "Searches for the best model of a table, and shows every choice it makes.", after_help = EXAMPLES, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// How a command talks; the same for every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Talk")]
pub(crate) struct TalkArgs {
    /// Say nothing but errors.
    #[arg(long, short, global = true, conflicts_with = "json")]
    quiet: bool,
    /// Make stdout one JSON object a line.
    #[arg(long, global = true)]
    json: bool,
}

impl TalkArgs {
    /// The mode asked for.
    pub(crate) fn mode(&self) -> Mode {
        match (self.quiet, self.json) {
            (true, _) => Mode::Quiet,
            (_, true) => Mode::Json,
            (false, false) => Mode::Human,
        }
    }
}

/// The verbs, in the order in which they are used.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Search for the best model of a table (the default verb).
    Run(Box<run::RunArgs>),
    /// Show what each column is, with the evidence.
    Profile(profile::ProfileArgs),
    /// Write the base config that `run` would search, every choice with its reason.
    Init(init::InitArgs),
    /// Check a config and fill in every default; needs no data.
    Render(render::RenderArgs),
    /// Train one config, without a search.
    Train(Box<train::TrainArgs>),
    /// Tune the parameters of a program of your own.
    Tune(Box<tune::TuneArgs>),
    /// Propose values and learn from scores, over standard input and output.
    AskTell(ask_tell::AskTellArgs),
    /// Predict the rows of a table with a model.
    Predict(predict::PredictArgs),
    /// Score a model on a table that has the target.
    Evaluate(evaluate::EvaluateArgs),
    /// Go on with a run that was cut short, or give it more time.
    Resume(resume::ResumeArgs),
    /// List the runs.
    List(list::ListArgs),
    /// Show the trials of a run, best first.
    Trials(trials::TrialsArgs),
    /// Say why a default was chosen, or why a trial ended.
    Explain(explain::ExplainArgs),
    /// Write the config of a run's best trial, or of any trial, to be edited and trained again.
    Export(export::ExportArgs),
    /// Remove what is kept for reuse: prepared arrays, read tables, downloads.
    Clean(clean::CleanArgs),
    /// The tables known by name.
    #[command(subcommand)]
    Datasets(datasets::DatasetsVerb),
    /// Show what was found on this machine, and what to do about what was not.
    Doctor(doctor::DoctorArgs),
    /// Read and profile a table for another process of ours.
    #[command(name = "__profile", hide = true)]
    ChildProfile(profile::ChildArgs),
}

/// The flags of every verb; they may stand before it.
const GLOBAL: [&str; 3] = ["--quiet", "-q", "--json"];

/// Puts `run` in front of flags that no verb comes before: `autotune --dataset adult --budget 60s`.
pub(crate) fn with_default_verb(mut args: Vec<OsString>) -> Vec<OsString> {
    let first = args
        .iter()
        .skip(1)
        .position(|arg| !GLOBAL.iter().any(|flag| arg == flag))
        .map(|at| at + 1);
    if let Some(at) = first {
        let word = args[at].to_string_lossy();
        if word.starts_with('-') && !["-h", "--help", "-V", "--version"].contains(&word.as_ref()) {
            args.insert(at, "run".into());
        }
    }
    args
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_may_be_left_out() {
        for (typed, read) in [
            (
                "autotune --dataset x --budget 1m",
                "autotune run --dataset x --budget 1m",
            ),
            (
                "autotune --quiet --dataset x",
                "autotune --quiet run --dataset x",
            ),
            ("autotune --json list", "autotune --json list"),
            ("autotune list --json", "autotune list --json"),
            ("autotune --help", "autotune --help"),
            ("autotune -V", "autotune -V"),
            ("autotune trian --dataset x", "autotune trian --dataset x"),
            ("autotune", "autotune"),
        ] {
            let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
            assert_eq!(with_default_verb(words(typed)), words(read), "{typed}");
        }
    }

    #[test]
    fn every_help_reads_well() {
        let mut command = Cli::command().term_width(100);
        command.build();
        let mut text = command.render_help().to_string();
        let mut add = |command: &mut clap::Command| {
            let name = command.get_name().to_owned();
            text.push_str(&format!("\n======== {name}\n\n{}", command.render_help()));
        };
        for verb in command
            .get_subcommands_mut()
            .filter(|verb| !verb.is_hide_set())
        {
            add(verb);
            verb.get_subcommands_mut().for_each(&mut add);
        }
        insta::assert_snapshot!(text);
    }
}
