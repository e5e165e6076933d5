//! `autotune render`: a config checked, and filled in with every default.

use std::path::PathBuf;

use clap::Args;

use super::config_file;
use super::world::World;
use super::write::write_new;
use crate::error::Result;
use crate::exit::Exit;

/// Flags of `render`.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The config.
    #[arg(long, short, value_name = "FILE")]
    config: PathBuf,
    /// The file to write; stdout where not given.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Renders. A config that holds to the schema but that no trial can run yet is rendered, and it is said.
pub(crate) fn run(args: &RenderArgs, world: &mut World) -> Result<Exit> {
    let config = config_file::read(&args.config, world)?;
    let filled = config.filled();
    for error in config.model().err().unwrap_or_default() {
        world.warn(format!("cannot be run yet: {}", error.one_line()));
    }
    let yaml = filled.to_yaml(&filled.docs());
    match &args.output {
        Some(path) => write_new(path, &yaml)?,
        None => world.data.line(&yaml),
    }
    Ok(Exit::Done)
}
