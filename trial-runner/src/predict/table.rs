//! A new file in the terms of a model: decoded once, then read block by block.

use std::collections::BTreeMap;
use std::path::Path;

use datasets::encode::Schema;
use datasets::nearest::nearest;
use datasets::source::{ReadOptions, Source};
use datasets::table::{IngestOptions, Table};
use datasets::{Finding, Kind};
use schedulers::protocol::PredictSpec;

use super::orphan;
use crate::error::{Error, Result};

/// Decodes the file of `spec`. Columns that the schema reads as numbers are decoded as
/// numbers, whatever the new file's values look like.
pub(super) fn open(spec: &PredictSpec, schema: &Schema) -> Result<(Table, Vec<Finding>)> {
    let read = ReadOptions {
        encoding: spec.read.encoding.clone(),
        delimiter: spec.read.delimiter,
        header: spec.read.header,
        column_names: spec.read.column_names.clone(),
    };
    let source = Source::open(&spec.source, &read)?;
    let mut options = IngestOptions::new(spec.threads.max(1) as usize);
    options.types = types(schema);
    orphan::undisturbed(|| {
        std::fs::create_dir_all(&spec.scratch_dir).map_err(Error::writing(&spec.scratch_dir))?;
        let dir = spec.scratch_dir.join(&source.fingerprint);
        Ok(Table::ingest(&source, &dir, &options, &mut |_| {})?)
    })
}

fn types(schema: &Schema) -> BTreeMap<String, Kind> {
    let numbers = schema
        .features
        .iter()
        .filter(|feature| feature.slot.kind() == Kind::Number);
    numbers
        .map(|feature| (feature.column.clone(), Kind::Number))
        .collect()
}

/// All columns that the model reads and the table lacks, in one error, each with the
/// nearest one that the table has. The target counts where it is `needed`.
pub(super) fn check_columns(
    table: &Table,
    schema: &Schema,
    target_needed: bool,
    file: &Path,
) -> Result<()> {
    let target = target_needed.then_some(&schema.target.column);
    let needed = schema
        .features
        .iter()
        .map(|feature| &feature.column)
        .chain(target);
    let mut missing: Vec<String> = Vec::new();
    for name in needed.filter(|name| table.column(name).is_none()) {
        let columns = table.columns().iter().map(|column| column.name());
        let near = nearest(name, columns)
            .map(|near| format!(" (there is \"{near}\")"))
            .unwrap_or_default();
        missing.push(format!("\"{name}\"{near}"));
    }
    if missing.is_empty() {
        return Ok(());
    }
    let (noun, these) = if missing.len() == 1 {
        ("a column", "it")
    } else {
        ("columns", "them")
    };
    Err(Error::Data {
        what: format!(
            "{} lacks {noun} that the model reads: {}",
            file.display(),
            missing.join(", ")
        ),
        hint: Some(format!(
            "add {these} to the file, empty where the values are not known; order and further columns do not matter"
        )),
    })
}
