//! The command of a program as a template: `{name}` stands for a value.
//!
//! A name is of letters, digits, `_`, `-` and `.`, and begins with a letter or `_`. `${name}` is the shell's and
//! stays, `{{name}}` is the text `{name}`, and any other brace is a brace.

use std::ops::Range;

use serde_json::Value;

/// What a command may name beside its parameters.
pub const BUILT_IN: [&str; 5] = ["trial", "seed", "epochs", "max_epochs", "checkpoint"];

/// The names that a command uses, in order, each as often as it stands there.
pub fn names(command: &str) -> impl Iterator<Item = &str> {
    Pieces(command).filter_map(|piece| match piece {
        Piece::Name(name) => Some(name),
        Piece::Text(_) => None,
    })
}

/// The command with a value in the place of each name, quoted for a POSIX shell; nothing where `value_of` has none.
pub fn filled(command: &str, value_of: impl Fn(&str) -> Option<Value>) -> String {
    Pieces(command)
        .map(|piece| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Name(name) => value_of(name).map_or_else(String::new, |value| quoted(&value)),
        })
        .collect()
}

/// A value as one word of a shell.
fn quoted(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// What is left of a command, cut into pieces.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self.0;
        if rest.is_empty() {
            return None;
        }
        let found = rest.match_indices('{').find_map(|(at, _)| {
            let name = name_at(rest, at + 1)?;
            let before = rest[..at].chars().next_back();
            let is_doubled = before == Some('{') && rest[name.end + 1..].starts_with('}');
            // The braces of the shell are passed over.
            (before != Some('$')).then_some((at, name, is_doubled))
        });
        let (piece, end) = match found {
            None => (Piece::Text(rest), rest.len()),
            // The outer braces go, the inner ones stay.
            Some((1, name, true)) => (Piece::Text(&rest[1..=name.end]), name.end + 2),
            Some((at, _, true)) => (Piece::Text(&rest[..at - 1]), at - 1),
            Some((0, name, false)) => (Piece::Name(&rest[name.clone()]), name.end + 1),
            Some((at, _, false)) => (Piece::Text(&rest[..at]), at),
        };
        self.0 = &rest[end..];
        Some(piece)
    }
}

/// The name that begins at `at` and is closed by a brace.
fn name_at(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = &text[at..];
    let end = rest.find('}')?;
    let name = &rest[..end];
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    (begins && name.chars().all(goes_on)).then_some(at..at + end)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_filled_and_other_braces_stay() {
        let values = json!({"lr": 0.01, "layers": 2, "name": "it's", "on": true, "units": [64, 32], "a.b-c": "x/y"});
        for (command, expected) in [
            (
                "train --lr {lr} --layers={layers}",
                "train --lr 0.01 --layers=2",
            ),
            ("{name} {on} {units}", r"'it'\''s' true '[64,32]'"),
            ("{a.b-c}{lr}", "x/y0.01"),
            ("none: [{gone}]", "none: []"),
            ("${lr} ${HOME}", "${lr} ${HOME}"),
            ("{{lr}} {{ lr }} {}", "{lr} {{ lr }} {}"),
            (
                "awk '{print $1}' | jq '{\"a\": {\"b\": 1}}'",
                "awk '{print $1}' | jq '{\"a\": {\"b\": 1}}'",
            ),
            ("{{{lr}}}", "{{lr}}"),
            ("{1st} {lr", "{1st} {lr"),
            ("", ""),
        ] {
            assert_eq!(
                filled(command, |name| values.get(name).cloned()),
                expected,
                "{command}"
            );
        }
    }

    #[test]
    fn what_a_command_names_is_listed() {
        let command = "x {lr} ${lr} {{no}} {lr} {n-layers}";
        assert_eq!(names(command).collect::<Vec<_>>(), ["lr", "lr", "n-layers"]);
    }
}
