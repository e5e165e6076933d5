//! What is known of a table before it is read.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::source::ReadOptions;
use crate::{Error, Result};

/// What is learned from a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// One of two classes.
    Binary,
    /// One of more than two classes.
    Category,
    /// A number.
    Number,
}

/// Where a table comes from.
#[derive(Debug, Clone, Copy)]
pub enum Origin {
    /// The bytes of its file, part of the program.
    Embedded(&'static [u8]),
    /// A file that anybody can download.
    Url {
        /// The address.
        url: &'static str,
        /// Its SHA-256 in hex, where one has been checked.
        sha256: Option<&'static str>,
        /// Its size, where known, for the progress bar.
        size_bytes: Option<u64>,
    },
    /// A file that needs a login or an agreement.
    Login {
        /// The page that has it.
        page: &'static str,
        /// The name of the file on that page.
        file: &'static str,
    },
}

/// How the published results cut the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Split {
    /// At random, with these shares of training, validation and test.
    Random([f64; 3]),
    /// In the order of the file: rows of training, validation and test.
    InOrder([u64; 3]),
}

/// A table known by name.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name, as in `--dataset NAME`.
    pub name: &'static str,
    /// What it is about, in a line.
    pub about: &'static str,
    /// What is learned.
    pub task: Task,
    /// The column that is learned.
    pub target: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// Rows.
    pub rows: u64,
    /// Columns, the target counted.
    pub columns: u32,
    /// How the published results cut it.
    pub split: Split,
    /// The licence of the data.
    pub licence: &'static str,
    /// Whether the file begins with a line of names.
    pub header: bool,
    /// Names of the columns of a file without a header; empty otherwise.
    pub column_names: &'static [&'static str],
    /// Columns to leave out: ids and near-copies of the target.
    pub ignore: &'static [&'static str],
    /// Whether source, rows and columns were checked against the file itself.
    pub verified: bool,
}

impl Entry {
    /// The name of the local file.
    #[must_use]
    pub fn file_name(&self) -> String {
        match self.origin {
            Origin::Embedded(_) => format!("{}.csv.gz", self.name),
            Origin::Url { url, .. } => url.rsplit('/').next().unwrap_or(self.name).to_owned(),
            Origin::Login { file, .. } => file.to_owned(),
        }
    }

    /// Where the file stands, or has to be put, in the cache folder of tables.
    #[must_use]
    pub fn local_path(&self, cache: &Path) -> PathBuf {
        cache.join(self.name).join(self.file_name())
    }

    /// Writes an embedded table into the cache folder, unless it stands there, and gives its path.
    /// `None` for a table that is not embedded.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn materialise(&self, cache: &Path) -> Result<Option<PathBuf>> {
        let Origin::Embedded(bytes) = self.origin else {
            return Ok(None);
        };
        let path = self.local_path(cache);
        if std::fs::metadata(&path).is_ok_and(|file| file.len() == bytes.len() as u64) {
            return Ok(Some(path));
        }
        let dir = path.parent().unwrap_or(cache);
        std::fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
        let part = dir.join(format!("{}.{}.part", self.file_name(), std::process::id()));
        let written = std::fs::File::create(&part).and_then(|mut file| file.write_all(bytes));
        written
            .and_then(|()| std::fs::rename(&part, &path))
            .map_err(Error::io("write", &path))?;
        Ok(Some(path))
    }

    /// How its file is read.
    #[must_use]
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            header: Some(self.header),
            column_names: (!self.column_names.is_empty()).then(|| {
                self.column_names
                    .iter()
                    .map(|&name| name.to_owned())
                    .collect()
            }),
            ..ReadOptions::default()
        }
    }
}
