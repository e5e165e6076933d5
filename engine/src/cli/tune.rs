//! `autotune tune`: the search over the parameters of a program of the user's.

use std::path::{Path, PathBuf};

use clap::Args;
use search::config::Config;
use search::config::program::Program;
use search::config::scheduler::{Scheduler, Variant};
use serde_json::{Value, json};

use super::config_file;
use super::plan_args::{LimitArgs, MachineArgs, at_once, free_name, limits, taken};
use super::run::{n_slots, start};
use super::world::{World, cache_dir};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::hardware::Hardware;
use crate::run_plan::{RunPlan, Verb, choose_gpus, lay_out};

/// What stands under the help.
const CONTRACT: &str = "\
A trial is the command, run by a shell, {name} replaced by the value of the parameter. It prints a line of JSON
that has the metric, after each epoch or once: {\"epoch\": 3, \"loss\": 0.25}. All else it prints is kept in
trials/N/stdout.log. Without --max-epochs its last line counts. With it, a trial is judged epoch by epoch: one
that falls behind gets SIGTERM. Where the command has {checkpoint}, the name of a folder, it is paused instead
and later started again: it must save its state there before it prints a line, and go on from what it finds.
Other names: {trial}, {seed}, {epochs} (where to stop for now), {max_epochs}; and in the environment
AUTOTUNE_PARAMETERS (JSON), AUTOTUNE_SEED, AUTOTUNE_EPOCH (epochs done), AUTOTUNE_MAX_EPOCHS,
AUTOTUNE_CHECKPOINT. {{name}} is the text {name}.

Examples:
  autotune tune --command 'python train.py --lr {lr}' --space space.yaml --budget 10m
  autotune tune --command './train.sh {lr} {checkpoint}' --space space.yaml --max-epochs 27 --budget 1h

space.yaml has the keys of Ludwig's hyperopt section:
  metric: loss
  goal: minimize
  parameters:
    lr: {space: loguniform, lower: 1.0e-5, upper: 0.1}
    layers: {space: randint, lower: 1, upper: 5}";

/// Flags of `tune`.
#[derive(Debug, Args)]
#[command(after_help = CONTRACT)]
pub(crate) struct TuneArgs {
    /// The command of a trial, for a POSIX shell; {name} stands for the value of a parameter.
    #[arg(
        long,
        value_name = "COMMAND",
        requires = "space",
        required_unless_present = "config",
        help_heading = "Program"
    )]
    command: Option<String>,
    /// What is searched: YAML with the keys of a hyperopt section.
    #[arg(
        long,
        value_name = "FILE",
        requires = "command",
        help_heading = "Program"
    )]
    space: Option<PathBuf>,
    /// Both in one, as a run writes it to its config.yaml.
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["command", "space"], help_heading = "Program")]
    config: Option<PathBuf>,
    /// The key of the lines by which trials are judged; loss where nothing says.
    #[arg(long, value_name = "KEY", help_heading = "Program")]
    metric: Option<String>,
    /// Whether the metric is made small or large.
    #[arg(long, value_name = "GOAL", value_parser = ["minimize", "maximize"], help_heading = "Program")]
    goal: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Trials to begin at most.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    max_trials: Option<u32>,
    /// What stops or pauses trials: asha (pauses and promotes; needs {checkpoint}), asha-stopping, hyperband (needs {checkpoint}), median, or fifo (nothing).
    #[arg(long, value_name = "SCHEDULER", value_parser = ["asha", "asha-stopping", "hyperband", "median", "fifo"], help_heading = "Search")]
    scheduler: Option<String>,
    /// What proposes values: tpe learns from scores, evolution changes the best, sobol spreads evenly, random draws.
    #[arg(long, value_name = "SAMPLER", value_parser = ["tpe", "evolution", "sobol", "random"], help_heading = "Search")]
    sampler: Option<String>,
    /// Trials at once; by default one a GPU, else one a core.
    #[arg(long, value_name = "N", value_parser = n_slots, help_heading = "Machine")]
    slots: Option<usize>,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Tunes.
pub(crate) fn run(args: &TuneArgs, world: &mut World) -> Result<Exit> {
    let plan = plan(args, world)?;
    start(&plan, world)
}

/// Resolves what was asked against this machine.
fn plan(args: &TuneArgs, world: &World) -> Result<RunPlan> {
    let config = config(args, world)?;
    let Program {
        command,
        search: Some(search),
        ..
    } = checked(&config, args.limits.max_epochs)?
    else {
        return Err(Error::usage(
            "the config has no hyperopt section: there is nothing to tune",
            "add one, with the parameters that are searched",
        ));
    };
    let limits = limits(&args.limits, args.max_trials, Some(&search.executor))?;
    let machine = &args.machine;
    let hardware = Hardware::measure();
    let gpus = choose_gpus(&hardware, machine.gpus.as_deref())?;
    let slots = lay_out(
        &hardware,
        &gpus,
        args.slots.or_else(|| at_once(Some(&search.executor))),
        usize::try_from(std::process::id()).unwrap_or(0),
    )?;
    let name = match &machine.name {
        Some(name) => taken(&machine.output, name)?,
        None => free_name(&machine.output, subject(&command), crate::clock::unix_ms()),
    };
    Ok(RunPlan {
        verb: Verb::Tune,
        folder: machine.output.join(&name),
        name,
        cache: cache_dir(),
        // No model is trained.
        trial_binary: PathBuf::new(),
        dataset: command,
        validation: None,
        test: None,
        no_test: true,
        target: None,
        types: std::collections::BTreeMap::new(),
        ignore: Vec::new(),
        split: None,
        metric: args.metric.clone(),
        encoding: None,
        config: args.config.clone(),
        program: Some(config),
        limits,
        seed: args.limits.seed,
        hardware,
        slots,
        memory_limit_bytes: machine.memory_limit,
        scheduler: args.scheduler.clone(),
        sampler: args.sampler.clone(),
        command_line: world.command_line.clone(),
    })
}

/// The config of the run: what was given, and what the flags say otherwise.
fn config(args: &TuneArgs, world: &World) -> Result<Config> {
    let mut config = match (&args.config, &args.command, &args.space) {
        (Some(path), _, _) => config_file::read(path, world)?,
        (None, Some(command), Some(space)) => config_file::read_space(command, space, world)?,
        (None, _, _) => {
            return Err(Error::usage(
                "nothing says what is tuned",
                "give --command and --space, or --config",
            ));
        }
    };
    if config.get("hyperopt").is_none() {
        return Ok(config);
    }
    let mut set = |key: &str, value: Value| config.set(&format!("hyperopt.{key}"), value);
    if let Some(metric) = &args.metric {
        set("metric", json!(metric))?;
    }
    if let Some(goal) = &args.goal {
        set("goal", json!(goal))?;
    }
    if let Some(sampler) = &args.sampler {
        set("search_alg", json!({ "type": sampler }))?;
    }
    if let Some(scheduler) = &args.scheduler {
        set("executor.scheduler", written(scheduler))?;
    }
    fill_in(&mut config, args.limits.max_epochs)?;
    Ok(config)
}

/// Writes what the file leaves open, so that it can be read and changed: no number of trials, the sampler that learns,
/// and where a trial has epochs, the scheduler that suits its program.
fn fill_in(config: &mut Config, max_epochs: Option<u32>) -> Result<()> {
    let keeps_checkpoints = config
        .program()?
        .is_some_and(|program| program.keeps_checkpoints());
    let has_epochs = max_epochs.is_some_and(|epochs| epochs > 1);
    let scheduler = match (has_epochs, keeps_checkpoints) {
        (true, true) => written("asha"),
        (true, false) => written("asha-stopping"),
        (false, _) => written("fifo"),
    };
    for (key, value) in [
        ("search_alg.type", json!("tpe")),
        ("executor.num_samples", Value::Null),
        ("executor.time_budget_s", Value::Null),
        ("executor.scheduler", scheduler),
    ] {
        let path = format!("hyperopt.{key}");
        if config.get(&path).is_none() {
            config.set(&path, value)?;
        }
    }
    Ok(())
}

/// A scheduler by its flag, as it is written in a config.
fn written(flag: &str) -> Value {
    let asha = |variant: &str| {
        json!({
            "type": "async_hyperband", "variant": variant, "max_t": null, "grace_period": null, "reduction_factor": 3,
        })
    };
    match flag {
        "asha" => asha("promotion"),
        "asha-stopping" => asha("stopping"),
        "hyperband" => json!({ "type": "hyperband", "max_t": null }),
        "median" => json!({
            "type": "median_stopping_rule", "time_attr": "training_iteration", "grace_period": 4,
        }),
        _ => json!({ "type": "fifo" }),
    }
}

/// The program, if what it is to do can be done.
fn checked(config: &Config, max_epochs: Option<u32>) -> Result<Program> {
    let program = config.program()?.ok_or_else(|| {
        Error::usage(
            "this is the config of a model, not of a program",
            "`autotune run --config FILE` searches it; `tune` wants model_type: program",
        )
    })?;
    let Some(search) = &program.search else {
        return Ok(program);
    };
    let (max_t, pauses) = match &search.scheduler {
        Scheduler::AsyncHyperband(asha) => (Some(asha.max_t), asha.variant == Variant::Promotion),
        Scheduler::Hyperband(hyperband) => (Some(hyperband.max_t), true),
        Scheduler::MedianStopping(_) => (Some(None), false),
        Scheduler::Fifo => (None, false),
    };
    if max_t == Some(None) && max_epochs.is_none() {
        return Err(Error::usage(
            "nothing says how many epochs a full trial has",
            "give --max-epochs N, or max_t of the scheduler; --scheduler fifo runs every program to its end",
        ));
    }
    if pauses && !program.keeps_checkpoints() {
        return Err(Error::usage(
            "this scheduler pauses trials, and the command has no {checkpoint} to go on from",
            "put {checkpoint}, a folder, into the command, or use --scheduler asha-stopping",
        ));
    }
    Ok(program)
}

/// What a run is named by: the program's script, or else the program.
fn subject(command: &str) -> &str {
    let words = || command.split_whitespace();
    let is_script = |word: &&str| {
        Path::new(word).extension().is_some() && !word.starts_with('-') && !word.contains('{')
    };
    words()
        .find(is_script)
        .or_else(|| words().next())
        .unwrap_or("program")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_by_its_script() {
        for (command, expected) in [
            ("python train.py --lr {lr}", "train.py"),
            ("./bin/fit --lr {lr}", "./bin/fit"),
            ("sh -c 'exit 1'", "sh"),
            ("  ", "program"),
        ] {
            assert_eq!(subject(command), expected);
        }
    }
}
