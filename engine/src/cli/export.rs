//! `autotune export RUN`: the config of a trial, concrete and editable, for `autotune train`.

use std::path::PathBuf;

use clap::Args;

use super::run_ref::{RunRef, wait};
use super::world::World;
use super::write::write_new;
use crate::error::{Error, Result};
use crate::exit::Exit;

/// Flags of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    run: RunRef,
    /// The trial; the best one where not given.
    #[arg(long, value_name = "N")]
    trial: Option<u32>,
    /// The file to write; stdout where not given.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
}

/// Writes the config.
pub(crate) fn run(args: &ExportArgs, world: &mut World) -> Result<Exit> {
    let path = wait(async {
        let (folder, reader) = args.run.open().await?;
        let path = match args.trial {
            // Asked of the record first, which knows how many trials there are.
            Some(trial) => folder
                .join("trials")
                .join(reader.trial(trial).await?.trial.trial.to_string())
                .join("config.yaml"),
            None => folder.join("best_config.yaml"),
        };
        reader.close().await;
        Ok(path)
    })?;
    let config = std::fs::read_to_string(&path).map_err(|source| {
        if source.kind() == std::io::ErrorKind::NotFound && args.trial.is_none() {
            Error::usage(
                format!("the run has no best config: {} is missing", path.display()),
                "it did not get as far; --trial N exports that of a trial",
            )
        } else {
            Error::File {
                act: "read",
                path: path.clone(),
                source,
            }
        }
    })?;
    match &args.to {
        Some(to) => write_new(to, &config)?,
        None => world.data.line(&config),
    }
    Ok(Exit::Done)
}
