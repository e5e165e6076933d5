//! The table: columns of one length, in one folder.

use std::path::{Path, PathBuf};

use super::column::Column;
use super::manifest::Manifest;
use crate::Result;

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

    /// What the table was made from, source and options of reading, as one hash: tables with equal keys are equal.
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
}
