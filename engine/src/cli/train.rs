//! `autotune train`: one config trained to its end, without a search.

use std::path::PathBuf;

use clap::Args;

use super::data_args::DataArgs;
use super::plan_args::{Asked, JudgeArgs, LimitArgs, MachineArgs, plan};
use super::run::start;
use super::world::World;
use crate::error::Result;
use crate::exit::Exit;
use crate::run_plan::Verb;

/// Flags of `train`.
#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// The config, as `autotune export` writes it.
    #[arg(long, short, value_name = "FILE")]
    config: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Trains.
pub(crate) fn run(args: &TrainArgs, world: &mut World) -> Result<Exit> {
    let plan = plan(
        &Asked {
            verb: Verb::Train,
            data: &args.data,
            judge: &args.judge,
            limits: &args.limits,
            machine: &args.machine,
            config: Some(&args.config),
            max_trials: Some(1),
            slots: Some(1),
            scheduler: Some("fifo"),
            sampler: None,
        },
        world,
    )?;
    start(&plan, world)
}
