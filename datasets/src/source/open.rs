//! A source: one local file that holds a table.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{fingerprint, sniff, stream};
use crate::{Error, Result};

/// What the user says about a text file; each `None` is found out from the content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOptions {
    /// The encoding's name, as in `--encoding latin1`; else a byte order mark decides, else UTF-8.
    pub encoding: Option<String>,
    /// The byte between fields.
    pub delimiter: Option<u8>,
    /// Whether the first line names the columns.
    pub header: Option<bool>,
    /// Names for the columns, in place of those in the file.
    pub column_names: Option<Vec<String>>,
}

/// The format of a table's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Delimited text.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// One JSON object a line.
    JsonLines,
    /// Apache Arrow IPC file (Feather version 2).
    Ipc,
}

/// How the file is compressed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not.
    None,
    /// Gzip, one or more members.
    Gzip,
}

/// A local file that holds a table, looked at but not yet read.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Its format, told by its content first and its name second.
    pub format: Format,
    /// Its compression, told by its content.
    pub compression: Compression,
    /// Its size on disk.
    pub size_bytes: u64,
    /// A hash of content and read options, 16 hex digits. Over the whole content up to 64 MB; beyond that
    /// over size, time of change and 64 blocks spread over the file.
    pub fingerprint: String,
    /// What the user said about it.
    pub options: ReadOptions,
}

impl Source {
    /// Looks at the file at `path`.
    ///
    /// # Errors
    /// `NotFound`, `NotAFile`, `Empty`, `NotATable` (binary files, web pages, archives), `UnknownEncoding`.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let metadata = std::fs::metadata(path).map_err(|source| {
            if source.kind() == std::io::ErrorKind::NotFound {
                Error::NotFound(path.to_owned())
            } else {
                Error::io("read", path)(source)
            }
        })?;
        if !metadata.is_file() {
            return Err(Error::NotAFile(path.to_owned()));
        }
        if metadata.len() == 0 {
            return Err(Error::Empty {
                path: path.to_owned(),
                what: "is empty",
            });
        }
        if let Some(name) = &options.encoding {
            stream::encoding(name)?;
        }
        let (format, compression) = sniff::format(path, options)?;
        Ok(Self {
            path: path.to_owned(),
            format,
            compression,
            size_bytes: metadata.len(),
            fingerprint: fingerprint::fingerprint(path, &metadata, options)?,
            options: options.clone(),
        })
    }
}
