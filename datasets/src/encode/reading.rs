//! A column read as what a slot wants, whatever its storage.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Recode;
use super::date;
use super::levels::{Levels, MISSING};
use crate::table::{Column, MISSING_BOOL, MISSING_CODE, MISSING_TIME, TextColumn, Values};

/// One value a row: looked up by the code of the row's text, or worked out.
pub(super) enum Reader<'a, T> {
    Coded {
        codes: &'a [u32],
        of_code: Vec<T>,
        missing: T,
    },
    Plain(&'a [f64], fn(f64) -> T),
    Each(Box<dyn Fn(usize) -> T + Send + Sync + 'a>),
}

impl<'a, T: Copy> Reader<'a, T> {
    /// Calls `put` with the value of each of `rows`, in order.
    pub(super) fn read(&self, rows: impl Iterator<Item = usize>, mut put: impl FnMut(T)) {
        match self {
            Self::Coded {
                codes,
                of_code,
                missing,
            } => rows.for_each(|row| {
                let code = codes[row];
                put(if code == MISSING_CODE {
                    *missing
                } else {
                    of_code[code as usize]
                });
            }),
            Self::Plain(values, narrow) => rows.for_each(|row| put(narrow(values[row]))),
            Self::Each(value) => rows.for_each(|row| put(value(row))),
        }
    }

    fn each(value: impl Fn(usize) -> T + Send + Sync + 'a) -> Self {
        Self::Each(Box::new(value))
    }
}

/// Counts the values of a column that could not be read.
#[derive(Debug, Clone, Default)]
pub(super) struct Unread(Arc<AtomicU64>);

impl Unread {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }
}

/// A text column through `parse`, which gives `None` for what it cannot read.
fn parsed<'a, T: Copy + Send + Sync + 'a>(
    text: TextColumn<'a>,
    missing: T,
    unread: &Unread,
    parse: impl Fn(&str) -> Option<T> + Send + Sync + 'a,
) -> Reader<'a, T> {
    match text {
        TextColumn::Coded { codes, dictionary } => {
            let of_code: Vec<Option<T>> = dictionary.iter().map(parse).collect();
            if of_code.iter().any(Option::is_none) {
                let is_unread =
                    |&&code: &&u32| code != MISSING_CODE && of_code[code as usize].is_none();
                unread.add(codes.iter().filter(is_unread).count() as u64);
            }
            Reader::Coded {
                codes,
                of_code: of_code.into_iter().map(|x| x.unwrap_or(missing)).collect(),
                missing,
            }
        }
        TextColumn::Plain(_) => {
            let unread = unread.clone();
            Reader::each(move |row| match text.get(row) {
                None => missing,
                Some(text) => parse(text).unwrap_or_else(|| {
                    unread.add(1);
                    missing
                }),
            })
        }
    }
}

/// As numbers; NaN for what is missing, infinite or no number. Times are seconds, booleans 0 and 1.
pub(super) fn numbers<'a>(
    values: Values<'a>,
    recode: Option<Recode>,
    unread: &Unread,
) -> Reader<'a, f32> {
    let write = move |x: f64| finite(recode.map_or(x, |recode| recode.apply(x)));
    match values {
        Values::Number(values) if recode.is_none() => Reader::Plain(values, finite),
        Values::Number(values) => Reader::each(move |row| write(values[row])),
        Values::Text(text) => parsed(text, f32::NAN, unread, move |text| {
            text.trim().parse().ok().map(write)
        }),
        Values::Time(times) => Reader::each(move |row| match times[row] {
            MISSING_TIME => f32::NAN,
            micros => write(micros as f64 / 1e6),
        }),
        Values::Bool(values) => Reader::each(|row| {
            if values[row] == MISSING_BOOL {
                f32::NAN
            } else {
                f32::from(values[row])
            }
        }),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the arrays hold single precision"
)]
fn finite(x: f64) -> f32 {
    let x = x as f32;
    if x.is_finite() { x } else { f32::NAN }
}

/// As codes of levels.
pub(super) fn codes<'a>(values: Values<'a>, levels: &'a Levels) -> Reader<'a, u32> {
    match values {
        Values::Number(values) => Reader::each(|row| levels.of_number(values[row])),
        Values::Text(text) => parsed(text, MISSING, &Unread::default(), |text| {
            Some(levels.of_text(text))
        }),
        Values::Time(_) | Values::Bool(_) => Reader::each(move |row| {
            values
                .level(row)
                .map_or(MISSING, |level| levels.of_text(&level))
        }),
    }
}

/// As microseconds since 1970-01-01; [`MISSING_TIME`] for what is missing or no time in the format.
pub(super) fn times<'a>(
    values: Values<'a>,
    format: Option<&'a date::Format>,
    unread: &Unread,
) -> Reader<'a, i64> {
    let read = move |text: &str| match format {
        Some(format) => format.read(text.trim()),
        None => date::read_iso(text.trim()),
    };
    match values {
        Values::Time(times) => Reader::each(|row| times[row]),
        Values::Text(text) => parsed(text, MISSING_TIME, unread, read),
        Values::Number(_) | Values::Bool(_) => {
            let unread = unread.clone();
            Reader::each(move |row| {
                let Some(level) = values.level(row) else {
                    return MISSING_TIME;
                };
                read(&level).unwrap_or_else(|| {
                    unread.add(1);
                    MISSING_TIME
                })
            })
        }
    }
}

/// Calls `put` with each value of a column as a number, as [`numbers`] reads it.
pub(crate) fn read_numbers(values: Values<'_>, put: impl FnMut(f32)) {
    numbers(values, None, &Unread::default()).read(0..values.len(), put);
}

/// Rows of a column that are looked at before their pages are given back.
const BLOCK: usize = 1 << 16;

/// The least and the largest finite number of a column, as [`numbers`] reads it; `None` where there is none. Pages of
/// the column are given back.
pub(super) fn range(column: &Column) -> Option<(f64, f64)> {
    let mut range: Option<(f64, f64)> = None;
    let mut add = |x: f64| {
        if x.is_finite() {
            let (min, max) = range.unwrap_or((x, x));
            range = Some((min.min(x), max.max(x)));
        }
    };
    let parsed = |text: &str| text.trim().parse().unwrap_or(f64::NAN);
    let values = column.values();
    if let Values::Text(TextColumn::Coded { dictionary, .. }) = values {
        dictionary.iter().for_each(|text| add(parsed(text)));
        return range;
    }
    for from in (0..values.len()).step_by(BLOCK) {
        let rows = from..values.len().min(from + BLOCK);
        match values {
            Values::Number(values) => values[rows.clone()].iter().copied().for_each(&mut add),
            Values::Text(text) => rows
                .clone()
                .filter_map(|row| text.get(row))
                .for_each(|text| add(parsed(text))),
            Values::Time(times) => times[rows.clone()]
                .iter()
                .filter(|time| **time != MISSING_TIME)
                .for_each(|micros| add(*micros as f64 / 1e6)),
            Values::Bool(values) => values[rows.clone()]
                .iter()
                .filter(|value| **value != MISSING_BOOL)
                .for_each(|value| add(f64::from(*value))),
        }
        column.release(rows);
    }
    range
}

/// Calls `put` with each value of a column as a time, as [`times`] reads it; `None` where there is none.
pub(crate) fn read_times(
    values: Values<'_>,
    format: Option<&date::Format>,
    mut put: impl FnMut(Option<i64>),
) {
    let reader = times(values, format, &Unread::default());
    reader.read(0..values.len(), |time| {
        put(Some(time).filter(|&time| time != MISSING_TIME))
    });
}

/// Whether a row has no value.
pub(crate) fn is_missing(values: Values<'_>, row: usize) -> bool {
    match values {
        Values::Number(values) => !values[row].is_finite(),
        Values::Text(text) => text.get(row).is_none(),
        Values::Time(times) => times[row] == MISSING_TIME,
        Values::Bool(values) => values[row] == MISSING_BOOL,
    }
}
