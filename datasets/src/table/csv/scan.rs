//! Where records and fields of delimited text end.
//!
//! A quote opens a quoted field only where a field begins (spaces before it do not count); inside,
//! `""` is one quote, and delimiters and line breaks are text. A quote anywhere else is a character like
//! any other, as in `5'8" tall`. A record ends at a line feed outside quotes; a carriage return before
//! it belongs to the line end.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memrchr};

/// Where the last whole record of `text` ends, and whether a quote is left open behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) struct Whole {
    /// The place behind the line feed of the last whole record; 0 when there is none.
    pub(in crate::table) end: usize,
    /// The place of a quote that is opened behind `end` and not closed in `text`.
    pub(in crate::table) open_quote: Option<usize>,
}

/// Finds the whole records of `text`, which begins where a record begins.
pub(in crate::table) fn whole_records(text: &[u8], delimiter: u8) -> Whole {
    let Some(first_quote) = memchr(b'"', text) else {
        return Whole {
            end: memrchr(b'\n', text).map_or(0, |at| at + 1),
            open_quote: None,
        };
    };
    let mut end = memrchr(b'\n', &text[..first_quote]).map_or(0, |at| at + 1);
    let mut at = first_quote;
    while let Some(found) = memchr2(b'"', b'\n', &text[at..]) {
        let place = at + found;
        at = place + 1;
        if text[place] == b'\n' {
            end = at;
        } else if opens(text, place, delimiter) {
            match closing(text, place + 1) {
                Some(close) => at = close + 1,
                None => {
                    return Whole {
                        end,
                        open_quote: Some(place),
                    };
                }
            }
        }
    }
    Whole {
        end,
        open_quote: None,
    }
}

/// Whether the quote at `place` stands where a field begins.
fn opens(text: &[u8], place: usize, delimiter: u8) -> bool {
    for &byte in text[..place].iter().rev() {
        if byte == delimiter || byte == b'\n' {
            return true;
        }
        if byte != b' ' {
            return false;
        }
    }
    true
}

/// The place of the quote that closes a field whose content begins at `from`.
fn closing(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let place = at + memchr(b'"', &text[at..])?;
        if text.get(place + 1) != Some(&b'"') {
            return Some(place);
        }
        at = place + 2;
    }
}

/// One field and where it ends.
#[derive(Debug)]
pub(in crate::table) struct Field<'a> {
    /// The content: without quotes, and without spaces around it when it was not quoted.
    pub(in crate::table) text: Cow<'a, [u8]>,
    /// The place behind the delimiter or line feed.
    pub(in crate::table) next: usize,
    /// Whether it ends its record.
    pub(in crate::table) last: bool,
}

/// Reads the field that begins at `start`. The end of `text` ends a record like a line feed.
pub(in crate::table) fn field(text: &[u8], start: usize, delimiter: u8) -> Field<'_> {
    let mut at = start;
    while at < text.len() && text[at] == b' ' && delimiter != b' ' {
        at += 1;
    }
    if text.get(at) == Some(&b'"')
        && let Some(close) = closing(text, at + 1)
    {
        return quoted(text, at + 1, close, delimiter);
    }
    let (end, next, last) = field_end(text, at, delimiter);
    Field {
        text: Cow::Borrowed(text[at..end].trim_ascii()),
        next,
        last,
    }
}

/// The field whose quoted content is `text[from..close]`; what stands between the closing quote and
/// the delimiter is kept as text behind it.
fn quoted(text: &[u8], from: usize, close: usize, delimiter: u8) -> Field<'_> {
    let content = &text[from..close];
    let (end, next, last) = field_end(text, close + 1, delimiter);
    let behind = text[close + 1..end].trim_ascii();
    let text = if memchr(b'"', content).is_none() && behind.is_empty() {
        Cow::Borrowed(content)
    } else {
        let mut owned = Vec::with_capacity(content.len() + behind.len());
        let mut rest = content;
        while let Some(at) = memchr(b'"', rest) {
            owned.extend_from_slice(&rest[..=at]);
            rest = rest.get(at + 2..).unwrap_or_default();
        }
        owned.extend_from_slice(rest);
        owned.extend_from_slice(behind);
        Cow::Owned(owned)
    };
    Field { text, next, last }
}

/// Where an unquoted run from `at` ends: its end, the place behind its delimiter, and whether the record ends.
fn field_end(text: &[u8], at: usize, delimiter: u8) -> (usize, usize, bool) {
    match memchr2(delimiter, b'\n', &text[at..]) {
        Some(found) => (at + found, at + found + 1, text[at + found] == b'\n'),
        None => (text.len(), text.len(), true),
    }
}

/// Whether nothing but spaces and a line end stands from `start` to the end of the line; if so, where the
/// next line begins.
pub(in crate::table) fn blank_line(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        match text.get(at) {
            None => return Some(at),
            Some(b'\n') => return Some(at + 1),
            Some(b' ' | b'\r') => at += 1,
            Some(_) => return None,
        }
    }
}

/// The place behind the record that begins at `start`.
pub(in crate::table) fn skip_record(text: &[u8], start: usize, delimiter: u8) -> usize {
    let mut at = start;
    loop {
        let field = field(text, at, delimiter);
        at = field.next;
        if field.last {
            return at;
        }
    }
}

/// The fields of the record that begins at `start`, as text, and the place behind it.
pub(in crate::table) fn record(text: &[u8], start: usize, delimiter: u8) -> (Vec<String>, usize) {
    let mut fields = Vec::new();
    let mut at = start;
    loop {
        let field = field(text, at, delimiter);
        fields.push(String::from_utf8_lossy(&field.text).into_owned());
        at = field.next;
        if field.last {
            return (fields, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The records of `text` by a machine that looks at one byte at a time, and where the last whole one ends.
    fn naive(text: &[u8], delimiter: u8) -> (Vec<Vec<String>>, usize) {
        #[derive(PartialEq)]
        enum At {
            Start,
            Plain,
            Quoted,
            Quote,
        }
        let (mut records, mut record, mut field, mut padding) =
            (Vec::new(), Vec::new(), Vec::new(), None);
        let (mut at, mut was_quoted, mut end) = (At::Start, false, 0);
        for (place, &byte) in text.iter().enumerate() {
            match (&at, byte) {
                (At::Quoted, b'"') => at = At::Quote,
                (At::Quoted, _) => field.push(byte),
                (At::Quote, b'"') => {
                    field.push(byte);
                    at = At::Quoted;
                }
                (_, b'\n') => {
                    record.push(finish(&mut field, was_quoted, padding));
                    records.push(std::mem::take(&mut record));
                    (at, was_quoted, padding, end) = (At::Start, false, None, place + 1);
                }
                (_, byte) if byte == delimiter => {
                    record.push(finish(&mut field, was_quoted, padding));
                    (at, was_quoted, padding) = (At::Start, false, None);
                }
                (At::Start, b' ') => {}
                (At::Start, b'"') => (at, was_quoted) = (At::Quoted, true),
                (At::Quote, _) => {
                    padding = Some(field.len());
                    field.push(byte);
                    at = At::Plain;
                }
                (At::Start | At::Plain, _) => {
                    field.push(byte);
                    at = At::Plain;
                }
            }
        }
        (records, end)
    }

    /// Trims what was not quoted: the whole field, or what stands behind the quoted part.
    fn finish(field: &mut Vec<u8>, was_quoted: bool, behind: Option<usize>) -> String {
        let field = std::mem::take(field);
        let from = if was_quoted {
            behind.unwrap_or(field.len())
        } else {
            0
        };
        String::from_utf8_lossy(&[&field[..from], field[from..].trim_ascii()].concat()).into_owned()
    }

    fn records(text: &[u8]) -> Vec<Vec<String>> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (fields, next) = record(text, at, b',');
            out.push(fields);
            at = next;
        }
        out
    }

    #[test]
    fn fields_come_without_their_quotes_and_padding() {
        for (text, expected) in [
            ("a,b\n", vec!["a", "b"]),
            ("a,b", vec!["a", "b"]),
            (" a , b \r\n", vec!["a", "b"]),
            ("\"a,b\",c\n", vec!["a,b", "c"]),
            ("x, \"a, b\" \r\n", vec!["x", "a, b"]),
            ("\"say \"\"hi\"\"\",2\n", vec!["say \"hi\"", "2"]),
            ("5'8\" tall,\"\"\n", vec!["5'8\" tall", ""]),
            ("\"two\nlines\",\" kept \"\n", vec!["two\nlines", " kept "]),
            ("\"a\"b,c\n", vec!["ab", "c"]),
            (",\n", vec!["", ""]),
        ] {
            assert_eq!(records(text.as_bytes()), vec![expected], "{text:?}");
        }
    }

    #[test]
    fn an_open_quote_is_named_and_cuts_the_records() {
        assert_eq!(
            whole_records(b"a,b\n1,\"x\n2,y\n", b','),
            Whole {
                end: 4,
                open_quote: Some(6)
            }
        );
        assert_eq!(
            whole_records(b"a,b\n1,x\"\n2,\"y\"\n3", b','),
            Whole {
                end: 15,
                open_quote: None
            }
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn records_are_cut_as_a_reader_of_single_bytes_cuts_them(
            pieces in prop::collection::vec(
                prop::sample::select(vec!["a", "b7", ",", "\n", "\"", "\"\"", " ", "\r\n", ",\"", "\",", "\"\n", "é"]), 0..40)
        ) {
            let text = pieces.concat();
            let (expected, end) = naive(text.as_bytes(), b',');
            let whole = whole_records(text.as_bytes(), b',');
            prop_assert_eq!(whole.end, end);
            prop_assert_eq!(records(&text.as_bytes()[..end]), expected);
        }
    }
}
