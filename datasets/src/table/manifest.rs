//! The list of a table's columns on disk: `table.json`, written last, so that a folder with it is whole.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::column::{Column, Data};
use super::table::Table;
use super::write::stem;
use crate::mapped::{Mapped, Plain};
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

impl Table {
    /// Opens a folder that `ingest` has written.
    ///
    /// # Errors
    /// `NotIngested` when it holds no whole table of this version.
    pub fn open(dir: &Path) -> Result<Self> {
        Self::map(dir, &Manifest::read(dir)?)
    }

    pub(super) fn map(dir: &Path, manifest: &Manifest) -> Result<Self> {
        let failed = |why: String| Error::NotIngested {
            dir: dir.to_owned(),
            why,
        };
        let n_rows = usize::try_from(manifest.n_rows).map_err(|error| failed(error.to_string()))?;
        let mut columns = Vec::with_capacity(manifest.columns.len());
        for (index, file) in manifest.columns.iter().enumerate() {
            let column = Column {
                name: file.name.clone(),
                n_rows,
                n_missing: file.n_missing,
                n_unread: file.n_unread,
                leading_zeros: file.leading_zeros,
                data: data(dir, index, file.stored)?,
            };
            if column.values().len() != n_rows {
                return Err(failed(format!(
                    "column \"{}\" has {} rows, not {n_rows}",
                    file.name,
                    column.values().len()
                )));
            }
            columns.push(column);
        }
        Ok(Self {
            dir: dir.to_owned(),
            n_rows,
            columns,
        })
    }
}

fn data(dir: &Path, index: usize, stored: Stored) -> Result<Data> {
    let stem = stem(dir, index);
    Ok(match stored {
        Stored::Number => Data::Number(mapped(dir, &stem, "values")?),
        Stored::Time => Data::Time(mapped(dir, &stem, "values")?),
        Stored::Bool => Data::Bool(mapped(dir, &stem, "values")?),
        Stored::Coded => Data::Coded {
            codes: mapped(dir, &stem, "codes")?,
            ends: mapped(dir, &stem, "ends")?,
            bytes: mapped(dir, &stem, "text")?,
        },
        Stored::Plain => Data::Plain {
            ends: mapped(dir, &stem, "ends")?,
            bytes: mapped(dir, &stem, "text")?,
        },
    })
}

fn mapped<T: Plain>(dir: &Path, stem: &Path, extension: &str) -> Result<Mapped<T>> {
    let path = stem.with_extension(extension);
    Mapped::open(&path).map_err(|error| Error::NotIngested {
        dir: dir.to_owned(),
        why: format!("{}: {error}", path.display()),
    })
}
