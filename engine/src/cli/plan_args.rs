//! The flags of a run, in groups, and how they become a plan.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use clap::Args;
use datasets::registry;
use search::Metric;
use search::config::Config;
use search::metric::TargetKind;

use super::data_args::DataArgs;
use super::world::{RUNS, World, cache_dir};
use super::{budget, config_file, size, trial_program};
use crate::error::{Error, Result};
use crate::fetch;
use crate::hardware::Hardware;
use crate::look::target_left_out;
use crate::run_plan::{Limits, RunPlan, Verb, choose_gpus, lay_out};

/// How rows are parted, and what they are judged by.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judging")]
pub(crate) struct JudgeArgs {
    /// A separate table to test the final model on; nothing of the main table is then kept back for testing.
    #[arg(long, value_name = "DATASET", conflicts_with = "no_test")]
    pub(crate) test: Option<String>,
    /// A separate table to judge trials on.
    #[arg(long, value_name = "DATASET")]
    pub(crate) validation: Option<String>,
    /// Keep nothing back for testing.
    #[arg(long)]
    pub(crate) no_test: bool,
    /// How rows are parted: random, or stratify, datetime, group, fixed, hash or folds with a column, as in datetime:sold_on.
    #[arg(long, value_name = "SPLIT", value_parser = split)]
    pub(crate) split: Option<String>,
    /// What trials are judged by: roc_auc, log_loss, accuracy, f1, root_mean_squared_error, r2, ...
    #[arg(long, value_name = "METRIC", value_parser = metric)]
    pub(crate) metric: Option<String>,
}

/// When a run ends, and what it draws from.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// The time from the command to the prompt: 60s, 5m, 2h, 1h30m. It is kept.
    #[arg(long, short, value_name = "TIME", value_parser = budget::parse)]
    pub(crate) budget: Option<Duration>,
    /// Epochs of a full training.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_epochs: Option<u32>,
    /// The seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 42)]
    pub(crate) seed: u64,
}

/// What of the machine is used, and where the run is put.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct MachineArgs {
    /// GPUs to use: all, none, or numbers with commas between.
    #[arg(long, value_name = "LIST")]
    pub(crate) gpus: Option<String>,
    /// The most memory a trial may take: 2GB, 512MB.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub(crate) memory_limit: Option<u64>,
    /// The folder of the runs.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    pub(crate) output: PathBuf,
    /// The name of the run, that of its folder; by default the table and the time.
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,
}

/// Everything a plan is made from.
pub(crate) struct Asked<'a> {
    pub(crate) verb: Verb,
    pub(crate) data: &'a DataArgs,
    pub(crate) judge: &'a JudgeArgs,
    pub(crate) limits: &'a LimitArgs,
    pub(crate) machine: &'a MachineArgs,
    pub(crate) config: Option<&'a Path>,
    pub(crate) max_trials: Option<u32>,
    pub(crate) slots: Option<usize>,
    pub(crate) scheduler: Option<&'a str>,
    pub(crate) sampler: Option<&'a str>,
}

/// Resolves what was asked against this machine. Everything that can be wrong without reading data is found here.
pub(crate) fn plan(asked: &Asked<'_>, world: &World) -> Result<RunPlan> {
    let Asked {
        data,
        judge,
        machine,
        ..
    } = asked;
    tables(data, judge, world)?;
    let limits = limits(asked, world)?;
    if let Some(bytes) = machine.memory_limit.filter(|bytes| *bytes < LEAST_MEMORY) {
        return Err(Error::usage(
            format!(
                "--memory-limit {}: a trial cannot start with so little",
                size::show(bytes)
            ),
            "give at least 256MB",
        ));
    }
    let hardware = Hardware::measure();
    let gpus = choose_gpus(&hardware, machine.gpus.as_deref())?;
    let slots = lay_out(
        &hardware,
        &gpus,
        asked.slots,
        usize::try_from(std::process::id()).unwrap_or(0),
    )?;
    let name = match &machine.name {
        Some(name) => taken(&machine.output, name)?,
        None => free_name(&machine.output, &data.dataset, crate::clock::unix_ms()),
    };
    let trial_binary = trial_program::find()?;
    Ok(RunPlan {
        verb: asked.verb,
        folder: machine.output.join(&name),
        name,
        cache: cache_dir(),
        trial_binary,
        dataset: data.dataset.clone(),
        validation: judge.validation.clone(),
        test: judge.test.clone(),
        no_test: judge.no_test,
        target: data.target.clone(),
        types: data
            .types()
            .into_iter()
            .map(|(column, kind)| (column, kind.name().to_owned()))
            .collect(),
        ignore: data.ignore.clone(),
        split: judge.split.clone(),
        metric: judge.metric.clone(),
        encoding: data.encoding.clone(),
        config: asked.config.map(Path::to_owned),
        limits,
        seed: asked.limits.seed,
        hardware,
        slots,
        memory_limit_bytes: machine.memory_limit,
        scheduler: asked.scheduler.map(str::to_owned),
        sampler: asked.sampler.map(str::to_owned),
        command_line: world.command_line.clone(),
    })
}

/// The tables that are named, as far as they can be told wrong before they are read.
fn tables(data: &DataArgs, judge: &JudgeArgs, world: &World) -> Result<()> {
    for dataset in [
        Some(&data.dataset),
        judge.test.as_ref(),
        judge.validation.as_ref(),
    ]
    .into_iter()
    .flatten()
    {
        exists(dataset)?;
    }
    if let Some(target) = data
        .target
        .as_ref()
        .filter(|name| data.ignore.contains(name))
    {
        return Err(target_left_out(target));
    }
    for (flag, table) in [("--test", &judge.test), ("--validation", &judge.validation)] {
        if table
            .as_ref()
            .is_some_and(|table| is_same(table, &data.dataset))
        {
            world.warn(format!(
                "{flag} names the table that is learned from: scores on it say nothing about new rows"
            ));
        }
    }
    Ok(())
}

/// What a trial takes before its first step, libtorch and threads included, with room for a small network.
const LEAST_MEMORY: u64 = 256_000_000;

/// The limits asked for, else those of the config; the config is checked here, before anything is done.
fn limits(asked: &Asked<'_>, world: &World) -> Result<Limits> {
    let mut limits = Limits {
        budget: asked.limits.budget,
        max_trials: asked.max_trials,
        max_epochs: asked.limits.max_epochs,
    };
    if let Some(path) = asked.config {
        let config = config_file::read(path, world)?;
        config.model()?;
        agrees(asked, &config, path)?;
        match (asked.verb, config.hyperopt()?) {
            (Verb::Search, None) => {
                return Err(Error::usage(
                    format!(
                        "{} has no hyperopt section: there is nothing to search",
                        path.display()
                    ),
                    "`autotune train --config FILE` trains it as it is; `autotune init` writes one with a search",
                ));
            }
            // Each limit of the command line replaces its own of the config. A number of trials alone is asked for
            // where a run is to repeat, which no clock may cut.
            (Verb::Search, Some(search)) => {
                if limits.budget.is_none() && limits.max_trials.is_none() {
                    limits.budget = search.executor.time_budget_s.map(seconds).transpose()?;
                }
                limits.max_trials = limits.max_trials.or(search.executor.num_samples);
            }
            (Verb::Train, _) => {}
        }
    }
    if limits.budget.is_none() && limits.max_trials.is_none() {
        return Err(Error::usage(
            "neither --budget nor --max-trials says when the search ends",
            "give --budget, as in --budget 10m, or --max-trials N",
        ));
    }
    Ok(limits)
}

/// A config says what is learned from what, and how rows are parted: a flag that says otherwise is an error, since
/// following either in silence would be wrong.
fn agrees(asked: &Asked<'_>, config: &Config, path: &Path) -> Result<()> {
    let preparation = config.preparation()?;
    let at_odds = |flag: &str, says: String, key: &str| {
        Err(Error::usage(
            format!("{flag} is at odds with {}: {says}", path.display()),
            format!("leave the flag out, or edit {key} of the config"),
        ))
    };
    let target = &preparation.target.column;
    if let Some(wanted) = asked
        .data
        .target
        .as_ref()
        .filter(|wanted| *wanted != target)
    {
        return at_odds(
            &format!("--target {wanted}"),
            format!("it predicts {target}"),
            "output_features",
        );
    }
    if let Some(name) = asked.data.ignore.iter().find(|name| *name == target) {
        return at_odds(
            &format!("--ignore {name}"),
            format!("it predicts {name}"),
            "output_features",
        );
    }
    let is_input = |name: &String| preparation.inputs.iter().any(|input| input.column == *name);
    if let Some(name) = asked.data.ignore.iter().find(|name| is_input(name)) {
        return at_odds(
            &format!("--ignore {name}"),
            format!("it learns from {name}"),
            "input_features",
        );
    }
    if let Some((column, kind)) = asked.data.types().into_iter().next() {
        let says = "it says what each column is".to_owned();
        return at_odds(
            &format!("--type {column}={}", kind.name()),
            says,
            "the column's type",
        );
    }
    if let Some(split) = &asked.judge.split {
        let says = "it says how rows are parted".to_owned();
        return at_odds(&format!("--split {split}"), says, "preprocessing.split");
    }
    Ok(())
}

/// The budget that a config gives.
fn seconds(time_budget_s: f64) -> Result<Duration> {
    budget::from_seconds(time_budget_s).map_err(|why| {
        Error::usage(
            format!("hyperopt.executor.time_budget_s: {why}"),
            "give a budget in seconds, or --budget",
        )
    })
}

/// A dataset that will be found: an address and a known name are taken at their word until they are fetched.
fn exists(dataset: &str) -> Result<()> {
    if fetch::is_address(dataset) || registry::find(dataset).is_some() {
        Ok(())
    } else {
        fetch::local(dataset).map(drop)
    }
}

/// Whether two names are of one table.
fn is_same(a: &str, b: &str) -> bool {
    let file = |name: &str| fetch::local(name).ok()?.metadata().ok();
    a == b
        || matches!((file(a), file(b)), (Some(a), Some(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// A name of the user's choosing, unless a folder has it.
fn taken(output: &Path, name: &str) -> Result<String> {
    let folder = output.join(name);
    if folder.exists() {
        return Err(Error::usage(
            format!("{} is there already", folder.display()),
            "choose another --name, or remove the folder",
        ));
    }
    Ok(name.to_owned())
}

/// The table and the time, and a number where two runs begin in the same second.
fn free_name(output: &Path, dataset: &str, unix_ms: u64) -> String {
    let time =
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(unix_ms)).to_string();
    let time: String = time.chars().filter(char::is_ascii_digit).collect();
    let (day, clock) = time.split_at(8.min(time.len()));
    let base = format!("{}-{day}-{clock}", fetch::label(dataset));
    let names = std::iter::once(base.clone()).chain((2..).map(|n| format!("{base}-{n}")));
    names
        .into_iter()
        .find(|name| !output.join(name).exists())
        .unwrap_or(base)
}

/// Reads a run's name: one folder, not hidden.
fn name(text: &str) -> Result<String, String> {
    let odd = text
        .chars()
        .any(|c| c == '/' || c == '\\' || c.is_control());
    if text.is_empty() || odd || text.starts_with('.') || text.starts_with('-') || text.len() > 100
    {
        return Err(
            "a name is one folder: no slashes, no dot or dash in front, at most 100 characters"
                .to_owned(),
        );
    }
    Ok(text.to_owned())
}

/// Splits that need a column, and the one that may have one.
const WITH_COLUMN: [&str; 6] = ["stratify", "datetime", "group", "fixed", "hash", "folds"];

/// Reads a split: its kind, and its column behind a colon.
fn split(text: &str) -> Result<String, String> {
    let (kind, column) = text
        .split_once(':')
        .map_or((text, None), |(kind, column)| (kind, Some(column)));
    match column {
        None if kind == "random" || kind == "stratify" => Ok(text.to_owned()),
        Some("") | None if WITH_COLUMN.contains(&kind) => {
            Err(format!("name its column: {kind}:COLUMN"))
        }
        Some(_) if kind == "random" => Err("a random split has no column".to_owned()),
        Some(_) if WITH_COLUMN.contains(&kind) => Ok(text.to_owned()),
        _ => Err(format!(
            "\"{kind}\" is no split: random, stratify, datetime:COLUMN, group:COLUMN, fixed:COLUMN, hash:COLUMN or folds:COLUMN"
        )),
    }
}

/// Reads a metric that some target has; whether this target has it is seen later.
fn metric(text: &str) -> Result<String, String> {
    let kinds = [TargetKind::Binary, TargetKind::Category, TargetKind::Number];
    if kinds
        .iter()
        .any(|kind| Metric::named(text, *kind).is_some())
    {
        return Ok(text.to_owned());
    }
    let mut names: Vec<String> = kinds
        .iter()
        .flat_map(|kind| Metric::all_for(*kind))
        .map(Metric::name)
        .collect();
    names.sort_unstable();
    names.dedup();
    let near = datasets::nearest::nearest(text, names.iter().map(String::as_str));
    Err(near.map_or_else(
        || format!("no such metric; there are {}", names.join(", ")),
        |near| format!("no such metric; did you mean {near}?"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_read_with_their_columns() {
        for text in [
            "random",
            "stratify",
            "stratify:sex",
            "datetime:sold on",
            "group:a:b",
            "folds:fold",
        ] {
            assert_eq!(split(text), Ok(text.to_owned()));
        }
        for (text, part) in [
            ("datetime", "name its column"),
            ("group:", "name its column"),
            ("random:x", "no column"),
            ("kfold", "is no split"),
        ] {
            assert!(
                split(text).unwrap_err().contains(part),
                "{text}: {:?}",
                split(text)
            );
        }
    }

    #[test]
    fn metrics_are_read_by_any_of_their_names() {
        for text in ["roc_auc", "loss", "log_loss", "root_mean_squared_error"] {
            assert_eq!(metric(text), Ok(text.to_owned()));
        }
        assert!(metric("roc_auk").unwrap_err().contains("roc_auc"));
        assert!(metric("zzzzzz").unwrap_err().contains("accuracy"));
    }

    #[test]
    fn names_are_one_folder() {
        for bad in ["", "a/b", "..", "-x", "a\nb"] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
        assert_eq!(name("my run 1"), Ok("my run 1".to_owned()));
    }

    #[test]
    fn a_run_is_named_by_table_and_time_and_never_twice() {
        let output = tempfile::tempdir().unwrap();
        let first = free_name(output.path(), "x/adult.csv", 1_796_086_212_999);
        assert_eq!(first, "adult-20261201-005012");
        std::fs::create_dir(output.path().join(&first)).unwrap();
        assert_eq!(
            free_name(output.path(), "adult", 1_796_086_212_999),
            "adult-20261201-005012-2"
        );
        assert_eq!(
            taken(output.path(), &first).unwrap_err().exit(),
            crate::Exit::Usage
        );
    }
}
