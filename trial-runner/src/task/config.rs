//! Reads the config of a task.

use std::path::Path;

use search::ConfigError;
use search::config::Config;
use search::config::model::Model;

use crate::error::{Error, Result};

/// The text of a config and the model it describes.
pub fn read(path: &Path) -> Result<(String, Model)> {
    let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
    let model = parse(&text, &path.display().to_string())?;
    Ok((text, model))
}

/// The model that the text of a config describes; `name` is where it is from, for messages.
pub fn parse(text: &str, name: &str) -> Result<Model> {
    let (config, _) = Config::parse(text, name).map_err(|faults| one_line(&faults))?;
    config.model().map_err(|faults| one_line(&faults))
}

/// The first fault in full: one that writes a config has seen them all before.
fn one_line(faults: &[ConfigError]) -> Error {
    let first = faults.first().map_or_else(
        || "the config cannot be used".to_owned(),
        ConfigError::one_line,
    );
    Error::Config(match faults.len() {
        0 | 1 => first,
        n => format!("{first} (and {} more)", n - 1),
    })
}
