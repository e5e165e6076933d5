//! What is wrong, what was read otherwise than written, and where.

use crate::config::schema::types::Key;
use crate::error::{ConfigError, Warning};

/// Gathers faults and warnings.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) file: String,
    pub(crate) errors: Vec<ConfigError>,
    pub(crate) warnings: Vec<Warning>,
}

/// Where a value stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub(crate) path: &'a str,
    /// Line of its key; 0 where no file holds it.
    pub(crate) line: usize,
    /// The key it stands under, for hints.
    pub(crate) key: Option<&'a Key>,
}

impl<'a> Spot<'a> {
    /// A value that is not under a key of a section.
    pub(crate) fn new(path: &'a str, line: usize) -> Spot<'a> {
        Spot {
            path,
            line,
            key: None,
        }
    }
}

impl Log {
    pub(crate) fn error(
        &mut self,
        line: usize,
        path: &str,
        what: impl Into<String>,
        hint: Option<String>,
    ) {
        self.errors.push(ConfigError {
            file: self.file.clone(),
            line: (line > 0).then_some(line),
            path: path.to_owned(),
            what: what.into(),
            hint,
        });
    }

    pub(crate) fn warn(&mut self, line: usize, path: &str, what: impl Into<String>) {
        self.warnings.push(Warning {
            file: self.file.clone(),
            line: (line > 0).then_some(line),
            path: path.to_owned(),
            what: what.into(),
        });
    }
}

/// The path of a key in a section.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}
