//! From plans and a table to a schema: the levels of categories and the classes of the target.

use std::collections::HashMap;

use super::levels::{false_before_true, sort_levels};
use super::reading::range;
use super::{
    Feature, InputKind, InputPlan, Recode, RowFill, Schema, Slot, Target, TargetKind, TargetPlan,
    date,
};
use crate::profile::format_of;
use crate::table::{
    Column, MISSING_CODE, Table, TextColumn, Values, bool_level, number_level, time_level,
};
use crate::{Error, Kind, Result};

/// The most levels a column may have; rarer ones count as unseen. Far above what any trial keeps.
const MAX_LEVELS: usize = 1 << 16;

impl Schema {
    /// Lays out the arrays. Levels are counted in the rows that `is_train` marks; levels of other rows have a
    /// code too. `target` is that of [`Target::fit`].
    pub fn fit(
        table: &Table,
        inputs: &[InputPlan],
        target: Target,
        is_train: &[bool],
    ) -> Result<Self> {
        let mut schema = Self {
            features: Vec::with_capacity(inputs.len()),
            n_numbers: 0,
            n_categories: 0,
            n_texts: 0,
            target,
        };
        for plan in inputs {
            let slot = schema.place(table, plan, is_train)?;
            let missing = if plan.missing == RowFill::Drop {
                RowFill::Keep
            } else {
                plan.missing
            };
            schema.features.push(Feature {
                name: plan.name.clone(),
                column: plan.column.clone(),
                missing,
                slot,
            });
        }
        Ok(schema)
    }

    fn place(&mut self, table: &Table, plan: &InputPlan, is_train: &[bool]) -> Result<Slot> {
        let column = column(table, &plan.column)?;
        let values = column.values();
        let at_numbers = self.n_numbers;
        let slot = match &plan.kind {
            InputKind::Number => {
                self.n_numbers += 1;
                Slot::Number {
                    at: at_numbers,
                    recode: range(column).and_then(|(min, max)| Recode::of(min, max)),
                }
            }
            InputKind::Binary { true_label } => {
                self.n_numbers += 1;
                Slot::Binary {
                    at: at_numbers,
                    levels: two_levels(values, &plan.column, is_train, true_label.as_deref())?,
                }
            }
            InputKind::Date { format } => {
                self.n_numbers += date::PARTS.len();
                let format = format.clone().or_else(|| format_of(values));
                if let Some(format) = &format
                    && date::Format::new(format).is_none()
                {
                    return Err(wrong(
                        &plan.column,
                        Kind::Date,
                        format!("\"{format}\" is no format of dates"),
                    ));
                }
                Slot::Date {
                    at: at_numbers,
                    format,
                }
            }
            InputKind::Category { lowercase } => {
                let (levels, train_counts) =
                    levels(values, *lowercase, is_train).into_iter().unzip();
                self.n_categories += 1;
                Slot::Category {
                    at: self.n_categories - 1,
                    levels,
                    train_counts,
                    lowercase: *lowercase,
                }
            }
            InputKind::Text { terms } => {
                self.n_texts += 1;
                Slot::Text {
                    at: self.n_texts - 1,
                    terms: *terms,
                }
            }
        };
        column.release(0..table.n_rows());
        Ok(slot)
    }
}

impl Target {
    /// The classes of a target, over all rows of `table`. Fails for a target with fewer than two values, and
    /// for a binary one with more.
    pub fn fit(table: &Table, plan: &TargetPlan) -> Result<Self> {
        let column = column(table, &plan.column)?;
        let (classes, recode) = match plan.kind {
            TargetKind::Number => {
                let (min, max) = varying(column)?;
                (Vec::new(), Recode::of(min, max))
            }
            TargetKind::Binary | TargetKind::Category => (classes(column.values(), plan)?, None),
        };
        column.release(0..table.n_rows());
        Ok(Self {
            name: plan.name.clone(),
            column: plan.column.clone(),
            kind: plan.kind,
            classes,
            recode,
        })
    }
}

fn classes(values: Values<'_>, plan: &TargetPlan) -> Result<Vec<String>> {
    let mut classes: Vec<String> = tally(values, |_| false)
        .into_iter()
        .map(|(level, _)| level)
        .collect();
    sort_levels(&mut classes);
    match (&mut classes[..], plan.kind) {
        ([], _) => Err(useless(&plan.column, "no row has a value".into())),
        ([only], _) => Err(useless(&plan.column, format!("every row is \"{only}\""))),
        ([first, second], TargetKind::Binary) => Ok(false_before_true(
            [std::mem::take(first), std::mem::take(second)],
            plan.true_label.as_deref(),
        )
        .into()),
        (many, TargetKind::Binary) => Err(wrong(
            &plan.column,
            Kind::Binary,
            format!("it has {} values", many.len()),
        )),
        (_, TargetKind::Category | TargetKind::Number) => Ok(classes),
    }
}

/// The range of a target. Fails unless two rows have different numbers.
fn varying(column: &Column) -> Result<(f64, f64)> {
    let Some((min, max)) = range(column) else {
        return Err(useless(column.name(), "no row has a number".into()));
    };
    if min.total_cmp(&max).is_eq() {
        return Err(useless(column.name(), format!("every row is {min}")));
    }
    Ok((min, max))
}

fn useless(column: &str, why: String) -> Error {
    Error::UselessTarget {
        column: column.into(),
        why,
    }
}

fn column<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    table.column(name).ok_or_else(|| {
        Error::unknown_column(name, table.columns().iter().map(|column| column.name()))
    })
}

fn wrong(column: &str, kind: Kind, why: String) -> Error {
    Error::WrongKind {
        column: column.into(),
        kind,
        why,
    }
}

/// The two values of a column, false before true. A column of one value has it as true, beside the empty
/// text that no value is.
fn two_levels(
    values: Values<'_>,
    column: &str,
    is_train: &[bool],
    true_label: Option<&str>,
) -> Result<[String; 2]> {
    let mut found = levels(values, false, is_train)
        .into_iter()
        .map(|(level, _)| level);
    match (found.next(), found.next(), found.next()) {
        (Some(_), Some(_), Some(third)) => Err(wrong(
            column,
            Kind::Binary,
            format!(
                "it has {} values, \"{third}\" among them",
                found.count() + 3
            ),
        )),
        (Some(a), Some(b), None) => Ok(false_before_true([a, b], true_label)),
        (one, _, _) => Ok([String::new(), one.unwrap_or_default()]),
    }
}

/// Levels with their training rows, by falling count and then text; the [`MAX_LEVELS`] most frequent.
fn levels(values: Values<'_>, lowercase: bool, is_train: &[bool]) -> Vec<(String, u64)> {
    let mut counts = tally(values, |row| is_train[row]);
    if lowercase {
        let mut merged: HashMap<String, u64> = HashMap::new();
        for (level, count) in counts {
            *merged.entry(level.to_lowercase()).or_default() += count;
        }
        counts = merged.into_iter().collect();
    }
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.truncate(MAX_LEVELS);
    counts
}

/// Every distinct value of a column with the rows that `counts` has, in no order.
fn tally(values: Values<'_>, counts: impl Fn(usize) -> bool) -> Vec<(String, u64)> {
    let one = |row: usize| u64::from(counts(row));
    match values {
        Values::Number(values) => {
            let mut by_value: HashMap<u64, u64> = HashMap::new();
            for (row, x) in values.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
                *by_value.entry((x + 0.0).to_bits()).or_default() += one(row);
            }
            by_value
                .into_iter()
                .filter_map(|(bits, n)| Some((number_level(f64::from_bits(bits))?, n)))
                .collect()
        }
        Values::Time(times) => {
            let mut by_value: HashMap<i64, u64> = HashMap::new();
            for (row, &time) in times.iter().enumerate() {
                *by_value.entry(time).or_default() += one(row);
            }
            by_value
                .into_iter()
                .filter_map(|(time, n)| Some((time_level(time)?, n)))
                .collect()
        }
        Values::Bool(values) => {
            let count = |value: u8| {
                let mut rows = values
                    .iter()
                    .enumerate()
                    .filter(|&(_, &x)| x == value)
                    .map(|(row, _)| row)
                    .peekable();
                rows.peek().is_some().then(|| rows.map(one).sum())
            };
            [0, 1]
                .into_iter()
                .filter_map(|value| Some((bool_level(value)?.to_owned(), count(value)?)))
                .collect()
        }
        Values::Text(TextColumn::Coded { codes, dictionary }) => {
            let mut by_code = vec![None; dictionary.len()];
            for (row, &code) in codes
                .iter()
                .enumerate()
                .filter(|&(_, &code)| code != MISSING_CODE)
            {
                *by_code[code as usize].get_or_insert(0) += one(row);
            }
            dictionary
                .iter()
                .zip(by_code)
                .filter_map(|(level, n)| Some((level.to_owned(), n?)))
                .collect()
        }
        Values::Text(text @ TextColumn::Plain(_)) => {
            let mut by_text: HashMap<&str, u64> = HashMap::new();
            for (row, text) in text.iter().enumerate() {
                if let Some(text) = text {
                    *by_text.entry(text).or_default() += one(row);
                }
            }
            by_text
                .into_iter()
                .map(|(level, n)| (level.to_owned(), n))
                .collect()
        }
    }
}
