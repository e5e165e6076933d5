//! How a file is delimited, and what its columns are called: told from its first records.

use std::collections::HashSet;

use super::scan::{blank_line, record, whole_records};
use crate::finding::{Finding, What};
use crate::source::ReadOptions;
use crate::table::cell;

/// Bytes of text looked at.
pub(in crate::table) const HEAD_BYTES: usize = 256 << 10;
/// Records looked at.
const HEAD_RECORDS: usize = 200;
/// Delimiters that are tried, in order of preference.
const DELIMITERS: [u8; 4] = *b",\t;|";

/// How a file is written.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::table) struct Dialect {
    /// The byte between fields.
    pub(in crate::table) delimiter: u8,
    /// The columns: unique, never empty.
    pub(in crate::table) names: Vec<String>,
    /// Where the first row of values begins.
    pub(in crate::table) start: usize,
}

/// Why a dialect cannot be told.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::table) enum Untold {
    /// Nothing but blank lines.
    Empty,
    /// Names were given for another number of columns.
    ColumnCount { seen: usize, given: usize },
}

/// Tells the dialect of a file that begins with `head`; `whole` when the head is all of it.
pub(in crate::table) fn sniff(
    head: &[u8],
    whole: bool,
    options: &ReadOptions,
) -> Result<(Dialect, Vec<Finding>), Untold> {
    let delimiter = options.delimiter.unwrap_or_else(|| delimiter(head, whole));
    let records = records(head, whole, delimiter);
    let Some((first, first_end)) = records.first() else {
        return Err(Untold::Empty);
    };
    let has_header = options.header.unwrap_or_else(|| !all_numbers(first));
    let mut findings = Vec::new();
    let seen = match (&options.column_names, has_header) {
        (Some(names), _) if names.len() != first.len() => {
            return Err(Untold::ColumnCount {
                seen: first.len(),
                given: names.len(),
            });
        }
        (Some(names), _) => names.clone(),
        (None, true) => first.clone(),
        (None, false) => (1..=first.len()).map(|n| format!("column_{n}")).collect(),
    };
    if !has_header && options.header.is_none() {
        let text = "the first line holds numbers only, so it is read as values and the columns are numbered";
        findings.push(Finding::warning(What::NoHeader, None, text));
    }
    let first_row = if has_header {
        *first_end
    } else {
        record_start(head)
    };
    let dialect = Dialect {
        delimiter,
        names: unique(seen, &mut findings),
        start: first_row,
    };
    Ok((dialect, findings))
}

/// The first records of `head` that are whole, each with the place behind it.
fn records(head: &[u8], whole: bool, delimiter: u8) -> Vec<(Vec<String>, usize)> {
    let end = if whole {
        head.len()
    } else {
        whole_records(head, delimiter).end
    };
    let text = &head[..if end == 0 { head.len() } else { end }];
    let mut records = Vec::new();
    let mut at = 0;
    while at < text.len() && records.len() < HEAD_RECORDS {
        if let Some(next) = blank_line(text, at) {
            at = next;
            continue;
        }
        let (fields, next) = record(text, at, delimiter);
        records.push((fields, next));
        at = next;
    }
    records
}

/// Where the first record that is not blank begins.
fn record_start(head: &[u8]) -> usize {
    let mut at = 0;
    while let Some(next) = blank_line(head, at) {
        if next == at {
            break;
        }
        at = next;
    }
    at
}

/// The delimiter that cuts most records into as many fields as the first one, more than one; of equals,
/// the one that cuts into more fields, then the commoner one.
fn delimiter(head: &[u8], whole: bool) -> u8 {
    let mut best = (0.0, 1, DELIMITERS[0]);
    for delimiter in DELIMITERS {
        let records = records(head, whole, delimiter);
        let Some((first, _)) = records.first() else {
            continue;
        };
        let agreeing = records
            .iter()
            .filter(|(fields, _)| fields.len() == first.len())
            .count();
        let share = agreeing as f64 / records.len() as f64;
        if first.len() > 1 && (share, first.len()) > (best.0, best.1) {
            best = (share, first.len(), delimiter);
        }
    }
    best.2
}

/// Whether a line holds numbers and nothing else, so that it cannot be a header.
fn all_numbers(fields: &[String]) -> bool {
    let mut values = fields
        .iter()
        .map(|field| field.as_bytes())
        .filter(|field| !cell::is_missing(field))
        .peekable();
    values.peek().is_some() && values.all(|field| cell::number(field).is_some())
}

/// The names, numbered where empty and told apart where equal: `a`, `a.1`, `a.2`.
pub(in crate::table) fn unique(names: Vec<String>, findings: &mut Vec<Finding>) -> Vec<String> {
    let given: HashSet<String> = names.iter().map(|name| name.trim().to_owned()).collect();
    let mut taken = HashSet::new();
    let mut out = Vec::with_capacity(names.len());
    for (place, name) in (1..).zip(names) {
        let mut name = name.trim().to_owned();
        if name.is_empty() {
            name = format!("column_{place}");
            let text = format!("column {place} has no name and is called \"{name}\"");
            findings.push(Finding::note(What::EmptyName, Some(&name), text));
        }
        if taken.contains(&name) {
            let fresh = (1..)
                .map(|n| format!("{name}.{n}"))
                .find(|fresh| !taken.contains(fresh) && !given.contains(fresh))
                .expect("one of infinitely many names is free");
            let text =
                format!("the name \"{name}\" stands twice; column {place} is called \"{fresh}\"");
            findings.push(Finding::warning(What::DuplicateName, Some(&fresh), text));
            name = fresh;
        }
        taken.insert(name.clone());
        out.push(name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (Dialect, Vec<Finding>) {
        sniff(text.as_bytes(), true, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn the_delimiter_is_the_one_that_cuts_evenly() {
        for (text, expected, n) in [
            ("a,b\n1,2\n", b',', 2),
            ("a\tb\n1,5\t2\n", b'\t', 2),
            ("a;b\n1,5;2,5\n3,5;4,5\n", b';', 2),
            ("a|b|c\n1|2|3\n", b'|', 3),
            ("text\none, two\nthree\n", b',', 1),
            ("a,b\n\"x;y\",\"p;q\"\n\"u;v\",2\n", b',', 2),
            ("name;note\nx;\"a, b, c\"\ny;z\n", b';', 2),
        ] {
            let (dialect, _) = told(text);
            assert_eq!(
                (dialect.delimiter, dialect.names.len()),
                (expected, n),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_first_line_of_numbers_is_no_header() {
        let (dialect, findings) = told("\n1.0,0.5\n0.0,0.7\n");
        assert_eq!(
            (dialect.names, dialect.start),
            (vec!["column_1".into(), "column_2".into()], 1)
        );
        assert_eq!(findings[0].what, What::NoHeader);
        let options = ReadOptions {
            header: Some(true),
            ..ReadOptions::default()
        };
        let (dialect, findings) = sniff(b"2019,2020\n1,2\n", true, &options).unwrap();
        assert_eq!(
            (dialect.names, dialect.start),
            (vec!["2019".into(), "2020".into()], 10)
        );
        assert!(findings.is_empty());
    }

    #[test]
    fn names_are_made_unique_and_never_empty() {
        let (dialect, findings) = told("a,a,,größe, a ,a.1\n1,2,3,4,5,6\n");
        assert_eq!(
            dialect.names,
            ["a", "a.2", "column_3", "größe", "a.3", "a.1"]
        );
        assert_eq!(
            findings.iter().map(|f| f.what).collect::<Vec<_>>(),
            [What::DuplicateName, What::EmptyName, What::DuplicateName]
        );
    }

    #[test]
    fn given_names_must_fit() {
        let options = ReadOptions {
            column_names: Some(vec!["x".into()]),
            ..ReadOptions::default()
        };
        assert_eq!(
            sniff(b"1,2\n", true, &options),
            Err(Untold::ColumnCount { seen: 2, given: 1 })
        );
        assert_eq!(
            sniff(b"\n \n", true, &ReadOptions::default()),
            Err(Untold::Empty)
        );
    }
}
