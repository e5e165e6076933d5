//! Reads the config files that users name.

use std::io::ErrorKind;
use std::path::Path;

use search::config::Config;

use super::world::World;
use crate::error::{Error, Result};

/// Reads and checks a config; what was read otherwise than written is said.
pub(crate) fn read(path: &Path, world: &World) -> Result<Config> {
    let text = std::fs::read_to_string(path).map_err(|source| {
        if source.kind() == ErrorKind::NotFound {
            Error::usage(
                format!("no config at {}", path.display()),
                "check the path; `autotune init` writes one",
            )
        } else if source.kind() == ErrorKind::InvalidData {
            Error::usage(
                format!("{} is not text in UTF-8", path.display()),
                "name a YAML file",
            )
        } else {
            Error::file("read", path)(source)
        }
    })?;
    let (config, warnings) = Config::parse(&text, &path.display().to_string())?;
    for warning in warnings {
        world.warn(warning.to_string());
    }
    Ok(config)
}
