//! By a hash of a value: a row keeps its part when the table grows.
//!
//! As Ludwig's `HashSplitter`, so that both give the same parts: CRC-32 of the
//! base64 text of the MD5 digest of `{"value": x}` as Python's `json` writes it,
//! compared with shares of 2^32.

use std::fmt::Write;

use md5::{Digest, Md5};

use super::{Part, Parts, Shares};

/// A value as Python would see it in the column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlainValue<'a> {
    /// A missing value.
    Missing,
    /// A whole number of a column of whole numbers.
    Integer(i64),
    /// Any other number.
    Real(f64),
    /// Text.
    Text(&'a str),
}

/// Divides `rows` by the hash of their values. A part may be empty.
pub fn by_hash<'a>(value: impl Fn(u32) -> PlainValue<'a>, rows: &[u32], shares: Shares) -> Parts {
    const WHOLE: f64 = 4_294_967_296.0;
    let [train, validation, _] = shares.to_array();
    let mut json = String::new();
    Parts::assign(rows, |row| {
        let hash = f64::from(hash(value(row), &mut json));
        if hash < train * WHOLE {
            Part::Train
        } else if hash < train * WHOLE + validation * WHOLE {
            Part::Validation
        } else {
            Part::Test
        }
    })
}

fn hash(value: PlainValue<'_>, json: &mut String) -> u32 {
    json.clear();
    json.push_str("{\"value\": ");
    write_json(value, json);
    json.push('}');
    crc32fast::hash(&base64(&Md5::digest(json.as_bytes()).into()))
}

fn write_json(value: PlainValue<'_>, json: &mut String) {
    let written = match value {
        PlainValue::Missing => write!(json, "NaN"),
        PlainValue::Integer(x) => write!(json, "{x}"),
        PlainValue::Real(x) => write_real(x, json),
        PlainValue::Text(text) => write_text(text, json),
    };
    written.expect("a String takes all that is written to it");
}

/// Python's `repr`: the shortest digits that read back, an exponent below 1e-4 and from 1e16 on.
fn write_real(x: f64, json: &mut String) -> std::fmt::Result {
    if x.is_nan() {
        return write!(json, "NaN");
    }
    if x.is_infinite() {
        return write!(json, "{}Infinity", if x < 0.0 { "-" } else { "" });
    }
    if x == 0.0 || (1e-4..1e16).contains(&x.abs()) {
        return write!(json, "{x:?}");
    }
    let text = format!("{x:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent
        .strip_prefix('-')
        .map_or(('+', exponent), |e| ('-', e));
    write!(json, "{digits}e{sign}{exponent:0>2}")
}

/// A JSON string in ASCII, other characters as UTF-16 escapes.
fn write_text(text: &str, json: &mut String) -> std::fmt::Result {
    json.push('"');
    for c in text.chars() {
        match c {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            ' '..='~' => json.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(json, "\\u{unit:04x}")?;
                }
            }
        }
    }
    json.push('"');
    Ok(())
}

/// Base64 with `_` for both of the last two digits, and padding, as Ludwig writes its hashes.
fn base64(digest: &[u8; 16]) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789__";
    let mut text = Vec::with_capacity(24);
    for bytes in digest.chunks(3) {
        let word = bytes
            .iter()
            .fold(0_u32, |word, &byte| word << 8 | u32::from(byte))
            << (8 * (3 - bytes.len()));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= bytes.len() { digit } else { b'=' });
        }
    }
    text
}

#[cfg(test)]
mod tests;
