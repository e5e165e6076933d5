//! A tree as YAML that people can read and edit: stable, quoted where any reader would stumble, commented.
//!
//! What is written is read back as the same tree, by this reader and by those of YAML 1.1 (PyYAML),
//! for which `yes`, `1e-3` and `12:30` are no texts.

use serde_json::{Map, Number, Value};

/// Notes to be written beside the values, by dotted path (`trainer.learning_rate`, `input_features[0]`).
pub(crate) trait Notes {
    /// The comment of this path, if it has one.
    fn comment(&self, path: &str) -> Option<String>;
}

/// Columns that a line should not pass.
const WIDTH: usize = 110;
/// Lists of plain values up to this width stand on one line.
const FLOW_WIDTH: usize = 90;

/// The tree as YAML, ending in a line break.
pub(crate) fn write(value: &Value, notes: &dyn Notes) -> String {
    let mut writer = Writer {
        out: String::new(),
        notes,
    };
    if let Some(header) = notes.comment("") {
        writer.comment_lines(&header, 0);
    }
    match value {
        Value::Object(map) if !map.is_empty() => writer.map(map, 0, "", true),
        Value::Array(items) if !items.is_empty() => writer.list(items, 0, ""),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            writer.out.push_str(&flow(value));
            writer.out.push('\n');
        }
    }
    writer.out
}

struct Writer<'a> {
    out: String,
    notes: &'a dyn Notes,
}

impl Writer<'_> {
    /// The entries of a map; `indented` says whether the first line already stands at its place (after `- `).
    fn map(&mut self, map: &Map<String, Value>, indent: usize, path: &str, indented: bool) {
        for (n, (key, value)) in map.iter().enumerate() {
            let here = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            let comment = self.notes.comment(&here);
            let first_in_item = n == 0 && !indented;
            let head = format!("{}:", quoted(key));
            let start = if first_in_item {
                self.out.rfind('\n').map_or(0, |at| at + 1)
            } else {
                self.out.len()
            };
            if !first_in_item {
                self.indent(indent);
            }
            match value {
                Value::Object(inner) if !inner.is_empty() => {
                    self.head(&head, comment.as_deref(), start, indent);
                    self.map(inner, indent + 2, &here, true);
                }
                Value::Array(items)
                    if !items.is_empty() && !is_flow(value, indent + key.len() + 2) =>
                {
                    self.head(&head, comment.as_deref(), start, indent);
                    self.list(items, indent + 2, &here);
                }
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => {
                    self.head(
                        &format!("{head} {}", flow(value)),
                        comment.as_deref(),
                        start,
                        indent,
                    );
                }
            }
        }
    }

    fn list(&mut self, items: &[Value], indent: usize, path: &str) {
        for (n, item) in items.iter().enumerate() {
            let here = format!("{path}[{n}]");
            if let Some(comment) = self.notes.comment(&here) {
                self.comment_lines(&comment, indent);
            }
            self.indent(indent);
            self.out.push_str("- ");
            match item {
                Value::Object(map) if !map.is_empty() => self.map(map, indent + 2, &here, false),
                Value::Array(inner) if !inner.is_empty() && !is_flow(item, indent + 2) => {
                    // A list in a list begins on the next line, which keeps the code of both cases one.
                    self.out.truncate(self.out.len() - 1);
                    self.out.push('\n');
                    self.list(inner, indent + 2, &here);
                }
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => {
                    self.out.push_str(&flow(item));
                    self.out.push('\n');
                }
            }
        }
    }

    /// One line, with its comment at the end where it fits, else above; `start` is where the line begins.
    fn head(&mut self, text: &str, comment: Option<&str>, start: usize, indent: usize) {
        self.out.push_str(text);
        if let Some(comment) = comment {
            let width = self.out[start..].chars().count();
            if !comment.contains('\n') && width + 4 + comment.chars().count() <= WIDTH {
                self.out.push_str("  # ");
                self.out.push_str(&clean(comment));
            } else {
                let line = self.out.split_off(start);
                // Above the dash of a list item, when this is the first key of one.
                let above = if line.trim_start().starts_with("- ") {
                    indent.saturating_sub(2)
                } else {
                    indent
                };
                self.comment_lines(comment, above);
                self.out.push_str(&line);
            }
        }
        self.out.push('\n');
    }

    fn comment_lines(&mut self, comment: &str, indent: usize) {
        for paragraph in comment.lines() {
            let mut line = String::new();
            for word in paragraph.split_whitespace() {
                if !line.is_empty()
                    && indent + 3 + line.chars().count() + word.chars().count() > WIDTH
                {
                    self.comment_line(&line, indent);
                    line.clear();
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            self.comment_line(&line, indent);
        }
    }

    fn comment_line(&mut self, line: &str, indent: usize) {
        self.indent(indent);
        self.out.push_str(format!("# {}", clean(line)).trim_end());
        self.out.push('\n');
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }
}

/// A comment holds no character that ends a line or that YAML forbids.
fn clean(comment: &str) -> String {
    comment
        .chars()
        .map(|c| if is_escaped(c) { ' ' } else { c })
        .collect()
}

/// Whether a list is written on one line.
fn is_flow(value: &Value, indent: usize) -> bool {
    fn plain_depth(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(plain_depth).max().unwrap_or(0),
            Value::Object(map) if map.is_empty() => 0,
            Value::Object(_) => usize::MAX / 2,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        }
    }
    plain_depth(value) <= 3 && indent + flow(value).chars().count() <= FLOW_WIDTH
}

/// A value on one line.
pub(crate) fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => number(n),
        Value::String(text) => quoted(text),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(flow).collect::<Vec<_>>().join(", ")
        ),
        Value::Object(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(k, v)| format!("{}: {}", quoted(k), flow(v)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// A number that every reader takes for one: with a dot and a signed exponent, which YAML 1.1 asks for.
fn number(n: &Number) -> String {
    let text = n.to_string();
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else {
        return text;
    };
    let dot = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) {
        ""
    } else {
        "+"
    };
    format!("{mantissa}{dot}e{sign}{exponent}")
}

/// A text, bare where every reader takes it for that text, else in quotes.
pub(crate) fn quoted(text: &str) -> String {
    if text.chars().any(is_escaped) {
        return double_quoted(text);
    }
    if is_bare(text) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

fn is_bare(text: &str) -> bool {
    const RESERVED: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let Some(first) = text.chars().next() else {
        return false;
    };
    let within = |c: char| c.is_alphanumeric() || " _-./()+%$=<>~^".contains(c);
    (first.is_alphabetic() || first == '_')
        && text.chars().all(within)
        && !text.ends_with(' ')
        && !RESERVED.contains(&text.to_lowercase().as_str())
}

fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if is_escaped(c) && u32::from(c) > 0xffff => {
                out.push_str(&format!("\\U{:08x}", u32::from(c)))
            }
            c if is_escaped(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// What may stand in a file as an escape only: control characters, line breaks, and what is not a character.
fn is_escaped(c: char) -> bool {
    let code = u32::from(c);
    c.is_control() || matches!(code, 0x2028 | 0x2029 | 0xfeff) || code & 0xfffe == 0xfffe
}
