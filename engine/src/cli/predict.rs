//! `autotune predict`: a model's predictions for the rows of a table.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::Args;

use super::apply::{ApplyArgs, apply};
use super::world::World;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::Mode;

/// Flags of `predict`.
#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    apply: ApplyArgs,
    /// Where the predictions go: a new file, CSV (.csv or no ending) or Parquet (.parquet, .pq); a pipe or a device, as
    /// CSV; stdout as CSV where not given, or with `-`. Needed with --json.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Predicts.
pub(crate) fn run(args: &PredictArgs, world: &mut World) -> Result<Exit> {
    let output = args
        .output
        .as_deref()
        .filter(|file| *file != Path::new("-"));
    if output.is_none() && world.mode == Mode::Json {
        return Err(Error::usage(
            "with --json the predictions, which are CSV, need a file",
            "give --output FILE, or leave --json out",
        ));
    }
    apply("predict", &args.apply, output, Stdio::inherit(), world)?;
    if let (Some(output), Mode::Json) = (output, world.mode) {
        world
            .data
            .json(&serde_json::json!({ "event": "predicted", "output": output }));
    }
    Ok(Exit::Done)
}
