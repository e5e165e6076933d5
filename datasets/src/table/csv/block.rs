//! One block of whole records to columns.

use std::sync::atomic::{AtomicBool, Ordering};

use super::scan::{blank_line, field, record, skip_record};
use crate::table::build::{Builder, ColumnChunk, NumberBuilder, Reading};
use crate::table::pipeline::{Block, Fault, Sample, Trouble};

/// How the columns of a file are read in one pass.
#[derive(Debug)]
pub(in crate::table) struct Columns<'a> {
    /// The byte between fields.
    pub(in crate::table) delimiter: u8,
    /// One entry a column.
    pub(in crate::table) readings: &'a [Reading],
    /// Columns known to be text by now; read as such at once, which saves work and changes nothing else.
    pub(in crate::table) known_text: &'a [AtomicBool],
    /// Columns known to be too varied for a dictionary.
    pub(in crate::table) known_plain: &'a [AtomicBool],
    /// Which records are kept.
    pub(in crate::table) sample: Sample,
}

impl Columns<'_> {
    /// Builders for a block of about `rows` rows.
    pub(in crate::table) fn builders(&self, rows: usize) -> Vec<Builder> {
        (self
            .readings
            .iter()
            .zip(self.known_text)
            .zip(self.known_plain))
        .map(|((&reading, text), plain)| {
            let text = reading == Reading::Auto && text.load(Ordering::Relaxed);
            Builder::new(
                if text { Reading::Text } else { reading },
                plain.load(Ordering::Relaxed),
                rows,
            )
        })
        .collect()
    }

    /// Builders for the columns that turned out to be text, and no others; `None` when there are none.
    pub(in crate::table) fn again(
        &self,
        builders: &[Builder],
        rows: usize,
    ) -> Option<Vec<Builder>> {
        let again = |builder: &Builder| {
            if builder.has_failed() {
                Reading::Text
            } else {
                Reading::Skip
            }
        };
        let any = builders.iter().any(Builder::has_failed);
        any.then(|| {
            builders
                .iter()
                .map(|builder| Builder::new(again(builder), false, rows))
                .collect()
        })
    }
}

/// The finished columns of a block, those of the second reading in place of the failed ones.
pub(in crate::table) fn finished(
    first: Vec<Builder>,
    second: Option<Vec<Builder>>,
) -> Vec<ColumnChunk> {
    match second {
        None => first.into_iter().map(Builder::finish).collect(),
        Some(second) => first
            .into_iter()
            .zip(second)
            .map(|(first, second)| {
                if first.has_failed() {
                    second.finish()
                } else {
                    first.finish()
                }
            })
            .collect(),
    }
}

/// Reads a block of whole records, which begins at `offset` in the text.
pub(in crate::table) fn parse(
    text: &[u8],
    offset: u64,
    columns: &Columns<'_>,
) -> Result<Block, Fault> {
    if let Err(error) = std::str::from_utf8(text) {
        return Err(bad_utf8(
            text,
            error.valid_up_to(),
            offset,
            columns.delimiter,
        ));
    }
    let rows = memchr::memchr(b'\n', text)
        .map_or(1, |line| text.len() / (line + 1) + 1)
        .min(text.len());
    let mut first = columns.builders(rows);
    let walked = walk(text, offset, columns, &mut first)?;
    let mut second = columns.again(&first, walked.rows);
    if let Some(second) = &mut second {
        walk(text, offset, columns, second)?;
    }
    Ok(Block {
        columns: finished(first, second),
        n_rows: walked.rows,
        n_left_out: walked.left_out,
        n_lines: memchr::memchr_iter(b'\n', text).count() as u64,
    })
}

#[derive(Debug, Default)]
struct Walked {
    rows: usize,
    left_out: u64,
}

/// Gives every field of every record that is kept to its builder.
fn walk(
    text: &[u8],
    offset: u64,
    columns: &Columns<'_>,
    builders: &mut [Builder],
) -> Result<Walked, Fault> {
    let mut walked = Walked::default();
    let mut at = 0;
    while at < text.len() {
        if let Some(next) = blank_line(text, at) {
            at = next;
            continue;
        }
        if !columns.sample.keeps(offset + at as u64) {
            walked.left_out += 1;
            at = skip_record(text, at, columns.delimiter);
            continue;
        }
        let start = at;
        let mut column = 0;
        loop {
            let Some(builder) = builders.get_mut(column) else {
                return Err(ragged(text, start, columns.delimiter));
            };
            let (next, last) = take(builder, text, at, columns.delimiter);
            column += 1;
            at = next;
            if last {
                break;
            }
        }
        if column != builders.len() {
            return Err(ragged(text, start, columns.delimiter));
        }
        walked.rows += 1;
    }
    Ok(walked)
}

/// Takes one field; gives the place behind it and whether it ends its record.
fn take(builder: &mut Builder, text: &[u8], at: usize, delimiter: u8) -> (usize, bool) {
    if let Builder::Number(number) = builder
        && number.is_open()
        && let Some(taken) = take_number(number, text, at, delimiter)
    {
        return taken;
    }
    let field = field(text, at, delimiter);
    builder.push(&field.text);
    (field.next, field.last)
}

/// The common case in one step: a plain number, or nothing, up to the delimiter or the end of the line.
fn take_number(
    number: &mut NumberBuilder,
    text: &[u8],
    at: usize,
    delimiter: u8,
) -> Option<(usize, bool)> {
    let rest = &text[at..];
    let first = *rest.first()?;
    if first == delimiter || first == b'\n' {
        number.push_number(f64::NAN);
        return Some((at + 1, first == b'\n'));
    }
    let (value, n) = fast_float2::parse_partial::<f64, _>(rest).ok()?;
    let is_code = first == b'0' && n > 1 && rest[1].is_ascii_digit();
    if value.is_nan() || is_code {
        return None;
    }
    let end = match *rest.get(n)? {
        b'\n' => (at + n + 1, true),
        byte if byte == delimiter => (at + n + 1, false),
        b'\r' if rest.get(n + 1) == Some(&b'\n') => (at + n + 2, true),
        _ => return None,
    };
    number.push_number(value);
    Some(end)
}

fn ragged(text: &[u8], start: usize, delimiter: u8) -> Fault {
    Fault::at(
        text,
        start,
        Trouble::Ragged {
            seen: record(text, start, delimiter).0.len(),
        },
    )
}

/// The fault of a byte that is no UTF-8: its column is the number of fields of its record up to it.
fn bad_utf8(text: &[u8], at: usize, offset: u64, delimiter: u8) -> Fault {
    let start = super::scan::whole_records(&text[..at], delimiter).end;
    let column = record(&text[..at], start, delimiter).0.len() - 1;
    Fault::at(
        text,
        at,
        Trouble::BadText {
            column,
            offset: offset + at as u64,
            encoding: "UTF-8",
        },
    )
}
