//! Dotted paths into a config: `trainer.learning_rate`, `age.encoder.type`, `combiner.fc_layers[0].dropout`.
//!
//! The root of a path is, in this order: a section (`trainer`, `combiner`, ...); a feature by list and name or
//! index (`input_features.age`, `output_features[0]`); a feature by its name alone, the longest name first, so
//! that names with dots work. A feature that is called like a section is reached by its list.

use serde_json::Value;

use super::schema::root::ROOT;
use super::schema::types::{Key, Keys, Structure, Type};
use crate::error::nearest;

/// One step into a tree.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// The two lists of features.
pub(crate) const LISTS: [&str; 2] = ["input_features", "output_features"];

/// Why a path leads nowhere.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lost {
    pub(crate) what: String,
    pub(crate) hint: Option<String>,
}

/// Where a path leads in the schema.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) steps: Vec<Step>,
    /// Type of the value there.
    pub(crate) ty: Type,
    /// The key there, when it is one of a section.
    pub(crate) key: Option<&'static Key>,
    /// Whether the value is a tag, which decides what keys stand beside it.
    pub(crate) is_tag: bool,
    /// Whether the key belongs to another form than the one that is written (another encoder type).
    pub(crate) elsewhere: bool,
}

/// Names of the features of a list, by index.
fn names<'a>(root: &'a Value, list: &str) -> Vec<(usize, &'a str)> {
    let features = root
        .get(list)
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    features
        .iter()
        .enumerate()
        .filter_map(|(n, f)| Some((n, f.get("name")?.as_str()?)))
        .collect()
}

/// The longest feature name that a path begins with, and what follows it.
fn feature<'a>(
    root: &Value,
    lists: &[&'static str],
    path: &'a str,
) -> Option<(&'static str, usize, &'a str)> {
    let mut best: Option<(usize, &'static str, usize, &'a str)> = None;
    for list in lists {
        for (n, name) in names(root, list) {
            let Some(rest) = path.strip_prefix(name) else {
                continue;
            };
            let rest = if rest.is_empty() {
                rest
            } else if let Some(rest) = rest.strip_prefix('.') {
                rest
            } else {
                continue;
            };
            if best.is_none_or(|(len, ..)| name.len() > len) {
                best = Some((name.len(), list, n, rest));
            }
        }
    }
    best.map(|(_, list, n, rest)| (list, n, rest))
}

/// The first steps of a path, and the part that is left.
fn root_steps<'a>(root: &Value, path: &'a str) -> Result<(Vec<Step>, &'a str), Lost> {
    let top = ROOT.variant_of(root).map_or(Keys(&[]), |v| Keys(v.keys));
    let first = path.split(['.', '[']).next().unwrap_or(path);
    for list in LISTS {
        if first == list {
            let rest = &path[list.len()..];
            if let Some((_, n, rest)) = rest
                .strip_prefix('.')
                .and_then(|rest| feature(root, &[list], rest))
            {
                return Ok((vec![Step::Key(list.to_owned()), Step::Index(n)], rest));
            }
            return Ok((
                vec![Step::Key(list.to_owned())],
                rest.trim_start_matches('.'),
            ));
        }
    }
    if top.find(first).is_some() || first == ROOT.tag {
        let rest = &path[first.len()..];
        return Ok((
            vec![Step::Key(first.to_owned())],
            rest.strip_prefix('.').unwrap_or(rest),
        ));
    }
    if let Some((list, n, rest)) = feature(root, &LISTS, path) {
        return Ok((vec![Step::Key(list.to_owned()), Step::Index(n)], rest));
    }
    let mut known: Vec<&str> = top.iter().map(|k| k.name).collect();
    known.extend(
        LISTS
            .iter()
            .flat_map(|list| names(root, list))
            .map(|(_, name)| name),
    );
    let hint = match nearest(first, known) {
        Some(near) => format!("did you mean \"{near}{}\"?", &path[first.len()..]),
        None => "begin with a section, as in trainer.learning_rate, or with the name of a feature"
            .to_owned(),
    };
    Err(Lost {
        what: format!("\"{first}\" is neither a section nor a feature"),
        hint: Some(hint),
    })
}

/// The steps of `a.b[0].c`.
fn split(rest: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in rest.split('.').filter(|p| !p.is_empty()) {
        let (name, indices) = part
            .split_once('[')
            .map_or((part, ""), |(name, rest)| (name, rest));
        if !name.is_empty() {
            steps.push(
                name.parse()
                    .map_or_else(|_| Step::Key(name.to_owned()), Step::Index),
            );
        }
        steps.extend(
            indices
                .split('[')
                .filter_map(|i| i.trim_end_matches(']').parse().ok().map(Step::Index)),
        );
    }
    steps
}

/// The value at a path. Keys with dots (searched parameters) are found too.
pub(crate) fn get<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    if let Some(value) = dotted(root, path) {
        return Some(value);
    }
    let (first, rest) = root_steps(root, path).ok()?;
    let start = first.iter().try_fold(root, step)?;
    dotted(start, rest)
}

fn step<'a>(value: &'a Value, step: &Step) -> Option<&'a Value> {
    match step {
        Step::Key(key) => value.get(key),
        Step::Index(n) => value.get(n),
    }
}

/// Follows a dotted rest, taking at each map the longest key that fits.
fn dotted<'a>(value: &'a Value, rest: &str) -> Option<&'a Value> {
    if rest.is_empty() {
        return Some(value);
    }
    if let Some(inner) = rest.strip_prefix('[') {
        let (index, rest) = inner.split_once(']')?;
        return dotted(
            value.get(index.parse::<usize>().ok()?)?,
            rest.strip_prefix('.').unwrap_or(rest),
        );
    }
    if let Value::Array(items) = value {
        let (index, rest) = rest.split_once('.').unwrap_or((rest, ""));
        return dotted(items.get(index.parse::<usize>().ok()?)?, rest);
    }
    let ends = rest
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | '['))
        .map(|(at, _)| at);
    let ends: Vec<usize> = ends.chain([rest.len()]).collect();
    ends.into_iter().rev().find_map(|end| {
        let inner = value.get(&rest[..end])?;
        let left = &rest[end..];
        dotted(inner, left.strip_prefix('.').unwrap_or(left))
    })
}

/// Finds a path in the schema, given what the config says of types.
pub(crate) fn locate(root: &Value, path: &str) -> Result<Place, Lost> {
    let (mut steps, rest) = root_steps(root, path)?;
    steps.extend(split(rest));
    let mut place = Place {
        steps: Vec::new(),
        ty: Type::Union(&ROOT),
        key: None,
        is_tag: false,
        elsewhere: false,
    };
    let mut value = Some(root);
    for next in steps {
        place = enter(place, value, &next, path)?;
        value = value.and_then(|v| step(v, &next));
    }
    Ok(place)
}

fn enter(mut place: Place, value: Option<&Value>, next: &Step, path: &str) -> Result<Place, Lost> {
    let lost = |hint: Option<String>| Lost {
        what: format!("no key stands at \"{path}\""),
        hint,
    };
    let name = match next {
        Step::Index(n) => {
            if let Some(items) = place.ty.items() {
                place.steps.push(Step::Index(*n));
                return Ok(Place {
                    ty: *items,
                    key: None,
                    is_tag: false,
                    ..place
                });
            }
            n.to_string()
        }
        Step::Key(name) => name.clone(),
    };
    let (ty, key, is_tag, elsewhere) = match (place.ty.structure(), map_of(&place.ty)) {
        (Some(structure), _) => {
            let nothing = Value::Object(serde_json::Map::new());
            let keys = structure
                .keys(value.unwrap_or(&nothing))
                .unwrap_or(Keys(&[]));
            match (keys.find(&name), structure) {
                (Some(key), _) => (key.ty, Some(key), false, false),
                (None, Structure::Union(union)) if union.tag == name => {
                    (Type::Text, None, true, false)
                }
                (None, Structure::Union(union)) => {
                    let home = union.variants.iter().find_map(|v| Keys(v.keys).find(&name));
                    let key = home.ok_or_else(|| lost(near(keys, &name)))?;
                    (key.ty, Some(key), false, true)
                }
                (None, Structure::Section(_)) => return Err(lost(near(keys, &name))),
            }
        }
        (None, Some(inner)) => (inner, None, false, false),
        (None, None) if is_free(&place.ty) => (Type::Any, None, false, false),
        (None, None) => {
            return Err(lost(Some(
                "the key before it holds a value, not a section".to_owned(),
            )));
        }
    };
    place.steps.push(Step::Key(name));
    Ok(Place {
        ty,
        key,
        is_tag,
        elsewhere: place.elsewhere || elsewhere,
        ..place
    })
}

fn near(keys: Keys, name: &str) -> Option<String> {
    let names: Vec<&str> = keys.iter().map(|k| k.name).collect();
    Some(match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => super::describe::known_keys(&names),
    })
}

fn map_of(ty: &Type) -> Option<Type> {
    match ty {
        Type::MapOf(inner) => Some(**inner),
        Type::Nullable(inner) => map_of(inner),
        Type::Either(types) => types.iter().find_map(map_of),
        Type::Bool
        | Type::Int { .. }
        | Type::Float { .. }
        | Type::Text
        | Type::OneOf(_)
        | Type::Any
        | Type::AnyMap
        | Type::List { .. }
        | Type::Tuple(_)
        | Type::Section(_)
        | Type::Union(_) => None,
    }
}

fn is_free(ty: &Type) -> bool {
    match ty {
        Type::Any | Type::AnyMap => true,
        Type::Nullable(inner) => is_free(inner),
        Type::Either(types) => types.iter().any(is_free),
        Type::Bool
        | Type::Int { .. }
        | Type::Float { .. }
        | Type::Text
        | Type::OneOf(_)
        | Type::List { .. }
        | Type::Tuple(_)
        | Type::MapOf(_)
        | Type::Section(_)
        | Type::Union(_) => false,
    }
}
