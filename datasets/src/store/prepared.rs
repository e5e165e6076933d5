//! The reader: arrays mapped into memory, shared by all processes that open them.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::manifest::Manifest;
use super::{Part, StoreError};
use crate::encode::{Slot, TextRows};
use crate::mapped::{Mapped, Plain, bytes_of};

/// A folder of prepared arrays, mapped read-only: what is not touched costs no memory, and what is touched
/// is in memory once for all processes.
#[derive(Debug)]
pub struct Prepared {
    dir: PathBuf,
    manifest: Manifest,
    numbers: Mapped<f32>,
    categories: Mapped<u32>,
    texts: Vec<Text>,
    target: Mapped<f32>,
    weights: Option<Mapped<f32>>,
    parts: [Mapped<u32>; 3],
}

#[derive(Debug)]
struct Text {
    indptr: Mapped<u64>,
    hash: Mapped<u32>,
    count: Mapped<f32>,
}

/// The names of the arrays.
pub(super) mod name {
    use super::Part;

    pub(in crate::store) const NUMBERS: &str = "numbers.bin";
    pub(in crate::store) const CATEGORIES: &str = "categories.bin";
    pub(in crate::store) const TARGET: &str = "target.bin";
    pub(in crate::store) const WEIGHTS: &str = "weights.bin";

    /// Where rows begin, hashes, counts.
    pub(in crate::store) fn text(k: usize) -> [String; 3] {
        ["indptr", "hash", "count"].map(|array| format!("text_{k}.{array}.bin"))
    }

    pub(in crate::store) fn part(part: Part) -> String {
        format!("{}.idx.bin", part.name())
    }
}

impl Prepared {
    /// Opens a folder: its version, its manifest's hash and the size of each array are checked. Costs
    /// microseconds, whatever the size; [`Prepared::verify`] reads everything.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let manifest = Manifest::read(dir)?;
        let schema = &manifest.schema;
        let n_rows = manifest.n_rows;
        let open = Opener {
            dir,
            manifest: &manifest,
        };
        let texts = (0..schema.n_texts).map(|k| {
            let [indptr, hash, count] = name::text(k);
            let indptr: Mapped<u64> = open.array(&indptr, Some(n_rows + 1))?;
            let n_terms = indptr.last().and_then(|&end| usize::try_from(end).ok());
            Ok(Text {
                hash: open.array(&hash, n_terms)?,
                count: open.array(&count, n_terms)?,
                indptr,
            })
        });
        let texts = texts.collect::<Result<Vec<_>, StoreError>>()?;
        let numbers = open.array(name::NUMBERS, n_rows.checked_mul(schema.n_numbers))?;
        let categories = open.array(name::CATEGORIES, n_rows.checked_mul(schema.n_categories))?;
        let target = open.array(name::TARGET, Some(n_rows))?;
        let weights = manifest
            .has_weights
            .then(|| open.array(name::WEIGHTS, Some(n_rows)))
            .transpose()?;
        let part = |part, n| open.array(&name::part(part), Some(n));
        let split = &manifest.split;
        let parts = [
            part(Part::Train, split.n_train)?,
            part(Part::Validation, split.n_validation)?,
            part(Part::Test, split.n_test)?,
        ];
        Ok(Self {
            dir: dir.to_owned(),
            numbers,
            categories,
            texts,
            target,
            weights,
            parts,
            manifest,
        })
    }

    /// Reads every array and compares it with its hash in the manifest; then every position with the length of
    /// what it points into: rows of parts, first terms of rows, codes of levels. A folder that passes cannot be
    /// read beyond its ends, whoever wrote it.
    pub fn verify(&self) -> Result<(), StoreError> {
        for (file, facts) in &self.manifest.files {
            let path = self.dir.join(file);
            let bytes: Mapped<u8> = Mapped::open(&path).map_err(StoreError::io("read", &path))?;
            if hash_of(&bytes) != facts.xxh3 {
                return Err(StoreError::Damaged {
                    path,
                    why: "its content is not what the manifest says".into(),
                });
            }
        }
        self.verify_positions()
    }

    fn verify_positions(&self) -> Result<(), StoreError> {
        let damaged = |file: &str, why: &str| {
            Err(StoreError::Damaged {
                path: self.dir.join(file),
                why: why.into(),
            })
        };
        for part in [Part::Train, Part::Validation, Part::Test] {
            let rows = self.part(part);
            if !rows.is_sorted_by(|a, b| a < b)
                || rows
                    .last()
                    .is_some_and(|&last| last as usize >= self.n_rows())
            {
                return damaged(&name::part(part), "it is no ascending list of rows");
            }
            if rows.iter().any(|&row| self.target[row as usize].is_nan()) {
                return damaged(&name::part(part), "it has a row without a target");
            }
        }
        for (k, text) in self.texts.iter().enumerate() {
            // Its last value is the number of terms: `open` maps them by it.
            if text.indptr.first() != Some(&0) || !text.indptr.is_sorted() {
                return damaged(&name::text(k)[0], "its rows do not follow each other");
            }
        }
        for feature in &self.manifest.schema.features {
            if let Slot::Category { at, levels, .. } = &feature.slot {
                let width = self.manifest.schema.n_categories;
                let mut codes = self.categories.iter().skip(*at).step_by(width);
                if codes.any(|&code| code as usize > levels.len() + 1) {
                    return damaged(name::CATEGORIES, "it has a code that is no level");
                }
            }
        }
        Ok(())
    }

    /// What the folder holds.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Where it is.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Rows of every array.
    pub fn n_rows(&self) -> usize {
        self.manifest.n_rows
    }

    /// Numbers, row-major, `schema.n_numbers` a row; NaN is missing.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers
    }

    /// Codes, row-major, `schema.n_categories` a row; 0 is missing, `levels.len() + 1` unseen.
    pub fn categories(&self) -> &[u32] {
        &self.categories
    }

    /// The hashed terms of text column `k`, which is below `schema.n_texts`.
    pub fn text(&self, k: usize) -> TextRows<'_> {
        let Text {
            indptr,
            hash,
            count,
        } = &self.texts[k];
        TextRows {
            indptr,
            hash,
            count,
        }
    }

    /// The target: a number, or the index of a class; NaN where a row has none.
    pub fn target(&self) -> &[f32] {
        &self.target
    }

    /// Weights of rows, where there are any: finite and not negative.
    pub fn weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    /// Rows of a part, ascending; each has a target.
    pub fn part(&self, part: Part) -> &[u32] {
        match part {
            Part::Train => &self.parts[0],
            Part::Validation => &self.parts[1],
            Part::Test => &self.parts[2],
        }
    }
}

struct Opener<'a> {
    dir: &'a Path,
    manifest: &'a Manifest,
}

impl Opener<'_> {
    /// Maps an array whose length follows from the manifest.
    fn array<T: Plain>(&self, file: &str, len: Option<usize>) -> Result<Mapped<T>, StoreError> {
        let path = self.dir.join(file);
        let damaged = |why: String| StoreError::Damaged {
            path: path.clone(),
            why,
        };
        let facts = self
            .manifest
            .files
            .get(file)
            .ok_or_else(|| damaged("it is not in the manifest".into()))?;
        if !path.exists() {
            return Err(damaged("it is missing".into()));
        }
        let array = Mapped::<T>::open(&path).map_err(|source| {
            if source.kind() == std::io::ErrorKind::InvalidData {
                damaged("it is cut short".into())
            } else {
                StoreError::io("read", &path)(source)
            }
        })?;
        let bytes = size_of_val::<[T]>(&array) as u64;
        if bytes != facts.bytes {
            return Err(damaged(format!(
                "it has {bytes} bytes, and the manifest says {}",
                facts.bytes
            )));
        }
        if len != Some(array.len()) {
            return Err(damaged("its size does not fit the number of rows".into()));
        }
        Ok(array)
    }
}

/// The hash of an array, read in pieces whose pages are given back.
fn hash_of(bytes: &Mapped<u8>) -> String {
    const PIECE: usize = 8 << 20;
    let mut hash = Xxh3::new();
    for from in (0..bytes.len()).step_by(PIECE) {
        let to = bytes.len().min(from + PIECE);
        hash.update(bytes_of(&bytes[from..to]));
        bytes.release(from..to);
    }
    format!("{:016x}", hash.digest())
}
