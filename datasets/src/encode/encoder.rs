//! Turns a table into arrays by a schema: the table a run begins with, and any new one.

use std::borrow::Cow;
use std::ops::Range;

use super::levels::{Levels, MISSING};
use super::reading::{self, Reader, Unread, is_missing};
use super::{Block, Feature, RowFill, Schema, Slot, TargetKind, Terms, TextBlock, date};
use crate::table::{Column, Table};
use crate::{Error, Finding, Result, What};

/// Reads tables by a schema. Columns may be in any order, and others are ignored.
#[derive(Debug)]
pub struct Encoder {
    schema: Schema,
    /// The levels of each feature that has any, in the order of the features.
    levels: Vec<Option<Levels>>,
    /// The format of each date that has one, in the order of the features.
    formats: Vec<Option<date::Format>>,
    classes: Levels,
}

/// What is read of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum With {
    /// The inputs: to predict.
    Inputs,
    /// The inputs and the target: to train and to evaluate.
    Target,
}

/// A table being read. Blocks may be read from several threads at once.
pub struct Reading<'a> {
    encoder: &'a Encoder,
    n_rows: usize,
    features: Vec<Source<'a>>,
    target: Option<(&'a Column, TargetReader<'a>)>,
}

/// A feature and the column it is read from.
struct Source<'a> {
    feature: &'a Feature,
    column: &'a Column,
    reader: SlotReader<'a>,
    unread: Unread,
}

enum SlotReader<'a> {
    Number(usize, Reader<'a, f32>),
    Binary(usize, Reader<'a, u32>),
    Date(usize, Reader<'a, i64>),
    Category(usize, Reader<'a, u32>),
    Text(usize, Terms),
}

enum TargetReader<'a> {
    Number(Reader<'a, f32>),
    Classes(Reader<'a, u32>, usize),
}

impl Encoder {
    /// An encoder for a schema.
    pub fn new(schema: Schema) -> Self {
        let levels = schema.features.iter().map(|feature| match &feature.slot {
            Slot::Category {
                levels, lowercase, ..
            } => Some(Levels::new(levels, *lowercase)),
            Slot::Binary { levels, .. } => Some(Levels::new(levels, false)),
            Slot::Number { .. } | Slot::Date { .. } | Slot::Text { .. } => None,
        });
        let formats = schema.features.iter().map(|feature| match &feature.slot {
            Slot::Date { format, .. } => format.as_deref().and_then(date::Format::new),
            Slot::Number { .. }
            | Slot::Binary { .. }
            | Slot::Category { .. }
            | Slot::Text { .. } => None,
        });
        Self {
            levels: levels.collect(),
            formats: formats.collect(),
            classes: Levels::new(&schema.target.classes, false),
            schema,
        }
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Opens a table for reading. All columns that it lacks are in one error.
    pub fn read<'a>(&'a self, table: &'a Table, with: With) -> Result<Reading<'a>> {
        let target = Some(&self.schema.target).filter(|_| with == With::Target);
        let needed = self
            .schema
            .features
            .iter()
            .map(|feature| &feature.column)
            .chain(target.map(|target| &target.column));
        let missing: Vec<String> = needed
            .filter(|name| table.column(name).is_none())
            .cloned()
            .collect();
        if !missing.is_empty() {
            return Err(Error::MissingColumns { missing });
        }
        let coders = self.levels.iter().zip(&self.formats);
        let features =
            self.schema
                .features
                .iter()
                .zip(coders)
                .filter_map(|(feature, (levels, format))| {
                    let column = table.column(&feature.column)?;
                    Some(Source::new(
                        feature,
                        column,
                        levels.as_ref(),
                        format.as_ref(),
                    ))
                });
        let target = target
            .and_then(|target| table.column(&target.column))
            .map(|column| (column, self.target_reader(column)));
        Ok(Reading {
            encoder: self,
            n_rows: table.n_rows(),
            features: features.collect(),
            target,
        })
    }

    fn target_reader<'a>(&'a self, column: &'a Column) -> TargetReader<'a> {
        match self.schema.target.kind {
            TargetKind::Number => TargetReader::Number(reading::numbers(
                column.values(),
                self.schema.target.recode,
                &Unread::default(),
            )),
            TargetKind::Binary | TargetKind::Category => TargetReader::Classes(
                reading::codes(column.values(), &self.classes),
                self.schema.target.classes.len(),
            ),
        }
    }
}

impl Reading<'_> {
    /// Rows of the table.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The arrays of `rows`, which are below `n_rows`. The pages of the table that were read are given back.
    pub fn block(&self, rows: Range<usize>) -> Block {
        let schema = &self.encoder.schema;
        let mut block = Block {
            n_rows: rows.len(),
            numbers: vec![0.0; rows.len() * schema.n_numbers],
            categories: vec![0; rows.len() * schema.n_categories],
            texts: vec![TextBlock::default(); schema.n_texts],
            target: self.target_of(rows.clone()),
        };
        for source in &self.features {
            source.fill(rows.clone(), schema, &mut block);
            source.column.release(rows.clone());
        }
        block
    }

    /// The target of `rows`; `None` where it was not asked for, NaN where a row has none.
    pub(crate) fn target_of(&self, rows: Range<usize>) -> Option<Vec<f32>> {
        let (column, reader) = self.target.as_ref()?;
        let mut target = Vec::with_capacity(rows.len());
        match reader {
            TargetReader::Number(reader) => reader.read(rows.clone(), |x| target.push(x)),
            TargetReader::Classes(reader, n_classes) => reader.read(rows.clone(), |code| {
                let known = (1..=*n_classes).contains(&(code as usize));
                target.push(if known { (code - 1) as f32 } else { f32::NAN });
            }),
        }
        column.release(rows);
        Some(target)
    }

    /// The value of the target in `row` as it stands in the table; `None` where there is none.
    pub(crate) fn target_value(&self, row: usize) -> Option<Cow<'_, str>> {
        let (column, _) = self.target.as_ref()?;
        let values = column.values();
        if is_missing(values, row) {
            return None;
        }
        values.level(row)
    }

    /// What could not be read in the blocks so far, by column.
    pub fn findings(&self) -> Vec<Finding> {
        let unread = self
            .features
            .iter()
            .filter(|source| source.unread.count() > 0);
        unread.map(Source::finding).collect()
    }
}

impl<'a> Source<'a> {
    fn new(
        feature: &'a Feature,
        column: &'a Column,
        levels: Option<&'a Levels>,
        format: Option<&'a date::Format>,
    ) -> Self {
        let unread = Unread::default();
        let values = column.values();
        let codes = || {
            levels.map_or_else(
                || Reader::Each(Box::new(|_| MISSING)),
                |levels| reading::codes(values, levels),
            )
        };
        let reader = match &feature.slot {
            Slot::Number { at, recode } => {
                SlotReader::Number(*at, reading::numbers(values, *recode, &unread))
            }
            Slot::Binary { at, .. } => SlotReader::Binary(*at, codes()),
            Slot::Date { at, .. } => SlotReader::Date(*at, reading::times(values, format, &unread)),
            Slot::Category { at, .. } => SlotReader::Category(*at, codes()),
            Slot::Text { at, terms } => SlotReader::Text(*at, *terms),
        };
        Self {
            feature,
            column,
            reader,
            unread,
        }
    }

    /// Fills this feature's place in a block.
    fn fill(&self, rows: Range<usize>, schema: &Schema, block: &mut Block) {
        match self.feature.missing {
            RowFill::Keep | RowFill::Drop => self.fill_from(rows, schema, block),
            RowFill::Forward => {
                self.fill_from(self.known_rows(rows, true).into_iter(), schema, block)
            }
            RowFill::Backward => {
                self.fill_from(self.known_rows(rows, false).into_iter(), schema, block)
            }
        }
    }

    fn fill_from(&self, rows: impl Iterator<Item = usize>, schema: &Schema, block: &mut Block) {
        match &self.reader {
            SlotReader::Number(at, reader) => {
                let mut column = Strided::new(&mut block.numbers, *at, schema.n_numbers);
                reader.read(rows, |x| column.put(x));
            }
            SlotReader::Binary(at, reader) => {
                let mut column = Strided::new(&mut block.numbers, *at, schema.n_numbers);
                reader.read(rows, |code| {
                    column.put(match code {
                        1 => 0.0,
                        2 => 1.0,
                        _ => f32::NAN,
                    });
                });
            }
            SlotReader::Date(at, reader) => {
                let mut out = block.numbers.chunks_exact_mut(schema.n_numbers.max(1));
                reader.read(rows, |micros| {
                    if let Some(row) = out.next() {
                        row[*at..*at + date::PARTS.len()].copy_from_slice(&date::parts(micros));
                    }
                });
            }
            SlotReader::Category(at, reader) => {
                let mut column = Strided::new(&mut block.categories, *at, schema.n_categories);
                reader.read(rows, |code| column.put(code));
            }
            SlotReader::Text(at, terms) => {
                let (values, out) = (self.column.values(), &mut block.texts[*at]);
                let mut hashes = Vec::new();
                for row in rows {
                    if let Some(text) = values.level(row) {
                        terms.of(&text, |hash| hashes.push(hash));
                    }
                    out.push(&mut hashes);
                }
                if out.indptr.is_empty() {
                    out.indptr.push(0);
                }
            }
        }
    }

    /// For each of `rows` the nearest row with a value: itself, else the next in one direction, else in the
    /// other; itself where no row has any.
    fn known_rows(&self, rows: Range<usize>, forward: bool) -> Vec<usize> {
        let values = self.column.values();
        let n_rows = values.len();
        let above = |row: usize| (0..row).rev().find(|&row| !is_missing(values, row));
        let below = |row: usize| (row..n_rows).find(|&row| !is_missing(values, row));
        let mut known = Vec::with_capacity(rows.len());
        let mut order: Vec<usize> = rows.clone().collect();
        if !forward {
            order.reverse();
        }
        // Borders are searched once a block; inside, the last known row is carried along.
        let (mut last, other) = if forward {
            (above(rows.start), below(rows.start))
        } else {
            (below(rows.end), above(rows.end))
        };
        for row in order {
            if !is_missing(values, row) {
                last = Some(row);
            }
            known.push(last.or(other).unwrap_or(row));
        }
        if !forward {
            known.reverse();
        }
        known
    }

    fn finding(&self) -> Finding {
        let n = self.unread.count();
        let (what, text) = match &self.feature.slot {
            Slot::Date { .. } => (
                What::NotADate,
                format!("{n} value(s) are no date in the format of the column; read as missing"),
            ),
            Slot::Number { .. }
            | Slot::Binary { .. }
            | Slot::Category { .. }
            | Slot::Text { .. } => (
                What::NotANumber,
                format!("{n} value(s) are no number; read as missing"),
            ),
        };
        Finding::warning(what, Some(&self.feature.column), text)
    }
}

/// One column of a row-major array, written from the first row on.
struct Strided<'a, T> {
    array: &'a mut [T],
    next: usize,
    width: usize,
}

impl<'a, T> Strided<'a, T> {
    fn new(array: &'a mut [T], at: usize, width: usize) -> Self {
        Self {
            array,
            next: at,
            width,
        }
    }

    fn put(&mut self, value: T) {
        self.array[self.next] = value;
        self.next += self.width;
    }
}

#[cfg(test)]
mod tests;
