//! `manifest.json`: what a folder of prepared arrays holds.
//!
//! A reader takes its own version and nothing else: a folder is a cache, and one of another version is
//! made again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::StoreError;
use crate::Finding;
use crate::encode::Schema;
use crate::split::SplitSpec;

/// The version of the folder's layout and of what the numbers in it mean.
pub const VERSION: u32 = 2;

/// The name of the manifest in its folder.
pub(super) const FILE: &str = "manifest.json";

/// What a folder of prepared arrays holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`VERSION`] of the writer.
    pub version: u32,
    /// What the arrays were made from: tables, recipe and version, as one hash.
    pub key: String,
    /// Rows of the arrays: of the table, then of the validation table, then of the test table.
    pub n_rows: usize,
    /// The features and the target.
    pub schema: Schema,
    /// Whether rows have weights.
    pub has_weights: bool,
    /// How rows were divided.
    pub split: SplitFacts,
    /// What was odd.
    pub findings: Vec<Finding>,
    /// Size and hash of each array.
    pub(super) files: BTreeMap<String, FileFacts>,
}

/// How rows were divided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplitFacts {
    /// The split as asked for.
    pub spec: SplitSpec,
    /// The seed of its shuffle.
    pub seed: u64,
    /// Rows that train.
    pub n_train: usize,
    /// Rows that validate.
    pub n_validation: usize,
    /// Rows kept back for the test.
    pub n_test: usize,
    /// Rows in no part: without a target, or dropped for a missing input as asked.
    pub n_dropped: usize,
}

/// Size and content of an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileFacts {
    pub(super) bytes: u64,
    pub(super) xxh3: String,
}

/// Read first, since all the rest may differ in another version.
#[derive(Deserialize)]
struct VersionOnly {
    version: u32,
}

impl Manifest {
    /// The manifest as it is written: JSON, then a line with its own hash.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, StoreError> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(StoreError::Unwritable)?;
        let hash = xxh3_64(&bytes);
        bytes.extend_from_slice(format!("\n# {hash:016x}\n").as_bytes());
        Ok(bytes)
    }

    /// Reads and checks `dir/manifest.json`.
    pub(super) fn read(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(FILE);
        if !path.exists() {
            return Err(StoreError::NotPrepared { dir: dir.into() });
        }
        let bytes = std::fs::read(&path).map_err(StoreError::io("read", &path))?;
        let foreign = |why: String| StoreError::Damaged {
            path: path.clone(),
            why,
        };
        let text = std::str::from_utf8(&bytes).map_err(|_| foreign("it is not text".into()))?;
        let (json, hash) = text
            .rsplit_once("\n# ")
            .ok_or_else(|| foreign("its last line is missing".into()))?;
        if let Ok(VersionOnly { version }) = serde_json::from_str(json)
            && version != VERSION
        {
            return Err(StoreError::Version {
                dir: dir.into(),
                found: version,
            });
        }
        if format!("{:016x}", xxh3_64(json.as_bytes())) != hash.trim_end() {
            return Err(foreign("its content is not what its last line says".into()));
        }
        let manifest: Self = serde_json::from_str(json).map_err(|e| foreign(e.to_string()))?;
        if !manifest.schema.is_consistent() {
            return Err(foreign("its features do not fit its arrays".into()));
        }
        Ok(manifest)
    }
}
