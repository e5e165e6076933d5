//! How the engine asks `autotune-trial prepare` for the arrays of a run, and what it hears back.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::check_version;
use crate::error::{Error, Result};

/// The content of the file behind `--spec`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrepareSpec {
    /// The protocol version of the writer.
    pub version: u32,
    /// The config of the run, YAML.
    pub config: PathBuf,
    /// The decoded table, which is divided.
    pub table_dir: PathBuf,
    /// A decoded table that validates as a whole; the table's own share of validation trains then.
    pub validation_table: Option<PathBuf>,
    /// A decoded table that is the test as a whole.
    pub test_table: Option<PathBuf>,
    /// Whether nothing of the table is kept back for the test, as is so where there is a test table.
    pub no_test: bool,
    /// The seed of the shuffle.
    pub seed: u64,
    /// Arrays go to a folder in here, named by what they are made from, and are shared by runs.
    pub cache_dir: PathBuf,
    /// Where the constant model is written.
    pub constant_model: PathBuf,
    /// Threads to use.
    pub threads: u32,
}

impl PrepareSpec {
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
}

/// What `prepare` says on its standard output, a line each; the last is `Done`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum PrepareMessage {
    /// Rows are being coded.
    Progress {
        /// Rows done.
        rows: u64,
        /// Rows in all.
        of: u64,
    },
    /// One odd thing about the data, in words.
    Finding {
        /// Whether it may spoil the result.
        is_warning: bool,
        /// The column it is about.
        column: Option<String>,
        /// What it is.
        text: String,
    },
    /// The arrays and the constant model stand.
    Done {
        /// The folder of the arrays.
        dir: PathBuf,
        /// Whether the arrays were there already.
        reused: bool,
        /// Rows that train.
        n_train: u64,
        /// Rows that validate.
        n_validation: u64,
        /// Rows kept back for the test.
        n_test: u64,
        /// Rows in no part.
        n_dropped: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_read_back_as_written_and_another_version_is_refused() {
        let spec = PrepareSpec {
            version: super::super::VERSION,
            config: "config.yaml".into(),
            table_dir: "table".into(),
            validation_table: Some("validation".into()),
            test_table: None,
            no_test: true,
            seed: u64::MAX,
            cache_dir: "prepared".into(),
            constant_model: "model".into(),
            threads: 2,
        };
        let text = spec.to_json().unwrap();
        assert_eq!(PrepareSpec::from_json(&text).unwrap(), spec);
        let other = text.replace("\"version\": 1", "\"version\": 2");
        assert!(matches!(
            PrepareSpec::from_json(&other),
            Err(Error::WrongVersion { theirs: 2, .. })
        ));
    }
}
