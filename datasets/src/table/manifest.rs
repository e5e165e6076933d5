//! The list of a table's columns on disk: `table.json`, written last, so that a folder with it is whole.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Error, Finding, Result};

/// The version of the layout. Another version is decoded anew, never read.
pub(super) const VERSION: u32 = 1;
/// The file's name.
pub(super) const FILE: &str = "table.json";

/// The content of `table.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) version: u32,
    /// What the table was made from: source and options.
    pub(super) key: String,
    pub(super) n_rows: u64,
    pub(super) columns: Vec<ColumnFile>,
    pub(super) findings: Vec<Finding>,
}

/// One column of the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ColumnFile {
    pub(super) name: String,
    pub(super) stored: Stored,
    pub(super) n_missing: u64,
    pub(super) n_unread: u64,
    /// The distinct words read as missing, where they are few.
    pub(super) unread: Vec<String>,
    pub(super) leading_zeros: bool,
}

/// The files of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stored {
    /// `values`: f64.
    Number,
    /// `values`: i64.
    Time,
    /// `values`: u8.
    Bool,
    /// `codes`: u32 a row; `ends`, `text`: the dictionary.
    Coded,
    /// `ends`, `text`: the rows.
    Plain,
}

impl Manifest {
    /// Reads the list of the folder `dir`.
    pub(super) fn read(dir: &Path) -> Result<Self> {
        let failed = |why: String| Error::NotIngested {
            dir: dir.to_owned(),
            why,
        };
        let text = std::fs::read(dir.join(FILE)).map_err(|error| failed(error.to_string()))?;
        let manifest: Self =
            serde_json::from_slice(&text).map_err(|error| failed(error.to_string()))?;
        if manifest.version == VERSION {
            Ok(manifest)
        } else {
            Err(failed(format!(
                "it has layout {}, this program reads {VERSION}",
                manifest.version
            )))
        }
    }

    /// Writes the list into the folder `dir`.
    pub(super) fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(FILE);
        let text = serde_json::to_vec_pretty(self)
            .map_err(std::io::Error::from)
            .map_err(Error::io("write", &path))?;
        std::fs::write(&path, text).map_err(Error::io("write", &path))
    }
}
