//! The files of a checkpoint folder.
//!
//! `current.safetensors` and `previous.safetensors`: arrays, with the progress as JSON in the metadata, and
//! a hash of all that at the end. A new one is written aside and synced; then the current one becomes the
//! previous and the new one the current, by renames. Whatever is cut short, one of the two is whole.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};

/// The version of the files. Another one is refused by name.
pub const VERSION: u32 = 2;

const CURRENT: &str = "current.safetensors";
const PREVIOUS: &str = "previous.safetensors";
const ASIDE: &str = "next.tmp";
const PROGRESS: &str = "progress";

/// Where a training stands, without its arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// [`VERSION`] of the writer.
    pub version: u32,
    /// What the training is: seed, length, rows and parameters, not the rows of a step. A checkpoint of
    /// another one is refused.
    pub identity: String,
    /// Epochs done.
    pub epoch: u32,
    /// The best epoch so far and its score; the score is absent where epochs have none.
    pub best: Option<(u32, Option<f64>)>,
    /// Evaluations since then.
    pub stale: u32,
}

/// All of a training that cannot be computed again from its seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Where it stands.
    pub progress: Progress,
    /// The present parameters, flat.
    pub values: Vec<f32>,
    /// The parameters of the best epoch; empty where there is none yet.
    pub best: Vec<f32>,
    /// The optimizer's arrays.
    pub states: Vec<Vec<f32>>,
}

/// Writes a checkpoint into `dir`, which is made where it is missing, and keeps the one before.
pub fn save(dir: &Path, checkpoint: &Checkpoint) -> Result<()> {
    let bytes = to_bytes(checkpoint)?;
    fs::create_dir_all(dir).map_err(Error::writing(dir))?;
    let aside = dir.join(ASIDE);
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&aside)?;
        file.write_all(&bytes)?;
        file.sync_data()
    };
    write().map_err(Error::writing(&aside))?;
    let (current, previous) = (dir.join(CURRENT), dir.join(PREVIOUS));
    match fs::rename(&current, &previous) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(Error::writing(&previous)(error)),
    }
    fs::rename(&aside, &current).map_err(Error::writing(&current))?;
    File::open(dir)
        .and_then(|folder| folder.sync_all())
        .map_err(Error::writing(dir))
}

/// The newest whole checkpoint of a folder. `None` when there is none at all; an error when there are some
/// and none of them is whole.
pub fn load(dir: &Path) -> Result<Option<Checkpoint>> {
    let mut fault = None;
    for name in [CURRENT, PREVIOUS] {
        let path = dir.join(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(Error::reading(&path)(error)),
        };
        match from_bytes(&bytes) {
            Ok(checkpoint) if checkpoint.progress.version == VERSION => {
                return Ok(Some(checkpoint));
            }
            Ok(checkpoint) => {
                let found = checkpoint.progress.version;
                return Err(Error::WrongVersion {
                    what: path.display().to_string(),
                    found,
                    expected: VERSION,
                });
            }
            Err(what) => fault = Some(Error::corrupt(&path, what)),
        }
    }
    match fault {
        Some(fault) => Err(fault),
        None => Ok(None),
    }
}

fn to_bytes(checkpoint: &Checkpoint) -> Result<Vec<u8>> {
    let names: Vec<String> = (0..checkpoint.states.len())
        .map(|at| format!("state_{at}"))
        .collect();
    let mut arrays = vec![
        ("values", to_le(&checkpoint.values)),
        ("best", to_le(&checkpoint.best)),
    ];
    arrays.extend(
        names
            .iter()
            .map(String::as_str)
            .zip(checkpoint.states.iter().map(|state| to_le(state))),
    );
    let fault =
        |error: &dyn std::fmt::Display| Error::Bug(format!("cannot lay out a checkpoint: {error}"));
    let views = arrays
        .iter()
        .map(|(name, bytes)| {
            Ok((
                *name,
                TensorView::new(Dtype::F32, vec![bytes.len() / 4], bytes)?,
            ))
        })
        .collect::<std::result::Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|error| fault(&error))?;
    let progress = serde_json::to_string(&checkpoint.progress).map_err(|error| fault(&error))?;
    let metadata = HashMap::from([(PROGRESS.to_owned(), progress)]);
    let mut bytes = safetensors::serialize(views, Some(metadata)).map_err(|error| fault(&error))?;
    let hash = xxh3_64(&bytes);
    bytes.extend_from_slice(&hash.to_le_bytes());
    Ok(bytes)
}

fn from_bytes(bytes: &[u8]) -> std::result::Result<Checkpoint, String> {
    let (bytes, hash) = bytes.split_last_chunk::<8>().ok_or("it is cut short")?;
    if xxh3_64(bytes) != u64::from_le_bytes(*hash) {
        return Err("its content does not have its hash".to_owned());
    }
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
    let progress = metadata
        .metadata()
        .as_ref()
        .and_then(|all| all.get(PROGRESS))
        .ok_or("it says no progress")?;
    let progress: Progress = serde_json::from_str(progress).map_err(|error| error.to_string())?;
    let file = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let mut arrays: BTreeMap<String, Vec<f32>> = file
        .tensors()
        .into_iter()
        .map(|(name, tensor)| (name, from_le(tensor.data())))
        .collect();
    let mut take = |name: &str| {
        arrays
            .remove(name)
            .ok_or_else(|| format!("it has no \"{name}\""))
    };
    let (values, best) = (take("values")?, take("best")?);
    let n_states = arrays.len();
    let states = (0..n_states).map(|at| arrays.remove(&format!("state_{at}")));
    let states = states
        .collect::<Option<Vec<_>>>()
        .ok_or("it has an array of another kind")?;
    Ok(Checkpoint {
        progress,
        values,
        best,
        states,
    })
}

fn to_le(values: &[f32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * values.len());
    for value in values {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    bytes
}

fn from_le(bytes: &[u8]) -> Vec<f32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|value| f32::from_le_bytes(*value))
        .collect()
}
