//! What is wanted of a table: inputs, target, weights, split.

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use super::VERSION;
use crate::encode::{InputPlan, TargetPlan};
use crate::split::SplitSpec;

/// Everything that decides what the prepared arrays hold, besides the tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recipe {
    /// The inputs, in the order of the config.
    pub inputs: Vec<InputPlan>,
    /// What is predicted.
    pub target: TargetPlan,
    /// A column of row weights.
    pub weight: Option<String>,
    /// How many rows of the table are taken at all; validation and test tables are taken whole.
    pub sample: Sample,
    /// How rows are divided.
    pub split: SplitSpec,
    /// The seed of the shuffle.
    pub seed: u64,
}

/// How many rows of the table are taken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sample {
    /// All.
    All,
    /// This share of them, drawn at random.
    Ratio(f64),
    /// At most this many, drawn at random.
    Rows(u64),
}

impl Recipe {
    /// The name of what comes out, given the fingerprints of the tables that go in: 32 hex digits. The same
    /// key means the same arrays.
    pub fn key(&self, fingerprints: &[&str]) -> String {
        // A recipe is plain data with text keys, which always has a form in JSON.
        let json = serde_json::to_string(&(VERSION, fingerprints, self)).unwrap_or_default();
        format!("{:032x}", xxh3_128(json.as_bytes()))
    }
}
