//! Types and values in the words of error messages.

use super::schema::types::{Default, Key, Type};
use super::yaml::node::{Data, Node};
use super::yaml::write::flow;

/// What a value may be: `a whole number from 1, or null`.
pub(crate) fn expected(ty: &Type) -> String {
    match ty {
        Type::Bool => "true or false".to_owned(),
        Type::Int { min, max } => match (*min, *max) {
            (i64::MIN, i64::MAX) => "a whole number".to_owned(),
            (min, i64::MAX) => format!("a whole number from {min}"),
            (min, max) => format!("a whole number from {min} to {max}"),
        },
        Type::Float { min, max, open } => {
            let from = if *open { "above" } else { "from" };
            let to = if *open { "and at most" } else { "to" };
            match (*min <= f64::MIN, *max >= f64::MAX) {
                (true, true) => "a number".to_owned(),
                (true, false) => format!("a number up to {max}"),
                (false, true) => format!("a number {from} {min}"),
                (false, false) => format!("a number {from} {min} {to} {max}"),
            }
        }
        Type::Text => "text".to_owned(),
        Type::OneOf(names) => {
            let all: Vec<&str> = names.all().collect();
            if all.len() > 16 {
                "a known name".to_owned()
            } else {
                one_of(&all)
            }
        }
        Type::Any => "any value".to_owned(),
        Type::AnyMap | Type::MapOf(_) | Type::Section(_) => "a map".to_owned(),
        Type::Union(union) => format!("a map with {}", union.tag),
        Type::List { min: 0, .. } => "a list".to_owned(),
        Type::List { min: 1, .. } => "a list that is not empty".to_owned(),
        Type::List { min, .. } => format!("a list of at least {min}"),
        Type::Tuple(types) => format!(
            "a list of {}, each {}",
            types.len(),
            types.first().map_or_else(String::new, expected)
        ),
        Type::Nullable(inner) => format!("{}, or null", expected(inner)),
        Type::Either(types) => one_of(&types.iter().map(expected).collect::<Vec<_>>()),
    }
}

/// `a, b or c`.
pub(crate) fn one_of<S: AsRef<str>>(words: &[S]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => one.as_ref().to_owned(),
        [rest @ .., last] => {
            let rest: Vec<&str> = rest.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", rest.join(", "), last.as_ref())
        }
    }
}

/// What was found in its place.
pub(crate) fn found(node: &Node) -> String {
    match &node.data {
        Data::Null => "null".to_owned(),
        Data::Bool(b) => b.to_string(),
        Data::Number(n) => n.to_string(),
        Data::Text(text) => format!("\"{}\"", shortened(text)),
        Data::List(items) => format!("a list of {}", items.len()),
        Data::Map(_) => "a map".to_owned(),
    }
}

/// The beginning of a text, on one line.
pub(crate) fn shortened(text: &str) -> String {
    const MAX: usize = 60;
    let line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX)
        .collect();
    if text.chars().count() > MAX {
        format!("{line}...")
    } else {
        line
    }
}

/// `the default is 0.001`, for keys whose default says something.
pub(crate) fn default_hint(key: &Key) -> Option<String> {
    match key.default {
        Default::Json(text) if !matches!(text, "{}" | "null") => {
            let value = serde_json::from_str(text).ok()?;
            Some(format!("the default is {}", flow(&value)))
        }
        Default::Json(_) | Default::Required | Default::Absent => Some(lower_first(key.doc)),
        Default::FeatureName
        | Default::FirstOutput
        | Default::OutputMetric
        | Default::NumSamples => Some(lower_first(key.doc)),
    }
}

fn lower_first(doc: &str) -> String {
    let doc = doc.trim_end_matches('.');
    let mut chars = doc.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

/// The names of the keys of a structure, for hints; cut when they are many.
pub(crate) fn known_keys(names: &[&str]) -> String {
    const MAX: usize = 14;
    if names.len() <= MAX {
        return format!("known keys: {}", names.join(", "));
    }
    format!("known keys: {}, ...", names[..MAX].join(", "))
}

/// Whether a node has the outer form of a type.
pub(crate) fn has_form(ty: &Type, node: &Node) -> bool {
    match (ty, &node.data) {
        (Type::Any, _)
        | (Type::Bool, Data::Bool(_))
        | (Type::Int { .. } | Type::Float { .. }, Data::Number(_))
        | (Type::Text | Type::OneOf(_), Data::Text(_))
        | (Type::AnyMap | Type::MapOf(_) | Type::Section(_) | Type::Union(_), Data::Map(_))
        | (Type::List { .. } | Type::Tuple(_), Data::List(_))
        | (Type::Nullable(_), Data::Null) => true,
        (Type::Nullable(inner), _) => has_form(inner, node),
        (Type::Either(types), _) => types.iter().any(|t| has_form(t, node)),
        (
            Type::Bool
            | Type::Int { .. }
            | Type::Float { .. }
            | Type::Text
            | Type::OneOf(_)
            | Type::AnyMap
            | Type::MapOf(_)
            | Type::Section(_)
            | Type::Union(_)
            | Type::List { .. }
            | Type::Tuple(_),
            _,
        ) => false,
    }
}
