//! Writes one folder of arrays: aside, hashed on the way, renamed when whole.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::manifest::{self, FileFacts, Manifest};
use super::prepared::name;
use super::{Part, StoreError};
use crate::encode::{Block, Schema};
use crate::mapped::{Plain, bytes_of};
use crate::split::Parts;

/// A folder being written. Dropped without [`Writer::finish`], it leaves nothing that could be taken for arrays.
pub(super) struct Writer {
    dir: PathBuf,
    aside: PathBuf,
    numbers: Array,
    categories: Array,
    texts: Vec<[Array; 3]>,
    /// Terms of each text column so far.
    n_terms: Vec<u64>,
    target: Array,
    others: Vec<Array>,
}

impl Writer {
    /// Begins a folder beside `dir`. The caller holds the lock of `dir`.
    pub(super) fn new(dir: &Path, schema: &Schema) -> Result<Self, StoreError> {
        let aside = beside(dir, ".part");
        if aside.exists() {
            fs::remove_dir_all(&aside).map_err(StoreError::io("remove", &aside))?;
        }
        fs::create_dir_all(&aside).map_err(StoreError::io("create", &aside))?;
        let array = |file: &str| Array::new(&aside, file);
        let mut texts = Vec::with_capacity(schema.n_texts);
        for k in 0..schema.n_texts {
            let [indptr, hash, count] = name::text(k);
            let mut arrays = [array(&indptr)?, array(&hash)?, array(&count)?];
            arrays[0].write(&[0_u64])?;
            texts.push(arrays);
        }
        Ok(Self {
            numbers: array(name::NUMBERS)?,
            categories: array(name::CATEGORIES)?,
            n_terms: vec![0; texts.len()],
            texts,
            target: array(name::TARGET)?,
            others: Vec::new(),
            dir: dir.to_owned(),
            aside,
        })
    }

    /// Adds the rows of a block.
    pub(super) fn write(&mut self, block: &Block) -> Result<(), StoreError> {
        self.numbers.write(&block.numbers)?;
        self.categories.write(&block.categories)?;
        for ((arrays, n_terms), text) in self
            .texts
            .iter_mut()
            .zip(&mut self.n_terms)
            .zip(&block.texts)
        {
            let ends: Vec<u64> = text
                .indptr
                .iter()
                .skip(1)
                .map(|end| end + *n_terms)
                .collect();
            *n_terms += text.hash.len() as u64;
            let [indptr, hash, count] = arrays;
            indptr.write(&ends)?;
            hash.write(&text.hash)?;
            count.write(&text.count)?;
        }
        self.target
            .write(block.target.as_deref().unwrap_or_default())
    }

    /// Adds the weights.
    pub(super) fn write_weights(&mut self, weights: &[f32]) -> Result<(), StoreError> {
        self.write_other(name::WEIGHTS, weights)
    }

    /// Adds the lists of rows.
    pub(super) fn write_parts(&mut self, parts: &Parts) -> Result<(), StoreError> {
        Part::ALL
            .into_iter()
            .try_for_each(|part| self.write_other(&name::part(part), parts.part(part)))
    }

    fn write_other<T: Plain>(&mut self, file: &str, values: &[T]) -> Result<(), StoreError> {
        let mut array = Array::new(&self.aside, file)?;
        array.write(values)?;
        self.others.push(array);
        Ok(())
    }

    /// Writes the manifest and puts the folder in its place.
    pub(super) fn finish(self, mut manifest: Manifest) -> Result<(), StoreError> {
        let texts = self.texts.into_iter().flatten();
        let arrays = [self.numbers, self.categories, self.target]
            .into_iter()
            .chain(texts)
            .chain(self.others);
        manifest.files = arrays.map(Array::facts).collect::<BTreeMap<_, _>>();
        let path = self.aside.join(manifest::FILE);
        fs::write(&path, manifest.to_bytes()?).map_err(StoreError::io("write", &path))?;
        if self.dir.exists() {
            fs::remove_dir_all(&self.dir).map_err(StoreError::io("remove", &self.dir))?;
        }
        fs::rename(&self.aside, &self.dir).map_err(StoreError::io("create", &self.dir))
    }
}

/// `dir` with `suffix` behind its name.
pub(super) fn beside(dir: &Path, suffix: &str) -> PathBuf {
    let mut name = dir.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    dir.with_file_name(name)
}

/// A file of numbers that is hashed as it grows.
struct Array {
    name: String,
    path: PathBuf,
    file: File,
    hash: Xxh3,
    bytes: u64,
}

impl Array {
    fn new(dir: &Path, name: &str) -> Result<Self, StoreError> {
        let path = dir.join(name);
        let file = File::create(&path).map_err(StoreError::io("create", &path))?;
        Ok(Self {
            name: name.to_owned(),
            path,
            file,
            hash: Xxh3::new(),
            bytes: 0,
        })
    }

    fn write<T: Plain>(&mut self, values: &[T]) -> Result<(), StoreError> {
        let bytes = bytes_of(values);
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file
            .write_all(bytes)
            .map_err(StoreError::io("write", &self.path))
    }

    fn facts(self) -> (String, FileFacts) {
        (
            self.name,
            FileFacts {
                bytes: self.bytes,
                xxh3: format!("{:016x}", self.hash.digest()),
            },
        )
    }
}
