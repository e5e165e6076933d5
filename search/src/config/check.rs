//! A tree against the schema: every fault at once, each with its place, and the nearest legal name.
//!
//! What is written in a short form (`encoder: dense`, `drop: yes`) is brought to its full form on the way.

use serde_json::{Number, Value};

use super::describe::{default_hint, expected, found, has_form, known_keys, one_of, other_home, shortened};
use super::schema::types::{Default, Key, Keys, Structure, Type, Union, Use};
use super::yaml::node::{Data, Node};
use crate::error::{ConfigError, Warning, nearest};

/// Gathers what is wrong, and what was read otherwise than written.
#[derive(Debug, std::default::Default)]
pub(crate) struct Log {
    pub(crate) file: String,
    pub(crate) errors: Vec<ConfigError>,
    pub(crate) warnings: Vec<Warning>,
}

impl Log {
    pub(crate) fn error(&mut self, line: usize, path: &str, what: impl Into<String>, hint: Option<String>) {
        self.errors.push(ConfigError {
            file: self.file.clone(),
            line: (line > 0).then_some(line),
            path: path.to_owned(),
            what: what.into(),
            hint,
        });
    }

    pub(crate) fn warn(&mut self, line: usize, path: &str, what: impl Into<String>) {
        self.warnings.push(Warning {
            file: self.file.clone(),
            line: (line > 0).then_some(line),
            path: path.to_owned(),
            what: what.into(),
        });
    }
}

/// The path of a key in a section.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Checks a node against a type. `key` is the key it stands under, for hints; `line` where that key stands.
pub(crate) fn check(log: &mut Log, ty: &Type, node: &mut Node, path: &str, key: Option<&Key>, line: usize) {
    match ty {
        Type::Nullable(inner) => {
            if node.data != Data::Null {
                check_or_wrong(log, ty, inner, node, path, key, line);
            }
        }
        Type::Either(types) => match types.iter().find(|t| has_form(t, node)) {
            Some(fit) => check_or_wrong(log, ty, fit, node, path, key, line),
            None => wrong(log, ty, node, path, key, line),
        },
        Type::Section(section) => {
            empty_to_map(node);
            match node.data {
                Data::Map(_) => check_keys(log, Structure::Section(section), Keys(section.keys), None, node, path, line),
                Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => {
                    wrong(log, ty, node, path, key, line);
                }
            }
        }
        Type::Union(union) => check_union(log, union, node, path, key, line),
        Type::List { of, min } => match &mut node.data {
            Data::List(items) if items.len() >= *min => {
                for (n, item) in items.iter_mut().enumerate() {
                    let line = item.line;
                    check(log, of, item, &format!("{path}[{n}]"), None, line);
                }
            }
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => {
                wrong(log, ty, node, path, key, line);
            }
        },
        Type::Tuple(types) => match &mut node.data {
            Data::List(items) if items.len() == types.len() => {
                for (n, (item, of)) in items.iter_mut().zip(*types).enumerate() {
                    let line = item.line;
                    check(log, of, item, &format!("{path}[{n}]"), None, line);
                }
            }
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => {
                wrong(log, ty, node, path, key, line);
            }
        },
        Type::MapOf(of) => {
            empty_to_map(node);
            match &mut node.data {
                Data::Map(entries) => {
                    for entry in entries {
                        check(log, of, &mut entry.node, &join(path, &entry.key), None, entry.line);
                    }
                }
                Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => {
                    wrong(log, ty, node, path, key, line);
                }
            }
        }
        Type::AnyMap => {
            empty_to_map(node);
            if !has_form(ty, node) {
                wrong(log, ty, node, path, key, line);
            }
        }
        Type::Bool => check_bool(log, ty, node, path, key, line),
        Type::Int { .. } | Type::Float { .. } => check_number(log, ty, ty, node, path, key, line),
        Type::OneOf(names) => match node.as_text() {
            Some(word) if names.all().any(|name| name == word) => {}
            Some(word) => {
                let all: Vec<&str> = names.all().collect();
                unknown_name(log, "value", word, &all, path, line);
            }
            None => wrong(log, ty, node, path, key, line),
        },
        Type::Text => {
            if node.as_text().is_none() {
                wrong(log, ty, node, path, key, line);
            }
        }
        Type::Any => {}
    }
}

/// Checks against one alternative; a number out of its range is told about the whole type.
fn check_or_wrong(log: &mut Log, whole: &Type, part: &Type, node: &mut Node, path: &str, key: Option<&Key>, line: usize) {
    if matches!(part, Type::Int { .. } | Type::Float { .. }) {
        check_number(log, whole, part, node, path, key, line);
    } else if has_form(part, node) || part.structure().is_some() || matches!(part, Type::Bool) {
        check(log, part, node, path, key, line);
    } else {
        wrong(log, whole, node, path, key, line);
    }
}

/// A section that is named but left empty has its defaults.
fn empty_to_map(node: &mut Node) {
    if node.data == Data::Null {
        node.data = Data::Map(Vec::new());
    }
}

fn wrong(log: &mut Log, ty: &Type, node: &Node, path: &str, key: Option<&Key>, line: usize) {
    let looks_like_number = node.as_text().is_some_and(|t| t.parse::<f64>().is_ok());
    let hint = if looks_like_number && !has_form(ty, node) {
        Some("write the number without quotes".to_owned())
    } else {
        key.and_then(default_hint)
    };
    log.error(line, path, format!("expected {}, found {}", expected(ty), found(node)), hint);
}

fn unknown_name(log: &mut Log, noun: &str, word: &str, all: &[&str], path: &str, line: usize) {
    let hint = match synonym(word, all).or_else(|| nearest(word, all.iter().copied())) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None if all.len() > 24 => format!("known: {}, ...", all[..24].join(", ")),
        None => format!("known: {}", all.join(", ")),
    };
    log.error(line, path, format!("unknown {noun} \"{}\"", shortened(word)), Some(hint));
}

/// The name here of what other programs call otherwise.
fn synonym(word: &str, all: &[&str]) -> Option<&'static str> {
    let name = match word.to_lowercase().as_str() {
        "numeric" | "numerical" | "float" | "double" | "int" | "integer" | "real" | "continuous" | "regression" => "number",
        "categorical" | "enum" | "factor" | "nominal" | "multiclass" | "class" => "category",
        "bool" | "boolean" | "logical" => "binary",
        "datetime" | "timestamp" | "time" => "date",
        "string" | "str" => "text",
        "mlp" => "concat",
        "none" => "fifo",
        _ => return None,
    };
    all.contains(&name).then_some(name)
}

fn check_bool(log: &mut Log, ty: &Type, node: &mut Node, path: &str, key: Option<&Key>, line: usize) {
    let read = match node.as_text().map(str::to_lowercase).as_deref() {
        Some("yes" | "on" | "y") => Some(true),
        Some("no" | "off" | "n") => Some(false),
        Some(_) | None => None,
    };
    if let Some(read) = read {
        log.warn(line, path, format!("{} is read as {read}", found(node)));
        node.data = Data::Bool(read);
    } else if !has_form(ty, node) {
        wrong(log, ty, node, path, key, line);
    }
}

fn check_number(log: &mut Log, whole: &Type, part: &Type, node: &mut Node, path: &str, key: Option<&Key>, line: usize) {
    let fits = match (&node.data, part) {
        (Data::Number(n), Type::Int { min, max }) => match whole_number(n) {
            Some(i) if i >= *min && i <= *max => {
                node.data = Data::Number(Number::from(i));
                true
            }
            Some(_) | None => false,
        },
        (Data::Number(n), Type::Float { min, max, open }) => {
            n.as_f64().is_some_and(|x| if *open { x > *min && x <= *max } else { x >= *min && x <= *max })
        }
        _ => false,
    };
    if !fits {
        wrong(log, whole, node, path, key, line);
    }
}

/// A number as a whole one, also when it is written `64.0` or `1e3`.
pub(crate) fn whole_number(n: &Number) -> Option<i64> {
    n.as_i64().or_else(|| {
        let x = n.as_f64()?;
        // 2^53: beyond it a float no longer tells whole numbers apart.
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within 2^53")]
        (x.fract() == 0.0 && x.abs() <= 9_007_199_254_740_992.0).then_some(x as i64)
    })
}

fn check_union(log: &mut Log, union: &'static Union, node: &mut Node, path: &str, key: Option<&Key>, line: usize) {
    if let Some(word) = node.as_text() {
        // The short form: `encoder: dense`.
        let tag = Node::text(node.line, word);
        let mut map = Node::map(node.line);
        map.put(union.tag, line, tag);
        *node = map;
    }
    if union.default.is_some() {
        empty_to_map(node);
    }
    if !matches!(node.data, Data::Map(_)) {
        wrong(log, &Type::Union(union), node, path, key, line);
        return;
    }
    let all: Vec<&str> = union.variants.iter().map(|v| v.name).collect();
    let tag_path = join(path, union.tag);
    let tag_line = node.line_of(union.tag).unwrap_or(line);
    let name = match (node.get(union.tag), union.default) {
        (None, Some(default)) => default,
        (None, None) => {
            let hint = format!("add \"{}\": {}", union.tag, one_of(&all));
            log.error(node.line.max(line), path, format!("\"{}\" is missing", union.tag), Some(hint));
            return;
        }
        (Some(tag), _) => match tag.as_text().map(|word| (word, union.variant(word))) {
            Some((_, Some(variant))) => variant.name,
            Some((word, None)) => {
                let word = word.to_owned();
                unknown_name(log, union.tag, &word, &all, &tag_path, tag_line);
                return;
            }
            None => {
                let what = format!("expected {}, found {}", one_of(&all), found(tag));
                log.error(tag_line, &tag_path, what, None);
                return;
            }
        },
    };
    // An alias becomes the name it stands for.
    if let Some(tag) = node.get_mut(union.tag) {
        tag.data = Data::Text(name.to_owned());
    }
    let keys = union.variant(name).map_or(Keys(&[]), |v| Keys(v.keys));
    check_keys(log, Structure::Union(union), keys, Some((union.tag, name)), node, path, line);
}

fn check_keys(
    log: &mut Log,
    structure: Structure,
    keys: Keys,
    tag: Option<(&str, &str)>,
    node: &mut Node,
    path: &str,
    line: usize,
) {
    let own_line = if node.line > 0 { node.line } else { line };
    let Some(entries) = node.entries_mut() else { return };
    for entry in entries.iter_mut() {
        if tag.is_some_and(|(tag, _)| tag == entry.key) {
            continue;
        }
        let here = join(path, &entry.key);
        let Some(key) = keys.find(&entry.key) else {
            unknown_key(log, structure, keys, tag, &entry.key, &here, entry.line);
            continue;
        };
        let n_errors = log.errors.len();
        check(log, &key.ty, &mut entry.node, &here, Some(key), entry.line);
        if log.errors.len() == n_errors && key.use_ == Use::Inert {
            warn_inert(log, key, &entry.node, &here, entry.line);
        }
    }
    for key in keys.iter().filter(|k| matches!(k.default, Default::Required)) {
        if !entries.iter().any(|e| e.key == key.name) {
            let at = if own_line > 0 { own_line } else { line };
            log.error(at, path, format!("\"{}\" is missing", key.name), default_hint(key));
        }
    }
}

/// Says that a key changes nothing here, unless it stands at its default or Ludwig wrote it for itself.
fn warn_inert(log: &mut Log, key: &Key, node: &Node, path: &str, line: usize) {
    let at_default = match key.default {
        Default::Json(text) => serde_json::from_str::<Value>(text).is_ok_and(|d| same(&d, &node.to_value(), &key.ty)),
        Default::Absent => key.doc.starts_with("Written by Ludwig"),
        Default::Required | Default::FeatureName | Default::FirstOutput | Default::OutputMetric | Default::NumSamples => false,
    };
    if !at_default {
        log.warn(line, path, "has no effect here");
    }
}

/// Whether a value says nothing beyond a default: equal, with keys that are not written left out of account.
pub(crate) fn same(default: &Value, value: &Value, ty: &Type) -> bool {
    match (default, value) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, &Type::Any)),
        (Value::Object(a), Value::Object(b)) => {
            let keys = ty.structure().and_then(|s| s.keys(value));
            b.iter().all(|(name, value)| {
                if let Some(written) = a.get(name) {
                    return same(written, value, &Type::Any);
                }
                match keys.and_then(|k| k.find(name)) {
                    Some(Key { default: Default::Json(text), ty, .. }) => {
                        serde_json::from_str(text).is_ok_and(|d| same(&d, value, ty))
                    }
                    Some(_) | None => false,
                }
            })
        }
        (a, b) => a == b,
    }
}

fn unknown_key(
    log: &mut Log,
    structure: Structure,
    keys: Keys,
    tag: Option<(&str, &str)>,
    name: &str,
    path: &str,
    line: usize,
) {
    let mut names: Vec<&str> = keys.iter().map(|k| k.name).collect();
    if let Some((tag, _)) = tag {
        names.insert(0, tag);
    }
    let hint = match (nearest(name, names.iter().copied()), other_home(&structure, name), tag) {
        (_, Some(home), Some((tag, is))) => format!("\"{name}\" belongs to {tag} {home}, and this is {tag} {is}"),
        (Some(near), _, _) => format!("did you mean \"{near}\"?"),
        (None, _, _) => match below(keys, name) {
            Some(section) => format!("did you mean \"{section}.{name}\"?"),
            None if names.is_empty() => "leave it out".to_owned(),
            None => known_keys(&names),
        },
    };
    log.error(line, path, "unknown key", Some(hint));
}

/// The section among these keys in which a name is known: `learning_rate` at the top belongs under `trainer`.
fn below(keys: Keys, name: &str) -> Option<&'static str> {
    keys.iter().find_map(|key| {
        let inner = key.ty.structure()?.keys(&Value::Object(serde_json::Map::new()))?;
        inner.find(name).map(|_| key.name)
    })
}
