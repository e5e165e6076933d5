//! The flags of a run, in groups, and how they become a plan.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use clap::Args;
use search::config::Config;
use search::config::hyperopt::Executor;

use super::data_args::DataArgs;
use super::plan_checks::{agrees, tables};
use super::plan_values::{metric, name, split};
use super::world::{RUNS, World, cache_dir};
use super::{budget, config_file, size, trial_program};
use crate::error::{Error, Result};
use crate::fetch;
use crate::hardware::Hardware;
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
    let config = asked
        .config
        .map(|path| checked(asked, path, world))
        .transpose()?;
    let search = match &config {
        Some(config) if asked.verb == Verb::Search => config.hyperopt()?,
        _ => None,
    };
    let executor = search.as_ref().map(|search| &search.search.executor);
    let limits = limits(asked.limits, asked.max_trials, executor)?;
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
        asked.slots.or_else(|| at_once(executor)),
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
        program: None,
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

/// What a trial takes before its first step, libtorch and threads included, with room for a small network.
const LEAST_MEMORY: u64 = 256_000_000;

/// The config of a run, checked before anything is done.
fn checked(asked: &Asked<'_>, path: &Path, world: &World) -> Result<Config> {
    let config = config_file::read(path, world)?;
    config.model()?;
    agrees(asked, &config, path)?;
    if asked.verb == Verb::Search && config.hyperopt()?.is_none() {
        return Err(Error::usage(
            format!(
                "{} has no hyperopt section: there is nothing to search",
                path.display()
            ),
            "`autotune train --config FILE` trains it as it is; `autotune init` writes one with a search",
        ));
    }
    Ok(config)
}

/// The limits asked for, else those of the config that is searched: each of the command line replaces its own.
pub(super) fn limits(
    asked: &LimitArgs,
    max_trials: Option<u32>,
    executor: Option<&Executor>,
) -> Result<Limits> {
    let mut limits = Limits {
        budget: asked.budget,
        max_trials,
        max_epochs: asked.max_epochs,
    };
    if let Some(executor) = executor {
        // A number of trials alone is asked for where a run is to repeat, which no clock may cut.
        if limits.budget.is_none() && limits.max_trials.is_none() {
            limits.budget = executor.time_budget_s.map(seconds).transpose()?;
        }
        limits.max_trials = limits.max_trials.or(executor.num_samples);
    }
    if limits.budget.is_none() && limits.max_trials.is_none() {
        return Err(Error::usage(
            "neither --budget nor --max-trials says when the search ends",
            "give --budget, as in --budget 10m, or --max-trials N",
        ));
    }
    Ok(limits)
}

/// Trials at once, where the config says it.
pub(super) fn at_once(executor: Option<&Executor>) -> Option<usize> {
    usize::try_from(executor?.max_concurrent_trials?).ok()
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

/// A name of the user's choosing, unless a folder has it.
pub(super) fn taken(output: &Path, name: &str) -> Result<String> {
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
pub(super) fn free_name(output: &Path, dataset: &str, unix_ms: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

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
