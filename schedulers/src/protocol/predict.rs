//! How the engine asks `autotune-trial predict` and `evaluate` to apply a model to a file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{VERSION, check_version};
use crate::error::{Error, Result};

/// The content of the file behind `--spec`. Predictions go to `output`, or as CSV to standard output;
/// the metrics of an evaluation go to standard output as one JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredictSpec {
    /// The protocol version of the writer.
    pub version: u32,
    /// The model's folder.
    pub model_dir: PathBuf,
    /// The table, a local file.
    pub source: PathBuf,
    /// What is said about that file, beyond what its content tells.
    pub read: Reading,
    /// Where predictions go: a new file, CSV (`.csv` or no ending) or Parquet (`.parquet`, `.pq`), or a pipe or a
    /// device; nothing for standard output.
    pub output: Option<PathBuf>,
    /// A folder for the decoded table, made where there is none; the caller deletes it.
    pub scratch_dir: PathBuf,
    /// Threads to use.
    pub threads: u32,
}

/// What is said about a text file; each `None` is found out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reading {
    /// The encoding's name.
    pub encoding: Option<String>,
    /// The byte between fields.
    pub delimiter: Option<u8>,
    /// Whether the first line names the columns.
    pub header: Option<bool>,
    /// Names for the columns, in place of those in the file.
    pub column_names: Option<Vec<String>>,
}

impl PredictSpec {
    /// The text of the file.
    ///
    /// # Errors
    /// When a path in it is not Unicode.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self).map_err(Error::Encode)
    }

    /// Reads the file; the version is looked at before all else.
    ///
    /// # Errors
    /// When it is of another version, not JSON, or lacks something.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let versioned: Versioned = serde_json::from_str(text).map_err(Error::Decode)?;
        check_version(versioned.version)?;
        serde_json::from_str(text).map_err(Error::Decode)
    }

    /// A spec of this version for a file that needs no words, to standard output, with one thread.
    #[must_use]
    pub fn new(model_dir: PathBuf, source: PathBuf, scratch_dir: PathBuf) -> Self {
        Self {
            version: VERSION,
            model_dir,
            source,
            read: Reading::default(),
            output: None,
            scratch_dir,
            threads: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_read_back_as_written_and_another_version_is_refused() {
        let mut spec = PredictSpec::new("model".into(), "new.csv".into(), "scratch".into());
        spec.read.delimiter = Some(b';');
        spec.output = Some("out.parquet".into());
        let text = spec.to_json().unwrap();
        assert_eq!(PredictSpec::from_json(&text).unwrap(), spec);
        let other = text.replace("\"version\": 1", "\"version\": 2");
        assert!(matches!(
            PredictSpec::from_json(&other),
            Err(Error::WrongVersion { theirs: 2, .. })
        ));
    }
}
