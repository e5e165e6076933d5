//! When a parameter exists: only where others, listed before it, have certain values.
//!
//! Ours, not Ludwig's. Written beside the space, as in
//! `{space: randint, lower: 1, upper: 9, when: {combiner.type: [tabnet, transformer]}}`; several entries must
//! hold together, and a parameter whose parent does not exist does not exist either.

use serde_json::Value;

use super::Parameter;
use super::domain::same;
use crate::error::{ConfigError, nearest};

/// One thing that must hold for a parameter to exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Which parameter it looks at: its place in the space, below that of the parameter that depends on it.
    pub parent: usize,
    /// Which of the values that the parent lists are right, by place, ascending.
    pub choices: Vec<usize>,
}

/// Reads the conditions of a parameter, given those listed before it.
///
/// # Errors
/// One that names the parameter: a parent that is unknown, listed later, or has no list of values; a value
/// that the parent does not list.
pub(super) fn read(
    name: &str,
    value: &Value,
    earlier: &[Parameter],
    all: &[&str],
) -> Result<Vec<Condition>, ConfigError> {
    let fault = |key: &str, what: String, hint: String| ConfigError {
        file: String::new(),
        line: None,
        path: format!("hyperopt.parameters.{name}.when{key}"),
        what,
        hint: Some(hint),
    };
    let Some(when) = value.as_object().filter(|when| !when.is_empty()) else {
        let what = format!("expected a map from parameters to values, found {value}");
        let hint = "write it as when: {combiner.type: [tabnet]}".to_owned();
        return Err(fault("", what, hint));
    };
    let mut conditions = Vec::with_capacity(when.len());
    for (parent, wanted) in when {
        let key = format!(".{parent}");
        let Some(place) = earlier.iter().position(|known| known.name == *parent) else {
            let (what, hint) = lost(name, parent, all);
            return Err(fault(&key, what, hint));
        };
        let Some(listed) = earlier[place].domain.listed() else {
            let what = format!("{parent:?} has no list of values to depend on");
            let hint = "a parent is searched by choice or grid_search".to_owned();
            return Err(fault(&key, what, hint));
        };
        let wanted = match wanted {
            Value::Array(values) => values.as_slice(),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => std::slice::from_ref(wanted),
        };
        let mut choices = Vec::with_capacity(wanted.len());
        for value in wanted {
            let Some(choice) = listed.iter().position(|other| same(other, value)) else {
                let what = format!("{value} is not among the values of {parent:?}");
                return Err(fault(&key, what, nearest_value(value, listed)));
            };
            choices.push(choice);
        }
        if choices.is_empty() {
            let what = "an empty list of values: the parameter would never exist".to_owned();
            return Err(fault(&key, what, nearest_value(&Value::Null, listed)));
        }
        choices.sort_unstable();
        choices.dedup();
        conditions.push(Condition {
            parent: place,
            choices,
        });
    }
    Ok(conditions)
}

/// What to say of a parent that is not listed before.
fn lost(name: &str, parent: &str, all: &[&str]) -> (String, String) {
    if parent == name {
        let what = "a parameter cannot depend on itself".to_owned();
        return (what, "name another parameter".to_owned());
    }
    if all.contains(&parent) {
        let what = format!("{parent:?} is listed after the parameter that depends on it");
        return (what, format!("move {parent:?} up, before {name:?}"));
    }
    let what = format!("{parent:?} is not among the searched parameters");
    let hint = nearest(parent, all.iter().copied()).map_or_else(
        || format!("search {parent:?} by choice, before {name:?}"),
        |near| format!("did you mean {near:?}?"),
    );
    (what, hint)
}

fn nearest_value(value: &Value, listed: &[Value]) -> String {
    let words: Vec<String> = listed.iter().map(ToString::to_string).collect();
    nearest(&value.to_string(), words.iter().map(String::as_str)).map_or_else(
        || format!("its values are {}", words.join(", ")),
        |near| format!("did you mean {near}?"),
    )
}
