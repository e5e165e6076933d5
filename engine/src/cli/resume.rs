//! `autotune resume`: goes on with a run that was cut short, interrupted, or is to have more time.

use std::time::Duration;

use clap::Args;

use super::run::say;
use super::run_ref::{RunRef, wait};
use super::world::{World, cache_dir};
use super::{budget, trial_program};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::run::{self, Earlier};
use crate::run_plan::{Place, RunPlan};

/// Flags of `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    run: RunRef,
    /// More time than was given before: 30s, 10m, 2h.
    #[arg(long, value_name = "TIME", value_parser = budget::parse)]
    add_budget: Option<Duration>,
}

/// Goes on.
pub(crate) fn run(args: &ResumeArgs, world: &mut World) -> Result<Exit> {
    let added = args.add_budget.unwrap_or_default();
    let (folder, earlier) = wait(async {
        let (folder, reader) = args.run.open().await?;
        reader.close().await;
        let earlier = Earlier::read(&folder, added).await?;
        Ok((folder, earlier))
    })?;
    if run::is_running(&folder) {
        return Err(Error::usage(
            format!("a process works on the run {}", folder.display()),
            "wait until it is over",
        ));
    }
    let began = earlier.began()?;
    let place = Place {
        folder: folder.clone(),
        cache: cache_dir(),
        trial_binary: trial_program::find()?,
    };
    let mut plan = RunPlan::from_kept(&began.name, &began.plan, place)?;
    let in_all = plan
        .limits
        .budget
        .map(|budget| budget.saturating_add(earlier.added_in_all()));
    plan.limits.budget = in_all;
    has_room(&earlier, in_all)?;
    let clock = world.clock.clone().going_on_at(earlier.left_at());
    world.mode.say_plan(&plan);
    let summary = run::resume(&plan, &earlier, &clock, world.mode.talk().as_ref())?;
    say(&summary, world);
    Ok(summary.exit)
}

/// An error when there is nothing left to be done with the run.
fn has_room(earlier: &Earlier, budget: Option<Duration>) -> Result<()> {
    /// Less than this is gone before a trial has begun.
    const LEAST: Duration = Duration::from_secs(2);
    let left = budget.map(|budget| budget.saturating_sub(earlier.left_at().0));
    match left {
        Some(left) if left < LEAST => Err(Error::usage(
            format!(
                "the run has used its budget of {}",
                budget::show(budget.unwrap_or_default())
            ),
            "give it more, as in --add-budget 10m",
        )),
        Some(_) => Ok(()),
        None if earlier.is_done() => Err(Error::usage(
            "the run has done all the trials it was asked for",
            "start a new one with more --max-trials",
        )),
        None => Ok(()),
    }
}
