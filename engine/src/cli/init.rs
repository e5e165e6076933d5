//! `autotune init`: the base config that `run` would search.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::data_args::DataArgs;
use super::plan_args::JudgeArgs;
use super::world::World;
use super::write::write_new;
use super::{budget, profile};
use crate::autoconfig::{Wishes, propose};
use crate::error::Result;
use crate::exit::Exit;

/// Flags of `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    judge: JudgeArgs,
    /// The time of the search, to be written into the config.
    #[arg(long, short, value_name = "TIME", value_parser = budget::parse)]
    budget: Option<Duration>,
    /// The file to write; stdout where not given.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the config.
pub(crate) fn run(args: &InitArgs, world: &mut World) -> Result<Exit> {
    let seen = profile::seen(&args.data, world, true)?;
    let wishes = Wishes {
        dataset: args.data.dataset.clone(),
        metric: args.judge.metric.clone(),
        split: args.judge.split.clone(),
        no_test_part: args.judge.no_test || args.judge.test.is_some(),
        validation_table: args.judge.validation.is_some(),
        budget: args.budget,
        ..Wishes::default()
    };
    let yaml = propose(&seen.profile, &seen.inference, &wishes)?.to_yaml();
    match &args.output {
        Some(path) => write_new(path, &yaml)?,
        None => world.data.line(&yaml),
    }
    Ok(Exit::Done)
}
