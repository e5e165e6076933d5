//! `autotune predict`: a model's predictions for the rows of a table.

use std::path::PathBuf;
use std::process::Stdio;

use clap::Args;

use super::apply::{ApplyArgs, apply};
use super::world::World;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::Mode;

/// Flags of `predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    apply: ApplyArgs,
    /// Where the predictions go: CSV, or Parquet when the name ends in .parquet; stdout as CSV where not given.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Predicts.
pub(crate) fn run(args: &PredictArgs, world: &mut World) -> Result<Exit> {
    apply(
        "predict",
        &args.apply,
        args.output.as_deref(),
        Stdio::inherit(),
        world,
    )?;
    if let (Some(output), Mode::Json) = (&args.output, world.mode) {
        world
            .data
            .json(&serde_json::json!({ "event": "predicted", "output": output }));
    }
    Ok(Exit::Done)
}
