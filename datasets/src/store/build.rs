//! From tables and a recipe to a folder of prepared arrays.
//!
//! Rows are sorted out and divided, levels are counted in the training rows, then all tables are encoded
//! block by block into the arrays: the main table first, then those for validation and test.

use std::fs::{self, File};
use std::path::Path;

use super::divide::divide;
use super::manifest::{Manifest, SplitFacts, VERSION};
use super::pipeline::in_order;
use super::rows::{Rows, drop_incomplete, must_hold_rows};
use super::writer::{Writer, beside};
use super::{Part, Prepared, Recipe, StoreError};
use crate::encode::{Encoder, Schema, Target, TargetKind, UnknownTargets, With};
use crate::split::{Parts, SplitSpec};
use crate::table::Table;
use crate::{Error, Finding, Result};

/// Rows encoded at once by a thread: a few megabytes of arrays.
const BLOCK: usize = 1 << 14;

/// What goes in.
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// The table that is divided.
    pub main: &'a Table,
    /// All of it validates, where there is one.
    pub validation: Option<&'a Table>,
    /// All of it is the test, where there is one.
    pub test: Option<&'a Table>,
}

/// How far it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Rows encoded.
    pub rows: usize,
    /// Rows in all.
    pub of: usize,
}

/// What came out.
#[derive(Debug)]
pub struct Outcome {
    /// The arrays.
    pub prepared: Prepared,
    /// Whether they were there already.
    pub reused: bool,
}

/// Writes the arrays of `recipe` to the folder `dir`, or opens it where it already holds those of `key`, whole
/// and undamaged. `key` is that of [`Recipe::key`]. Safe to call from several processes at once: one writes,
/// the others wait and open. Memory does not grow with the table but for 13 bytes a row, or 25 where another column
/// than the target is stratified by.
pub fn build(
    tables: Tables<'_>,
    recipe: &Recipe,
    key: &str,
    dir: &Path,
    threads: usize,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome> {
    if let Some(parent) = dir.parent() {
        fs::create_dir_all(parent).map_err(StoreError::io("create", parent))?;
    }
    // Held until the end of this function; the system lets go of it when the process dies.
    let _lock = locked(&beside(dir, ".lock"))?;
    if let Some(prepared) = already(dir, key) {
        return Ok(Outcome {
            prepared,
            reused: true,
        });
    }
    Builder::new(tables, recipe, threads)?.write(key, dir, progress)?;
    Ok(Outcome {
        prepared: Prepared::open(dir)?,
        reused: false,
    })
}

fn locked(path: &Path) -> Result<File> {
    let file = File::create(path).map_err(StoreError::io("create", path))?;
    file.lock().map_err(StoreError::io("lock", path))?;
    Ok(file)
}

fn already(dir: &Path, key: &str) -> Option<Prepared> {
    let prepared = Prepared::open(dir).ok()?;
    (prepared.manifest().key == key && prepared.verify().is_ok()).then_some(prepared)
}

/// All that is known before the arrays are written.
struct Builder<'a> {
    recipe: &'a Recipe,
    threads: usize,
    /// The main table and those behind it, in the order of their rows in the arrays.
    tables: Vec<&'a Table>,
    encoder: Encoder,
    parts: Parts,
    weights: Option<Vec<f32>>,
    findings: Vec<Finding>,
}

impl<'a> Builder<'a> {
    fn new(tables: Tables<'a>, recipe: &'a Recipe, threads: usize) -> Result<Self> {
        let Tables {
            main,
            validation,
            test,
        } = tables;
        let n_rows: usize = [Some(main), validation, test]
            .into_iter()
            .flatten()
            .map(Table::n_rows)
            .sum();
        if u32::try_from(n_rows).is_err() {
            return Err(Error::TooManyRows { rows: n_rows });
        }
        let target = Target::fit(main, &recipe.target)?;
        let classes = Encoder::new(Schema {
            features: Vec::new(),
            n_numbers: 0,
            n_categories: 0,
            n_texts: 0,
            target: target.clone(),
        });
        let (y, unknown) = target_of(&classes, main)?;
        let mut rows = Rows::of(main, recipe, &y, &unknown)?;
        rows.findings.extend(unknown.finding(&target));
        rows.sample(recipe.sample, recipe.seed);
        let n_usable = rows.usable.len();
        let y = classes_of(y, target.kind);
        let mut parts = divide(
            main,
            recipe,
            &mut rows,
            y.as_deref(),
            validation.is_some(),
            threads,
        )?;
        drop(y);
        drop_incomplete(main, &recipe.inputs, &mut parts.train, &mut rows.findings);
        must_hold_rows(&parts, Part::Train, n_usable)?;
        if validation.is_none() && wants_validation(&recipe.split) {
            must_hold_rows(&parts, Part::Validation, n_usable)?;
        }

        let mut is_train = vec![false; main.n_rows()];
        parts
            .train
            .iter()
            .for_each(|&row| is_train[row as usize] = true);
        let encoder = Encoder::new(Schema::fit(main, &recipe.inputs, target, &is_train)?);
        let Rows {
            weights, findings, ..
        } = rows;
        let mut builder = Self {
            recipe,
            threads,
            tables: vec![main],
            encoder,
            parts,
            weights,
            findings,
        };
        for (part, table) in [(Part::Validation, validation), (Part::Test, test)] {
            if let Some(table) = table {
                builder.append(part, table, &classes)?;
            }
        }
        Ok(builder)
    }

    /// Puts the rows of a table of its own behind all others, into one part.
    fn append(&mut self, part: Part, table: &'a Table, classes: &Encoder) -> Result<()> {
        let (y, unknown) = target_of(classes, table)?;
        let rows = Rows::of(table, self.recipe, &y, &unknown)?;
        let first: usize = self.tables.iter().map(|table| table.n_rows()).sum();
        let first = u32::try_from(first).map_err(|_| Error::TooManyRows { rows: first })?;
        if let (Some(all), Some(weights)) = (&mut self.weights, rows.weights) {
            all.extend(weights);
        }
        let unknown = unknown.finding(&classes.schema().target);
        let of_part = rows.findings.into_iter().chain(unknown);
        self.findings
            .extend(of_part.map(|finding| finding.in_part(part)));
        let list = match part {
            Part::Train => &mut self.parts.train,
            Part::Validation => &mut self.parts.validation,
            Part::Test => &mut self.parts.test,
        };
        list.extend(rows.usable.into_iter().map(|row| first + row));
        self.tables.push(table);
        must_hold_rows(&self.parts, part, y.len())
    }

    fn write(self, key: &str, dir: &Path, progress: &mut dyn FnMut(Progress)) -> Result<()> {
        let schema = self.encoder.schema();
        let of: usize = self.tables.iter().map(|table| table.n_rows()).sum();
        let mut writer = Writer::new(dir, schema)?;
        let mut rows = 0;
        let mut findings = self.findings;
        for table in &self.tables {
            let reading = self.encoder.read(table, With::Target)?;
            let n_blocks = reading.n_rows().div_ceil(BLOCK);
            let block = |i: usize| reading.block(i * BLOCK..reading.n_rows().min((i + 1) * BLOCK));
            in_order(n_blocks, self.threads, block, |block| {
                writer.write(&block)?;
                rows += block.n_rows;
                progress(Progress { rows, of });
                Ok::<_, StoreError>(())
            })?;
            findings.extend(reading.findings());
        }
        if let Some(weights) = &self.weights {
            writer.write_weights(weights)?;
        }
        writer.write_parts(&self.parts)?;
        let [n_train, n_validation, n_test] = Part::ALL.map(|part| self.parts.part(part).len());
        writer.finish(Manifest {
            version: VERSION,
            key: key.to_owned(),
            n_rows: of,
            schema: schema.clone(),
            has_weights: self.weights.is_some(),
            split: SplitFacts {
                spec: self.recipe.split.clone(),
                seed: self.recipe.seed,
                n_train,
                n_validation,
                n_test,
                n_dropped: of - n_train - n_validation - n_test,
            },
            findings,
            files: std::collections::BTreeMap::new(),
        })?;
        Ok(())
    }
}

/// The target of every row, NaN where it has none, and those that are there but unknown.
fn target_of(classes: &Encoder, table: &Table) -> Result<(Vec<f32>, UnknownTargets)> {
    let reading = classes.read(table, With::Target)?;
    let all = 0..reading.n_rows();
    let y = reading.target_of(all.clone()).unwrap_or_default();
    let mut unknown = UnknownTargets::default();
    unknown.add(&reading, all, &y);
    Ok((y, unknown))
}

/// The class of every row, where the target has classes; anything for a row without one.
fn classes_of(target: Vec<f32>, kind: TargetKind) -> Option<Vec<u32>> {
    match kind {
        TargetKind::Number => None,
        TargetKind::Binary | TargetKind::Category => {
            Some(target.into_iter().map(class_of).collect())
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the index of a class; a row without one is in no part"
)]
fn class_of(y: f32) -> u32 {
    y.max(0.0) as u32
}

/// Whether a split without validation rows is a fault of the data and not what was asked for.
fn wants_validation(spec: &SplitSpec) -> bool {
    match spec {
        SplitSpec::Random { shares }
        | SplitSpec::Stratify { shares, .. }
        | SplitSpec::Datetime { shares, .. }
        | SplitSpec::Hash { shares, .. }
        | SplitSpec::Group { shares, .. } => shares.to_array()[1] > 0.0,
        SplitSpec::Fixed { .. } | SplitSpec::Folds { .. } => true,
    }
}

#[cfg(test)]
mod tests;
