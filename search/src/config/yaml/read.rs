//! YAML 1.2 (core schema) into a tree with lines, with limits against files made to exhaust memory.
//!
//! Anchors, aliases and merge keys are expanded. What JSON cannot hold is an error: infinite numbers,
//! keys that are lists, tags of other types, several documents, the same key twice.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use serde_json::Number;

use super::node::{Data, Entry, Node};
use crate::error::ConfigError;

/// Bytes of a config file. Real ones have a few thousand lines at most; points to evaluate may add more.
const MAX_BYTES: usize = 8 << 20;
/// Nesting. The schema needs 8.
const MAX_DEPTH: usize = 64;
/// Keys of one map: each is compared with all before it.
const MAX_KEYS: usize = 10_000;
/// Nodes after aliases are expanded: ten aliases of ten aliases, nine levels deep, must not fill the memory.
const MAX_NODES: usize = 1_000_000;

/// Why a text is no config, and where.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    pub(crate) line: usize,
    pub(crate) what: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    fn new(line: usize, what: impl Into<String>, hint: &str) -> Fault {
        Fault {
            line,
            what: what.into(),
            hint: Some(hint.to_owned()),
        }
    }

    /// The same as an error of a file.
    pub(crate) fn in_file(self, file: &str) -> ConfigError {
        ConfigError {
            file: file.to_owned(),
            line: Some(self.line),
            path: String::new(),
            what: self.what,
            hint: self.hint,
        }
    }
}

/// A list or map that is being read, and its anchor.
struct Open {
    anchor: usize,
    node: Node,
    /// The key that waits for its value, in a map.
    key: Option<(String, usize)>,
    /// Maps that a merge key named, to be filled in at the end.
    merged: Vec<Node>,
}

/// Reads one document. An empty text is a null node.
pub(crate) fn read(text: &str) -> Result<Node, Fault> {
    if text.len() > MAX_BYTES {
        let what = format!("the file has {} bytes, more than {MAX_BYTES}", text.len());
        return Err(Fault::new(1, what, "is this a config, and not data?"));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|e| scan_fault(text, e.marker().line(), e.info()))?;
        reader.on_event(event, span)?;
    }
    Ok(reader.root.unwrap_or(Node {
        line: 1,
        data: Data::Null,
    }))
}

fn scan_fault(text: &str, line: usize, info: &str) -> Fault {
    let line_text = text.lines().nth(line.saturating_sub(1)).unwrap_or("");
    let indent: String = line_text
        .chars()
        .take_while(|c| c.is_whitespace())
        .collect();
    let hint = if indent.contains('\t') {
        "indent with spaces, not with tabs"
    } else {
        "check the indent, the colons and the quotes on this line and the one above"
    };
    Fault::new(line.max(1), format!("this is not YAML: {info}"), hint)
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    root: Option<Node>,
    n_nodes: usize,
    has_alias: bool,
}

impl Reader {
    fn on_event(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let line = span.start.line().max(1);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => Err(Fault::new(
                line,
                "a second document begins here",
                "keep one config a file",
            )),
            Event::DocumentStart(_) => Ok(()),
            Event::Alias(id) => {
                self.has_alias = true;
                let Some((node, size)) = self.anchors.get(&id) else {
                    return Err(Fault::new(
                        line,
                        "this alias names no finished anchor",
                        "write the value out",
                    ));
                };
                let (node, size) = (node.clone(), *size);
                self.count(size, line)?;
                self.close(node, line)
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.count(1, line)?;
                let waits_for_key = self
                    .open
                    .last()
                    .is_some_and(|o| o.key.is_none() && matches!(o.node.data, Data::Map(_)));
                let node = if waits_for_key {
                    key_node(&text, style, line)?
                } else {
                    Node {
                        line,
                        data: scalar(&text, style, tag.as_deref(), line)?,
                    }
                };
                self.anchor(anchor, &node);
                self.close(node, line)
            }
            Event::SequenceStart(anchor, _) => self.begin(anchor, Data::List(Vec::new()), line),
            Event::MappingStart(anchor, _) => self.begin(anchor, Data::Map(Vec::new()), line),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(mut open) = self.open.pop() else {
                    return Ok(());
                };
                for merged in open.merged.drain(..) {
                    for entry in merged.entries() {
                        open.node.put(&entry.key, entry.line, entry.node.clone());
                    }
                }
                self.anchor(open.anchor, &open.node);
                let line = open.node.line;
                self.close(open.node, line)
            }
        }
    }

    fn count(&mut self, n: usize, line: usize) -> Result<(), Fault> {
        self.n_nodes = self.n_nodes.saturating_add(n);
        if self.n_nodes > MAX_NODES {
            return Err(if self.has_alias {
                let what = format!("more than {MAX_NODES} values once aliases are written out");
                Fault::new(line, what, "write fewer aliases")
            } else {
                let what = format!("more than {MAX_NODES} values");
                Fault::new(line, what, "is this a config, and not data?")
            });
        }
        Ok(())
    }

    fn anchor(&mut self, id: usize, node: &Node) {
        if id > 0 {
            self.anchors.insert(id, (node.clone(), size(node)));
        }
    }

    fn begin(&mut self, anchor: usize, data: Data, line: usize) -> Result<(), Fault> {
        self.count(1, line)?;
        if self.open.len() >= MAX_DEPTH {
            let what = format!("nested more than {MAX_DEPTH} deep");
            return Err(Fault::new(line, what, "no key of a config lies this deep"));
        }
        if let Some(open) = self.open.last()
            && matches!(open.node.data, Data::Map(_))
            && open.key.is_none()
        {
            return Err(Fault::new(
                line,
                "a key must be a word, not a list or a map",
                "quote the key",
            ));
        }
        self.open.push(Open {
            anchor,
            node: Node { line, data },
            key: None,
            merged: Vec::new(),
        });
        Ok(())
    }

    /// Puts a finished node where it belongs.
    fn close(&mut self, node: Node, line: usize) -> Result<(), Fault> {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.node.data {
            Data::List(items) => items.push(node),
            Data::Map(entries) => match open.key.take() {
                None => {
                    let Data::Text(key) = node.data else {
                        return Err(Fault::new(line, "a key must be a word", "quote the key"));
                    };
                    if let Some(first) = entries.iter().find(|e| e.key == key) {
                        let what = format!(
                            "key \"{key}\" stands here twice, first on line {}",
                            first.line
                        );
                        return Err(Fault::new(line, what, "keep one of them"));
                    }
                    if entries.len() >= MAX_KEYS {
                        let what = format!("more than {MAX_KEYS} keys in one map");
                        return Err(Fault::new(line, what, "is this a config, and not data?"));
                    }
                    open.key = Some((key, line));
                }
                Some((key, _)) if key == "<<" => match node.data {
                    Data::Map(_) => open.merged.push(node),
                    Data::List(items) if items.iter().all(|n| matches!(n.data, Data::Map(_))) => {
                        open.merged.extend(items);
                    }
                    Data::Null
                    | Data::Bool(_)
                    | Data::Number(_)
                    | Data::Text(_)
                    | Data::List(_) => {
                        return Err(Fault::new(
                            line,
                            "a merge key needs a map",
                            "write `<<: *name_of_a_map`",
                        ));
                    }
                },
                Some((key, key_line)) => entries.push(Entry {
                    key,
                    line: key_line,
                    node,
                }),
            },
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) => {}
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    1 + node.as_list().iter().map(size).sum::<usize>()
        + node.entries().iter().map(|e| size(&e.node)).sum::<usize>()
}

/// Keys stay texts whatever they look like: `0:` and `true:` are classes, not numbers.
fn key_node(text: &str, style: ScalarStyle, line: usize) -> Result<Node, Fault> {
    if text.is_empty() && style == ScalarStyle::Plain {
        return Err(Fault::new(
            line,
            "a key is missing before the colon",
            "name the key",
        ));
    }
    Ok(Node::text(line, text))
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, line: usize) -> Result<Data, Fault> {
    if let Some(tag) = tag {
        let known = tag.is_yaml_core_schema()
            && ["str", "int", "float", "bool", "null"].contains(&tag.suffix.as_str());
        if !known {
            return Err(Fault::new(
                line,
                format!("tag {tag} has no meaning here"),
                "write the value without a tag",
            ));
        }
        if tag.suffix == "str" {
            return Ok(Data::Text(text.to_owned()));
        }
    } else if style != ScalarStyle::Plain {
        return Ok(Data::Text(text.to_owned()));
    }
    plain(text).map_err(|what| Fault::new(line, what, "a config holds finite numbers only"))
}

/// What an unquoted scalar means in the core schema of YAML 1.2.
pub(crate) fn plain(text: &str) -> Result<Data, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Data::Null),
        "true" | "True" | "TRUE" => return Ok(Data::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Data::Bool(false)),
        _ => {}
    }
    if let Some(number) = integer(text) {
        return Ok(Data::Number(number));
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(format!("{text} is not a finite number"));
    }
    if is_float(unsigned) {
        let parsed: f64 = text
            .parse()
            .map_err(|_| format!("{text} is not a number"))?;
        return Number::from_f64(parsed)
            .map(Data::Number)
            .ok_or_else(|| format!("{text} is not a finite number"));
    }
    Ok(Data::Text(text.to_owned()))
}

fn integer(text: &str) -> Option<Number> {
    let (digits, radix) = match text {
        _ if text.starts_with("0x") => (&text[2..], 16),
        _ if text.starts_with("0o") => (&text[2..], 8),
        _ => (text, 10),
    };
    let unsigned = if radix == 10 {
        digits.strip_prefix(['-', '+']).unwrap_or(digits)
    } else {
        digits
    };
    if unsigned.is_empty() || !unsigned.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let signed = i64::from_str_radix(digits, radix).map(Number::from);
    signed
        .or_else(|_| u64::from_str_radix(digits, radix).map(Number::from))
        .ok()
        .or_else(|| {
            // Beyond 64 bits a whole number is read as the nearest float, as JSON readers do.
            digits
                .parse::<f64>()
                .ok()
                .filter(|_| radix == 10)
                .and_then(Number::from_f64)
        })
}

/// `[0-9]* . [0-9]* exponent?` with at least one digit.
fn is_float(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |s: &str| s.chars().all(|c| c.is_ascii_digit());
    let exponent_holds = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['-', '+']).unwrap_or(e);
        !e.is_empty() && digits(e)
    });
    digits(whole)
        && digits(fraction)
        && (!whole.is_empty() || !fraction.is_empty())
        && exponent_holds
}
