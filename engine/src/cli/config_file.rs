//! Reads the config files that users name.

use std::io::ErrorKind;
use std::path::Path;

use search::Warning;
use search::config::Config;

use super::world::World;
use crate::error::{Error, Result};

/// Reads and checks a config; what was read otherwise than written is said.
pub(crate) fn read(path: &Path, world: &World) -> Result<Config> {
    let text = text(path, "check the path; `autotune init` writes one")?;
    let read = Config::parse(&text, &path.display().to_string())?;
    Ok(warned(read, world))
}

/// Reads what is searched of a program, and makes its config.
pub(crate) fn read_space(command: &str, path: &Path, world: &World) -> Result<Config> {
    let text = text(path, "check the path; `autotune tune --help` shows one")?;
    let read = Config::of_program(command, &text, &path.display().to_string())?;
    Ok(warned(read, world))
}

fn text(path: &Path, hint: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|source| {
        if source.kind() == ErrorKind::NotFound {
            Error::usage(format!("no file at {}", path.display()), hint)
        } else if source.kind() == ErrorKind::InvalidData {
            Error::usage(
                format!("{} is not text in UTF-8", path.display()),
                "name a YAML file",
            )
        } else {
            Error::file("read", path)(source)
        }
    })
}

fn warned((config, warnings): (Config, Vec<Warning>), world: &World) -> Config {
    for warning in warnings {
        world.warn(warning.to_string());
    }
    config
}
