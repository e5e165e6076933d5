//! Single values: numbers, names, true and false; and the words for what does not fit.

use serde_json::Number;

use super::log::{Log, Spot};
use crate::config::describe::{default_hint, expected, found, has_form, shortened};
use crate::config::schema::types::{Keys, Names, Type};
use crate::config::yaml::node::{Data, Node};
use crate::error::nearest;

/// Tells what was expected of a value and what was found.
pub(super) fn wrong(log: &mut Log, ty: &Type, node: &Node, at: Spot<'_>) {
    let looks_like_number = node.as_text().is_some_and(|t| t.parse::<f64>().is_ok());
    let hint = if looks_like_number && !has_form(ty, node) {
        Some("write the number without quotes".to_owned())
    } else {
        at.key.and_then(default_hint).or_else(|| example(ty))
    };
    let what = format!("expected {}, found {}", expected(ty), found(node));
    log.error(at.line, at.path, what, hint);
}

/// How a map with a tag is written.
fn example(ty: &Type) -> Option<String> {
    let Type::Union(union) = ty else { return None };
    let first = union.variants.first()?;
    let has_name = Keys(first.keys).find("name").is_some();
    let name = if has_name { "name: NAME, " } else { "" };
    Some(format!(
        "write it as {{{name}{}: {}}}",
        union.tag, first.name
    ))
}

/// Tells that a word is none of the known ones, and which it most likely means.
pub(super) fn unknown_word(log: &mut Log, noun: &str, word: &str, all: &[&str], at: Spot<'_>) {
    let hint = match synonym(word, all).or_else(|| nearest(word, all.iter().copied())) {
        Some(name) => format!("did you mean \"{name}\"?"),
        None if all.len() > 24 => format!("known: {}, ...", all[..24].join(", ")),
        None => format!("known: {}", all.join(", ")),
    };
    let what = format!("unknown {noun} \"{}\"", shortened(word));
    log.error(at.line, at.path, what, Some(hint));
}

/// The name here of what other programs call otherwise.
fn synonym(word: &str, all: &[&str]) -> Option<&'static str> {
    let name = match word.to_lowercase().as_str() {
        "numeric" | "numerical" | "float" | "double" | "int" | "integer" | "real" => "number",
        "continuous" | "regression" => "number",
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

pub(super) fn check_word(log: &mut Log, names: &'static Names, node: &Node, at: Spot<'_>) {
    match node.as_text() {
        Some(word) if names.all().any(|name| name == word) => {}
        Some(word) => unknown_word(log, "value", word, &names.all().collect::<Vec<_>>(), at),
        None => wrong(log, &Type::OneOf(names), node, at),
    }
}

/// True or false; the words of YAML 1.1 are read with a warning.
pub(super) fn check_bool(log: &mut Log, node: &mut Node, at: Spot<'_>) {
    let read = match node.as_text().map(str::to_lowercase).as_deref() {
        Some("yes" | "on" | "y") => Some(true),
        Some("no" | "off" | "n") => Some(false),
        Some(_) | None => None,
    };
    if let Some(read) = read {
        log.warn(
            at.line,
            at.path,
            format!("{} is read as {read}", found(node)),
        );
        node.data = Data::Bool(read);
    } else if !has_form(&Type::Bool, node) {
        wrong(log, &Type::Bool, node, at);
    }
}

/// A number within the bounds of `part`; what does not fit is told about the `whole` type.
pub(super) fn check_number(
    log: &mut Log,
    whole: &Type,
    part: &Type,
    node: &mut Node,
    at: Spot<'_>,
) {
    let number = match &node.data {
        Data::Number(n) => Some(n.clone()),
        Data::Null | Data::Bool(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => None,
    };
    let fits = match (number, *part) {
        (Some(n), Type::Int { min, max }) => {
            let whole = whole_number(&n).filter(|i| (min..=max).contains(i));
            if let Some(i) = whole {
                node.data = Data::Number(Number::from(i));
            }
            whole.is_some()
        }
        (Some(n), Type::Float { min, max, open }) => {
            let above = |x: f64| if open { x > min } else { x >= min };
            n.as_f64().is_some_and(|x| above(x) && x <= max)
        }
        _ => false,
    };
    if !fits {
        wrong(log, whole, node, at);
    }
}

/// A number as a whole one, also when it is written `64.0` or `1e3`.
pub(crate) fn whole_number(n: &Number) -> Option<i64> {
    n.as_i64().or_else(|| {
        let x = n.as_f64()?;
        // 2^53: beyond it a float no longer tells whole numbers apart.
        #[expect(clippy::cast_possible_truncation, reason = "whole and within 2^53")]
        (x.fract() == 0.0 && x.abs() <= 9_007_199_254_740_992.0).then_some(x as i64)
    })
}
