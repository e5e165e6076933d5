//! The table: columns of one length, in one folder, opened by mapping their files.

use std::path::{Path, PathBuf};

use super::column::{Column, Data};
use super::manifest::{Manifest, Stored};
use super::write::stem;
use crate::mapped::{Mapped, Plain};
use crate::{Error, Result};

/// A columnar copy of a source on disk, mapped into memory: what is not touched costs no memory.
#[derive(Debug)]
pub struct Table {
    pub(crate) dir: PathBuf,
    pub(crate) n_rows: usize,
    pub(crate) columns: Vec<Column>,
}

impl Table {
    /// Rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The columns, in the order of the file.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name() == name)
    }

    /// What the table was made from, source and options of reading: tables with equal keys are equal.
    ///
    /// # Errors
    /// `NotIngested` when the folder has been taken away since.
    pub fn key(&self) -> Result<String> {
        Ok(Manifest::read(&self.dir)?.key)
    }

    /// The folder that holds the columns.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

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
                data: data(dir, index, file.stored)?,
            };
            if column.values().len() != n_rows {
                return Err(failed(format!(
                    "column \"{}\" has {} rows, not {n_rows}",
                    file.name,
                    column.values().len()
                )));
            }
            if !column.is_sound() {
                return Err(failed(format!(
                    "column \"{}\" has codes without a text",
                    file.name
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
