//! JSON lines: one flat object a line. Keys become columns in order of first appearance; a key that a line
//! lacks is missing there.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Mutex;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::build::Builder;
use super::csv::{Columns, finished};
use super::ingest::Job;
use super::pipeline::{Block, Fault, Trouble};
use super::text;
use crate::Result;

/// The value of a key.
#[derive(Debug, PartialEq)]
enum Cell<'a> {
    Missing,
    Number(f64),
    /// A text, a boolean too.
    Text(Cow<'a, str>),
    Nested(&'static str),
}

/// Every key of the file, in order of first appearance: a pass of its own, since a key may come late.
pub(super) fn names(job: &mut Job<'_>) -> Result<Vec<String>> {
    let found: Mutex<Vec<(u64, String)>> = Mutex::new(Vec::new());
    let parse = |text: &[u8], offset: u64| {
        let mut seen: HashMap<String, u64> = HashMap::new();
        each_object(text, |at, object| {
            for (place, (key, cell)) in (0..).zip(object) {
                if let Cell::Nested(what) = cell {
                    return Err(Fault::at(text, at, Trouble::Nested(key.into_owned(), what)));
                }
                if !seen.contains_key(key.as_ref()) {
                    // Keys of one line in their order, lines in theirs: a line has fewer keys than bytes.
                    seen.insert(key.into_owned(), offset + at as u64 + place);
                }
            }
            Ok(())
        })?;
        found
            .lock()
            .expect("no other block panics while it adds its keys")
            .extend(seen.into_iter().map(|(key, at)| (at, key)));
        let n_lines = memchr::memchr_iter(b'\n', text).count() as u64;
        Ok(Block {
            columns: Vec::new(),
            n_rows: 0,
            n_left_out: 0,
            n_lines,
        })
    };
    text::lines(job, &parse)?;
    let mut found = found.into_inner().expect("every block has ended");
    found.sort_unstable();
    let mut names = Vec::new();
    let mut known = std::collections::HashSet::new();
    for (_, name) in found {
        if known.insert(name.clone()) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Reads a block of whole lines.
pub(super) fn parse(
    text: &[u8],
    offset: u64,
    columns: &Columns<'_>,
    names: &[String],
) -> std::result::Result<Block, Fault> {
    let places: HashMap<&str, usize> = names
        .iter()
        .enumerate()
        .map(|(index, name)| (name.as_str(), index))
        .collect();
    let mut first = columns.builders(64);
    let (rows, left_out) = walk(text, offset, columns, &places, &mut first)?;
    let mut second = columns.again(&first, rows);
    if let Some(second) = &mut second {
        walk(text, offset, columns, &places, second)?;
    }
    let n_lines = memchr::memchr_iter(b'\n', text).count() as u64;
    Ok(Block {
        columns: finished(first, second),
        n_rows: rows,
        n_left_out: left_out,
        n_lines,
    })
}

fn walk(
    text: &[u8],
    offset: u64,
    columns: &Columns<'_>,
    places: &HashMap<&str, usize>,
    builders: &mut [Builder],
) -> std::result::Result<(usize, u64), Fault> {
    let (mut rows, mut left_out) = (0, 0);
    let mut row: Vec<Cell<'_>> = Vec::new();
    each_object(text, |at, object| {
        if !columns.sample.keeps(offset + at as u64) {
            left_out += 1;
            return Ok(());
        }
        row.clear();
        row.resize_with(builders.len(), || Cell::Missing);
        for (key, cell) in object {
            // A key that stands twice in a line keeps its last value, as everywhere.
            if let Some(&place) = places.get(key.as_ref()) {
                row[place] = cell;
            }
        }
        for (builder, cell) in builders.iter_mut().zip(row.drain(..)) {
            match cell {
                Cell::Missing => builder.push(b""),
                Cell::Number(value) => builder.push_number(value),
                Cell::Text(text) => builder.push(text.as_bytes()),
                Cell::Nested(what) => {
                    return Err(Fault::at(text, at, Trouble::Nested(String::new(), what)));
                }
            }
        }
        rows += 1;
        Ok(())
    })?;
    Ok((rows, left_out))
}

type Object<'a> = Vec<(Cow<'a, str>, Cell<'a>)>;

/// Gives each line's object, with the line's place, to `each`; blank lines are skipped.
fn each_object<'a>(
    text: &'a [u8],
    mut each: impl FnMut(usize, Object<'a>) -> std::result::Result<(), Fault>,
) -> std::result::Result<(), Fault> {
    let mut at = 0;
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |found| at + found);
        let line = text[at..end].trim_ascii();
        if !line.is_empty() {
            let mut reader = serde_json::Deserializer::from_slice(line);
            let object = reader
                .deserialize_map(ObjectVisitor)
                .and_then(|object| reader.end().map(|()| object));
            let object = object.map_err(|error| {
                Fault::at(
                    text,
                    at,
                    Trouble::Json(format!("not a JSON object ({error})")),
                )
            })?;
            each(at, object)?;
        }
        at = end + 1;
    }
    Ok(())
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut map: A,
    ) -> std::result::Result<Self::Value, A::Error> {
        let mut object = Vec::with_capacity(map.size_hint().unwrap_or(16));
        while let Some(Key(key)) = map.next_key()? {
            object.push((key, map.next_value::<Cell<'de>>()?));
        }
        Ok(object)
    }
}

/// A key, borrowed where it holds no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match deserializer.deserialize_str(CellVisitor)? {
            Cell::Text(key) => Ok(Self(key)),
            Cell::Missing | Cell::Number(_) | Cell::Nested(_) => {
                Err(serde::de::Error::custom("a key is a text"))
            }
        }
    }
}

impl<'de> serde::Deserialize<'de> for Cell<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> std::result::Result<Cell<'de>, E> {
        Ok(Cell::Missing)
    }

    fn visit_bool<E>(self, value: bool) -> std::result::Result<Cell<'de>, E> {
        Ok(Cell::Text(Cow::Borrowed(if value {
            "true"
        } else {
            "false"
        })))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Cell<'de>, E> {
        Ok(Cell::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Cell<'de>, E> {
        Ok(Cell::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Cell<'de>, E> {
        Ok(Cell::Number(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> std::result::Result<Cell<'de>, E> {
        Ok(Cell::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Cell<'de>, E> {
        Ok(Cell::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Cell<'de>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Cell::Nested("lists"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Cell<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Nested("objects"))
    }
}
