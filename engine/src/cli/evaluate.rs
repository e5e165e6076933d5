//! `autotune evaluate`: a model's scores on a table that has the target.

use std::path::{Path, PathBuf};
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
    /// Where the predictions go too: a new file, CSV (.csv or no ending) or Parquet (.parquet, .pq).
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Evaluates; the metrics go to stdout as one JSON object.
pub(crate) fn run(args: &EvaluateArgs, world: &mut World) -> Result<Exit> {
    if args.output.as_deref() == Some(Path::new("-")) {
        return Err(Error::usage(
            "--output -: the scores go to stdout",
            "name a file for the predictions, or leave --output out",
        ));
    }
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
