//! The slots that a linear model has for its inputs: a few dense numbers, and many others of which a row has
//! few that are not zero.
//!
//! Slot 0 is the constant 1 (the intercept), then come scaled numbers and date parts; behind them, sparse:
//! indicators of missing numbers, binary inputs, one slot a kept level; last of all, hashed words, of which there
//! are too many for a matrix of all pairs.

use datasets::encode::{
    CategoryCoding, CategorySpec, Fill, Normalization, NumberCoding, NumberSpec, Schema, Slot,
    TextCoding, category,
};
use search::config::model::{self, Input, InputKind, Missing, TextEncoder};
use serde::{Deserialize, Serialize};

use super::design::Design;
use crate::error::{Error, Result};
use crate::model::Arrays;
use crate::model::encoder::coding::{number_fill, scaling};

/// The most levels of one column that have a slot.
const MAX_LEVELS: usize = 30;
/// The most levels of all columns together.
const MAX_LEVELS_IN_ALL: usize = 300;
/// The most slots of which all pairs are summed up; where there are more, only the intercept is, and every other slot
/// counts by itself. A factor of so wide a matrix takes a third of a second.
const MAX_CORE: usize = 1000;
/// The most slots of a text column. Terms that share one are told apart by their others.
const MAX_WORDS: usize = 1 << 16;

/// How rows are seen: fitted on training rows, kept in the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Layout {
    numbers: Vec<NumberSlot>,
    binaries: Vec<BinarySlot>,
    categories: Vec<CategorySlot>,
    texts: Vec<TextSlot>,
    /// Dense slots: the intercept and the numbers.
    n_dense: usize,
    /// The first slots, of which all pairs are summed up.
    n_core: usize,
    n_slots: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct NumberSlot {
    column: usize,
    coding: NumberCoding,
    /// The slot of the indicator, where there is one.
    missing: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct BinarySlot {
    column: usize,
    slot: u32,
    /// What a missing value counts as; `None`: a slot of its own, behind.
    fill: Option<f32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct CategorySlot {
    column: usize,
    first: u32,
    coding: CategoryCoding,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TextSlot {
    column: usize,
    first: u32,
    coding: TextCoding,
}

impl Layout {
    /// Fits the layout of `inputs` on training rows.
    pub(super) fn fit(
        schema: &Schema,
        inputs: &[Input],
        arrays: &Arrays<'_>,
        rows: &[u32],
    ) -> Result<Self> {
        let mut layout = Self {
            numbers: vec![],
            binaries: vec![],
            categories: vec![],
            texts: vec![],
            n_dense: 1,
            n_core: 1,
            n_slots: 1,
        };
        layout.add_numbers(schema, inputs, arrays, rows)?;
        layout.add_binaries_and_categories(schema, inputs, arrays, rows)?;
        layout.n_core = if layout.n_slots <= MAX_CORE {
            layout.n_slots
        } else {
            1
        };
        layout.add_texts(schema, inputs, arrays, rows)?;
        Ok(layout)
    }

    fn add_numbers(
        &mut self,
        schema: &Schema,
        inputs: &[Input],
        arrays: &Arrays<'_>,
        rows: &[u32],
    ) -> Result<()> {
        let mut specs = Vec::new();
        for input in inputs {
            let slot = &slot_of(schema, input)?.slot;
            specs.extend(slot_specs(slot, input));
        }
        let codings = NumberCoding::fit(arrays.numbers, arrays.n_numbers, rows, &specs);
        self.n_dense += specs.len();
        self.n_slots = self.n_dense;
        for ((column, _), coding) in specs.into_iter().zip(codings) {
            let missing = coding.indicator.then(|| self.take(1));
            self.numbers.push(NumberSlot {
                column,
                coding,
                missing,
            });
        }
        Ok(())
    }

    fn add_binaries_and_categories(
        &mut self,
        schema: &Schema,
        inputs: &[Input],
        arrays: &Arrays<'_>,
        rows: &[u32],
    ) -> Result<()> {
        let n_categories = inputs
            .iter()
            .filter(|input| matches!(input.kind, InputKind::Category { .. }))
            .count();
        let most_levels = MAX_LEVELS.min((MAX_LEVELS_IN_ALL / n_categories.max(1)).max(1));
        for input in inputs {
            match &slot_of(schema, input)?.slot {
                Slot::Number { .. } | Slot::Date { .. } | Slot::Text { .. } => {}
                Slot::Binary { at, .. } => {
                    let fill = binary_fill(&input.missing);
                    let slot = self.take(if fill.is_some() { 1 } else { 2 });
                    self.binaries.push(BinarySlot {
                        column: *at,
                        slot,
                        fill,
                    });
                }
                Slot::Category { at, levels, .. } => {
                    let spec = category_spec(input, most_levels);
                    let coding = CategoryCoding::fit(
                        arrays.categories,
                        arrays.n_categories,
                        *at,
                        levels.len(),
                        rows,
                        spec,
                    );
                    let first = self.take(coding.n_slots());
                    self.categories.push(CategorySlot {
                        column: *at,
                        first,
                        coding,
                    });
                }
            }
        }
        Ok(())
    }

    fn add_texts(
        &mut self,
        schema: &Schema,
        inputs: &[Input],
        arrays: &Arrays<'_>,
        rows: &[u32],
    ) -> Result<()> {
        for input in inputs {
            if let (Slot::Text { at, .. }, Some(n_words)) =
                (&slot_of(schema, input)?.slot, n_words(input))
            {
                let coding = TextCoding::fit(arrays.texts[*at], rows, n_words);
                let first = self.take(n_words);
                self.texts.push(TextSlot {
                    column: *at,
                    first,
                    coding,
                });
            }
        }
        Ok(())
    }

    fn take(&mut self, n: usize) -> u32 {
        let first = u32::try_from(self.n_slots).expect("slots are limited by the limits above");
        self.n_slots += n;
        first
    }

    /// How many slots there are, the intercept among them.
    pub(super) fn n_slots(&self) -> usize {
        self.n_slots
    }

    /// Whether it stays inside the arrays of `schema` and inside its own slots. Holds for what `fit` makes;
    /// checked on what is read from disk.
    pub(super) fn is_consistent(&self, schema: &Schema) -> bool {
        let has = |first: u32, n: usize| (first as usize).saturating_add(n) <= self.n_slots;
        let number = |slot: &NumberSlot| {
            slot.column < schema.n_numbers && slot.missing.is_none_or(|at| has(at, 1))
        };
        let binary = |slot: &BinarySlot| {
            slot.column < schema.n_numbers
                && has(slot.slot, if slot.fill.is_some() { 1 } else { 2 })
        };
        let category = |slot: &CategorySlot| {
            slot.column < schema.n_categories
                && slot.coding.is_consistent()
                && has(slot.first, slot.coding.n_slots())
        };
        let text = |slot: &TextSlot| {
            slot.column < schema.n_texts
                && !slot.coding.idf.is_empty()
                && has(slot.first, slot.coding.idf.len())
        };
        self.n_dense == self.numbers.len() + 1
            && self.n_dense <= self.n_slots
            && self.n_core <= self.n_slots
            && u32::try_from(self.n_slots).is_ok()
            && self.numbers.iter().all(number)
            && self.binaries.iter().all(binary)
            && self.categories.iter().all(category)
            && self.texts.iter().all(text)
    }

    /// The rows as this layout sees them.
    pub(super) fn see(&self, arrays: &Arrays<'_>, rows: &[u32]) -> Design {
        let mut design = Design {
            n_dense: self.n_dense,
            n_core: self.n_core,
            n_slots: self.n_slots,
            dense: vec![],
            starts: vec![0],
            slots: vec![],
            values: vec![],
        };
        design.dense.reserve(rows.len() * self.n_dense);
        let mut words = Vec::new();
        for &row in rows {
            let numbers = arrays.numbers_of(row);
            design.dense.push(1.0);
            for NumberSlot {
                column,
                coding,
                missing,
            } in &self.numbers
            {
                let x = numbers[*column];
                design.dense.push(coding.apply(x));
                if let Some(slot) = missing.filter(|_| !x.is_finite()) {
                    design.put(slot, 1.0);
                }
            }
            for BinarySlot { column, slot, fill } in &self.binaries {
                let x = numbers[*column];
                match (x.is_nan(), fill) {
                    (false, _) => design.put(*slot, x),
                    (true, Some(fill)) => design.put(*slot, *fill),
                    (true, None) => design.put(*slot + 1, 1.0),
                }
            }
            for CategorySlot {
                column,
                first,
                coding,
            } in &self.categories
            {
                design.put(first + coding.slot(arrays.code(row, *column)), 1.0);
            }
            for TextSlot {
                column,
                first,
                coding,
            } in &self.texts
            {
                coding.apply(arrays.texts[*column].row(row as usize), &mut words);
                words
                    .iter()
                    .for_each(|&(word, weight)| design.put(first + word, weight));
            }
            design.starts.push(design.slots.len());
        }
        design
    }
}

fn slot_of<'a>(schema: &'a Schema, input: &Input) -> Result<&'a datasets::encode::Feature> {
    schema.feature(&input.name).ok_or_else(|| {
        Error::Config(format!(
            "input \"{}\" is not among the prepared columns",
            input.name
        ))
    })
}

/// The dense columns of an input and how they are scaled.
fn slot_specs(slot: &Slot, input: &Input) -> Vec<(usize, NumberSpec)> {
    let spec = match (&input.kind, slot) {
        (
            InputKind::Number {
                normalization,
                clip,
                missing_indicator,
                ..
            },
            Slot::Number { .. },
        ) => NumberSpec {
            normalization: scale(*normalization),
            fill: number_fill(&input.missing).written(slot.recode()),
            clip: *clip,
            indicator: *missing_indicator,
        },
        (_, Slot::Number { .. } | Slot::Date { .. }) => NumberSpec {
            normalization: Normalization::Zscore,
            fill: Fill::Mean,
            clip: true,
            indicator: false,
        },
        (_, Slot::Binary { .. } | Slot::Category { .. } | Slot::Text { .. }) => return Vec::new(),
    };
    slot.numbers().map(|column| (column, spec)).collect()
}

/// As the config says; a linear model is never given unscaled numbers.
fn scale(asked: model::Normalization) -> Normalization {
    match scaling(asked) {
        Normalization::None => Normalization::Zscore,
        scaled @ (Normalization::Zscore
        | Normalization::Minmax
        | Normalization::Log1p
        | Normalization::Iq
        | Normalization::Robust
        | Normalization::Quantile) => scaled,
    }
}

/// Slots for the words of an input.
fn n_words(input: &Input) -> Option<usize> {
    match &input.kind {
        InputKind::Text {
            encoder: TextEncoder::TfIdf { n_features, .. },
        } => Some((*n_features as usize).clamp(1, MAX_WORDS)),
        InputKind::Number { .. }
        | InputKind::Binary { .. }
        | InputKind::Category { .. }
        | InputKind::Date { .. } => None,
    }
}

fn binary_fill(missing: &Missing) -> Option<f32> {
    match missing {
        Missing::False => Some(0.0),
        Missing::True => Some(1.0),
        Missing::Const(_)
        | Missing::Mode
        | Missing::Mean
        | Missing::Median
        | Missing::BackFill
        | Missing::ForwardFill
        | Missing::DropRow => None,
    }
}

fn category_spec(input: &Input, most_levels: usize) -> CategorySpec {
    match &input.kind {
        InputKind::Category {
            most_common,
            min_count,
            ..
        } => CategorySpec {
            most_common: most_levels.min(*most_common),
            min_rows: *min_count,
        },
        InputKind::Number { .. }
        | InputKind::Binary { .. }
        | InputKind::Date { .. }
        | InputKind::Text { .. } => CategorySpec {
            most_common: most_levels,
            min_rows: category::MIN_ROWS,
        },
    }
}
