//! Several parameters together: what can be tried, as assignments and as points of the unit cube.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use super::Domain;
use crate::error::ConfigError;

/// A value for each searched parameter, by dotted path. The path `.` holds a fragment of a config, which
/// is merged before the others.
pub type Assignment = BTreeMap<String, Value>;

/// One searched parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its dotted path in the config, or `.`.
    pub name: String,
    /// What it may be.
    pub domain: Domain,
}

/// What can be tried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
}

impl Space {
    /// Reads `hyperopt.parameters`. The order is kept: it is the order of the cube's axes.
    ///
    /// # Errors
    /// Every fault of every parameter.
    pub fn new(parameters: &Map<String, Value>) -> Result<Self, Vec<ConfigError>> {
        let mut read = Vec::with_capacity(parameters.len());
        let mut faults = Vec::new();
        for (name, value) in parameters {
            match Domain::from_value(name, value).and_then(|domain| check_fragments(name, domain)) {
                Ok(domain) => read.push(Parameter {
                    name: name.clone(),
                    domain,
                }),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() {
            Ok(Self { parameters: read })
        } else {
            Err(faults)
        }
    }

    /// The parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Axes of the unit cube.
    #[must_use]
    pub fn n_dimensions(&self) -> usize {
        self.parameters.len()
    }

    /// How many assignments there are; nothing when there is no end of them. No parameter: one, the empty one.
    #[must_use]
    pub fn size(&self) -> Option<u128> {
        self.parameters
            .iter()
            .try_fold(1_u128, |product, parameter| {
                Some(product.saturating_mul(u128::from(parameter.domain.size()?)))
            })
    }

    /// The assignment that a point of the unit cube stands for.
    ///
    /// # Panics
    /// When the point has not one coordinate for each parameter.
    #[must_use]
    pub fn at(&self, point: &[f64]) -> Assignment {
        assert_eq!(
            point.len(),
            self.parameters.len(),
            "a point has one coordinate for each parameter"
        );
        self.parameters
            .iter()
            .zip(point)
            .map(|(parameter, u)| (parameter.name.clone(), parameter.domain.at(*u)))
            .collect()
    }

    /// The point that stands for an assignment; nothing when a value is missing or not in its domain.
    #[must_use]
    pub fn unit(&self, assignment: &Assignment) -> Option<Vec<f64>> {
        self.parameters
            .iter()
            .map(|parameter| parameter.domain.unit(assignment.get(&parameter.name)?))
            .collect()
    }

    /// The `i`-th assignment of a space that has a size, the last parameter turning fastest; nothing past its end.
    #[must_use]
    pub fn nth(&self, mut i: u128) -> Option<Assignment> {
        let mut assignment = Assignment::new();
        for parameter in self.parameters.iter().rev() {
            let size = u128::from(parameter.domain.size()?);
            let value = parameter.domain.nth(u64::try_from(i % size).ok()?)?;
            assignment.insert(parameter.name.clone(), value);
            i /= size;
        }
        (i == 0).then_some(assignment)
    }

    /// A number that two assignments share when they mean the same config: 1 and 1.0 do, and the order of
    /// keys is nothing.
    #[must_use]
    pub fn hash(assignment: &Assignment) -> u64 {
        let mut text = String::new();
        for (name, value) in assignment {
            write_canonical(&Value::from(name.as_str()), &mut text);
            text.push(':');
            write_canonical(value, &mut text);
            text.push(',');
        }
        xxh3_64(text.as_bytes())
    }
}

/// `.` is a choice over fragments: objects, each.
fn check_fragments(name: &str, domain: Domain) -> Result<Domain, ConfigError> {
    let fragments = match &domain {
        Domain::Choice { categories } => categories.iter().all(Value::is_object),
        Domain::GridSearch { values } => values.iter().all(Value::is_object),
        Domain::Uniform { .. }
        | Domain::Quniform { .. }
        | Domain::Loguniform { .. }
        | Domain::Qloguniform { .. }
        | Domain::Randn { .. }
        | Domain::Qrandn { .. }
        | Domain::Randint { .. }
        | Domain::Qrandint { .. }
        | Domain::Lograndint { .. }
        | Domain::Qlograndint { .. } => false,
    };
    if name != "." || fragments {
        return Ok(domain);
    }
    Err(ConfigError {
        file: String::new(),
        line: None,
        path: "hyperopt.parameters..".to_owned(),
        what: "`.` must be a choice over fragments of a config".to_owned(),
        hint: Some(
            "write it as {space: choice, categories: [{combiner: {type: concat}}, ...]}".to_owned(),
        ),
    })
}

/// The one text of a value.
pub(super) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => text.push_str(&value.to_string()),
        Value::Number(number) => match number.as_f64() {
            // Rust writes 64.0 as 64, so an integer and its float are one.
            Some(x) if number.is_f64() => text.push_str(&(x + 0.0).to_string()),
            Some(_) | None => text.push_str(&number.to_string()),
        },
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            text.push('{');
            for key in keys {
                write_canonical(&Value::from(key.as_str()), text);
                text.push(':');
                write_canonical(&map[key], text);
                text.push(',');
            }
            text.push('}');
        }
    }
}

#[cfg(test)]
mod tests;
