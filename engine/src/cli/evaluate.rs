//! `autotune evaluate`: a model's scores on a table that has the target.

use std::path::PathBuf;
use std::process::Stdio;

use clap::Args;

use super::apply::{ApplyArgs, apply};
use super::world::World;
use crate::error::{Error, Result};
use crate::exit::Exit;

/// Flags of `evaluate`.
#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    apply: ApplyArgs,
    /// Where the predictions go too: CSV, or Parquet when the name ends in .parquet.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Evaluates; the metrics go to stdout as one JSON object.
pub(crate) fn run(args: &EvaluateArgs, world: &mut World) -> Result<Exit> {
    let metrics = apply(
        "evaluate",
        &args.apply,
        args.output.as_deref(),
        Stdio::piped(),
        world,
    )?;
    let metrics: serde_json::Value = serde_json::from_slice(&metrics).map_err(|error| {
        Error::bug(format!(
            "the metrics of autotune-trial cannot be understood: {error}"
        ))
    })?;
    world.data.json(&metrics);
    Ok(Exit::Done)
}
