//! Writing and reading a model folder.
//!
//! A folder is written beside its place and renamed into it, so that a reader sees the
//! old model or the new one and never a half. `model.json` holds the size and the hash
//! of every other file; all of it is checked before anything is used.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use datasets::encode::Schema;
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::About;
use crate::error::{Error, Result};

/// The version of the folder's format. A newer folder is refused by name.
///
/// Format 2: numbers may be recoded, and the schema says how (`recode`), which a reader of format 1 takes for damage. A
/// folder of format 1 has no `recode`: its numbers are as they are, and it is read as one of format 2.
pub const FORMAT: u32 = 2;

/// The oldest format that is read.
const OLDEST: u32 = 1;

const ABOUT: &str = "model.json";
const CONFIG: &str = "config.yaml";
const ENCODINGS: &str = "encodings.json";
const WEIGHTS: &str = "weights.safetensors";

/// The most that `model.json` may hold: far above a hundred thousand classes and inputs.
const ABOUT_LIMIT: u64 = 64 << 20;

/// Whether a written folder must survive a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It survives a kill of any process. A torn file after a power cut is found by its hash.
    Kill,
    /// Every file and the folder are synced before the rename: a few milliseconds each.
    PowerCut,
}

/// A model in memory, as it is on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    /// What it is.
    pub about: About,
    /// The concrete config, YAML: `autotune train --config` runs it again.
    pub config: String,
    /// What is needed to read a new table: `schema`, and beside it what the family has
    /// fitted on the training part.
    pub encodings: serde_json::Value,
    /// The weights, in the safetensors format.
    pub weights: Vec<u8>,
}

/// `model.json` as it stands on disk.
#[derive(Serialize, Deserialize)]
struct AboutFile {
    format: u32,
    #[serde(flatten)]
    about: About,
    files: BTreeMap<String, FileFile>,
}

/// Size and content of one file of the folder.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct FileFile {
    bytes: u64,
    xxh3: String,
}

impl FileFile {
    fn of(content: &[u8]) -> Self {
        Self {
            bytes: content.len() as u64,
            xxh3: format!("{:016x}", xxh3_64(content)),
        }
    }
}

/// Only this is read first: a folder of a newer format may differ in all the rest.
#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
}

impl Package {
    /// Writes the folder `dir`, in place of the one that is there.
    pub fn write(&self, dir: &Path, durability: Durability) -> Result<()> {
        if self
            .schema()
            .is_none_or(|schema| schema.target != self.about.target)
        {
            return Err(Error::Bug(
                "a model without the schema of its target".to_owned(),
            ));
        }
        let aside = beside(dir, "new")?;
        remove(&aside)?;
        fs::create_dir_all(&aside).map_err(Error::writing(&aside))?;
        let encodings = json(&self.encodings)?;
        let mut files = BTreeMap::new();
        for (name, content) in [
            (CONFIG, self.config.as_bytes()),
            (ENCODINGS, &encodings),
            (WEIGHTS, &self.weights),
        ] {
            write_file(&aside.join(name), content, durability)?;
            files.insert(name.to_owned(), FileFile::of(content));
        }
        let about = AboutFile {
            format: FORMAT,
            about: self.about.clone(),
            files,
        };
        write_file(&aside.join(ABOUT), &json(&about)?, durability)?;
        if durability == Durability::PowerCut {
            sync(&aside)?;
        }
        swap_in(&aside, dir)?;
        if durability == Durability::PowerCut
            && let Some(parent) = dir.parent()
        {
            sync(if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            })?;
        }
        Ok(())
    }

    /// Reads the folder `dir`. Fails, and never panics, on anything that `write` did not make.
    pub fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(ABOUT);
        let bytes = read_at_most(&path, ABOUT_LIMIT)?;
        let version: FormatOnly = serde_json::from_slice(&bytes)
            .map_err(|e| Error::corrupt(&path, format!("not the description of a model: {e}")))?;
        if !(OLDEST..=FORMAT).contains(&version.format) {
            return Err(Error::WrongVersion {
                what: format!("the model in {}", dir.display()),
                found: version.format,
                expected: FORMAT,
            });
        }
        let file: AboutFile =
            serde_json::from_slice(&bytes).map_err(|e| Error::corrupt(&path, e.to_string()))?;
        let content = |name: &str| -> Result<Vec<u8>> {
            let expected = file
                .files
                .get(name)
                .ok_or_else(|| Error::corrupt(&path, format!("{name} is not among its files")))?;
            let path = dir.join(name);
            let content = read_at_most(&path, expected.bytes)?;
            if FileFile::of(&content) != *expected {
                return Err(Error::corrupt(
                    &path,
                    format!("the content is not the one that {ABOUT} names"),
                ));
            }
            Ok(content)
        };
        let config = String::from_utf8(content(CONFIG)?)
            .map_err(|e| Error::corrupt(&dir.join(CONFIG), e.to_string()))?;
        let encodings = serde_json::from_slice(&content(ENCODINGS)?)
            .map_err(|e| Error::corrupt(&dir.join(ENCODINGS), e.to_string()))?;
        let package = Self {
            config,
            encodings,
            weights: content(WEIGHTS)?,
            about: file.about,
        };
        if package
            .schema()
            .is_none_or(|schema| schema.target != package.about.target)
        {
            return Err(Error::corrupt(
                &dir.join(ENCODINGS),
                format!("its schema is not the one of {ABOUT}"),
            ));
        }
        SafeTensors::deserialize(&package.weights)
            .map_err(|e| Error::corrupt(&dir.join(WEIGHTS), e.to_string()))?;
        Ok(package)
    }

    /// How a table becomes the arrays that the model reads; `None` when there is none or
    /// it contradicts itself.
    pub fn schema(&self) -> Option<Schema> {
        Schema::deserialize(self.encodings.get("schema")?)
            .ok()
            .filter(Schema::is_consistent)
    }

    /// The weights by name.
    pub fn tensors(&self) -> Result<SafeTensors<'_>> {
        SafeTensors::deserialize(&self.weights)
            .map_err(|e| Error::Bug(format!("weights that were read but cannot be: {e}")))
    }
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec_pretty(value)
        .map_err(|e| Error::Bug(format!("a model that is no JSON: {e}")))
}

/// `dir` with `.new` or `.old` behind its name: on the same file system, so that a rename is one step.
fn beside(dir: &Path, suffix: &str) -> Result<PathBuf> {
    let name = dir
        .file_name()
        .ok_or_else(|| Error::Usage(format!("{} is no name for a model folder", dir.display())))?;
    let mut name = name.to_owned();
    name.push(".");
    name.push(suffix);
    Ok(dir.with_file_name(name))
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::writing(dir)(e)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn write_file(path: &Path, content: &[u8], durability: Durability) -> Result<()> {
    let mut file = File::create(path).map_err(Error::writing(path))?;
    file.write_all(content).map_err(Error::writing(path))?;
    if durability == Durability::PowerCut {
        file.sync_all().map_err(Error::writing(path))?;
    }
    Ok(())
}

fn sync(dir: &Path) -> Result<()> {
    File::open(dir)
        .and_then(|d| d.sync_all())
        .map_err(Error::writing(dir))
}

/// Puts `aside` in the place of `dir` in one step where there is an old folder: the two
/// are exchanged. A file system without exchange gets two renames.
fn swap_in(aside: &Path, dir: &Path) -> Result<()> {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    if !dir.exists() {
        return fs::rename(aside, dir).map_err(Error::writing(dir));
    }
    if renameat2(AT_FDCWD, aside, AT_FDCWD, dir, RenameFlags::RENAME_EXCHANGE).is_err() {
        let old = beside(dir, "old")?;
        remove(&old)?;
        fs::rename(dir, &old).map_err(Error::writing(&old))?;
        fs::rename(aside, dir).map_err(Error::writing(dir))?;
        return remove(&old);
    }
    remove(aside)
}

/// The content of a plain file of at most `limit` bytes; a longer one is refused before it is in memory.
fn read_at_most(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let file = File::open(path).map_err(Error::reading(path))?;
    let meta = file.metadata().map_err(Error::reading(path))?;
    if !meta.is_file() || meta.len() > limit {
        return Err(Error::corrupt(
            path,
            format!("not a plain file of at most {limit} bytes"),
        ));
    }
    let mut content = Vec::new();
    file.take(limit)
        .read_to_end(&mut content)
        .map_err(Error::reading(path))?;
    Ok(content)
}
