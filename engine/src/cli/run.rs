//! `autotune run`, the default verb: the search.

use std::path::PathBuf;

use clap::Args;

use super::data_args::DataArgs;
use super::plan_args::{Asked, JudgeArgs, LimitArgs, MachineArgs, plan};
use super::world::World;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Mode, Summary};
use crate::run_plan::{RunPlan, Verb};

/// Flags of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Trials to begin at most; in place of a budget, and on one slot, a run repeats exactly.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    max_trials: Option<u32>,
    #[command(flatten)]
    judge: JudgeArgs,
    /// A base config to search in place of a proposed one, as `autotune init` writes it.
    #[arg(long, short, value_name = "FILE", help_heading = "Search")]
    config: Option<PathBuf>,
    /// What stops or pauses trials: asha (pauses and promotes), asha-stopping, hyperband, median, or fifo (nothing).
    #[arg(long, value_name = "SCHEDULER", value_parser = ["asha", "asha-stopping", "hyperband", "median", "fifo"], help_heading = "Search")]
    scheduler: Option<String>,
    /// What proposes configs after the tuned default: tpe learns from scores, evolution changes the best, sobol spreads evenly, random draws.
    #[arg(long, value_name = "SAMPLER", value_parser = ["tpe", "evolution", "sobol", "random"], help_heading = "Search")]
    sampler: Option<String>,
    /// Trials at once; by default one a GPU, else one a core.
    #[arg(long, value_name = "N", value_parser = n_slots, help_heading = "Machine")]
    slots: Option<usize>,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Reads a number of slots; how many there can be is seen with the machine.
pub(super) fn n_slots(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "give a whole number of trials at once, as in --slots 2".to_owned())
}

/// Searches.
pub(crate) fn run(args: &RunArgs, world: &mut World) -> Result<Exit> {
    let plan = plan(
        &Asked {
            verb: Verb::Search,
            data: &args.data,
            judge: &args.judge,
            limits: &args.limits,
            machine: &args.machine,
            config: args.config.as_deref(),
            max_trials: args.max_trials,
            slots: args.slots,
            scheduler: args.scheduler.as_deref(),
            sampler: args.sampler.as_deref(),
        },
        world,
    )?;
    start(&plan, world)
}

/// Starts what is planned and says what came of it.
pub(crate) fn start(plan: &RunPlan, world: &mut World) -> Result<Exit> {
    world.mode.say_plan(plan);
    let summary = crate::run::run(plan, &world.clock, world.mode.talk().as_ref())?;
    say(&summary, world);
    Ok(summary.exit)
}

/// Says what a run came to.
pub(crate) fn say(summary: &Summary, world: &mut World) {
    match world.mode {
        Mode::Json => world.data.json(&summary.to_json()),
        Mode::Human => world.data.line(&summary.render()),
        Mode::Quiet => {}
    }
}
