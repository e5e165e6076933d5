//! Several parameters together: what can be tried, as assignments and as points of the unit cube.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use super::listing::Listing;
use super::{Condition, Domain, condition, domain};
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
    /// What must hold for it to exist; empty: it always does.
    pub when: Vec<Condition>,
}

/// What can be tried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
    /// Its assignments one by one.
    listing: Listing,
}

impl Space {
    /// Reads `hyperopt.parameters`. The order is kept: it is the order of the cube's axes.
    ///
    /// # Errors
    /// Every fault of every parameter.
    pub fn new(parameters: &Map<String, Value>) -> Result<Self, Vec<ConfigError>> {
        let mut read = Vec::with_capacity(parameters.len());
        let mut faults = Vec::new();
        let names: Vec<&str> = parameters.keys().map(String::as_str).collect();
        for (name, value) in parameters {
            let domain =
                Domain::from_value(name, value).and_then(|domain| check_fragments(name, domain));
            let when = match value.get("when") {
                Some(when) => condition::read(name, when, &read, &names),
                None => Ok(Vec::new()),
            };
            match (domain, when) {
                (Ok(domain), Ok(when)) => read.push(Parameter {
                    name: name.clone(),
                    domain,
                    when,
                }),
                (Err(fault), _) | (Ok(_), Err(fault)) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            // What depends on a parameter that is at fault itself is not told of twice.
            let lost = |fault: &ConfigError| {
                fault.path.contains(".when.") && fault.what.contains("is listed after")
            };
            if faults.iter().any(|fault| !lost(fault)) {
                faults.retain(|fault| !lost(fault));
            }
            return Err(faults);
        }
        let listing = Listing::new(&read).map_err(|fault| vec![fault])?;
        Ok(Self {
            parameters: read,
            listing,
        })
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
        self.listing.size(&self.parameters)
    }

    /// Whether the parameter of an axis exists beside the choices of those before it: which of its listed
    /// values each has, nothing for those that do not exist or list none.
    #[must_use]
    pub fn is_active(&self, axis: usize, chosen: &[Option<usize>]) -> bool {
        self.parameters[axis].when.iter().all(|condition| {
            chosen[condition.parent].is_some_and(|choice| condition.choices.contains(&choice))
        })
    }

    /// As `is_active`, beside the coordinates of those before it.
    pub(crate) fn exists_at(&self, axis: usize, before: &[Option<f64>]) -> bool {
        self.parameters[axis].when.iter().all(|condition| {
            let domain = &self.parameters[condition.parent].domain;
            let choice =
                before[condition.parent].and_then(|u| usize::try_from(domain.index_at(u)?).ok());
            choice.is_some_and(|choice| condition.choices.contains(&choice))
        })
    }

    /// The assignment that a point of the unit cube stands for. Coordinates of parameters that do not exist
    /// there have no part in it.
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
        let mut chosen = vec![None; point.len()];
        let mut assignment = Assignment::new();
        for (axis, (parameter, u)) in self.parameters.iter().zip(point).enumerate() {
            if !self.is_active(axis, &chosen) {
                continue;
            }
            if parameter.domain.listed().is_some() {
                let index = parameter.domain.index_at(*u);
                chosen[axis] = index.and_then(|index| usize::try_from(index).ok());
            }
            assignment.insert(parameter.name.clone(), parameter.domain.at(*u));
        }
        assignment
    }

    /// An assignment without the parameters that do not exist beside its other values.
    #[must_use]
    pub fn without_inactive(&self, assignment: &Assignment) -> Assignment {
        let active = self.active_in(assignment);
        let is_idle = |name: &String| {
            let axis = self.parameters.iter().position(|other| other.name == *name);
            axis.is_some_and(|axis| !active[axis])
        };
        let kept = assignment.iter().filter(|(name, _)| !is_idle(name));
        kept.map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// Which parameters exist beside the values of an assignment.
    fn active_in(&self, assignment: &Assignment) -> Vec<bool> {
        let mut chosen = vec![None; self.parameters.len()];
        let mut active = Vec::with_capacity(self.parameters.len());
        for (axis, parameter) in self.parameters.iter().enumerate() {
            let is_active = self.is_active(axis, &chosen);
            if let (true, Some(listed), Some(value)) = (
                is_active,
                parameter.domain.listed(),
                assignment.get(&parameter.name),
            ) {
                chosen[axis] = listed.iter().position(|other| domain::same(other, value));
            }
            active.push(is_active);
        }
        active
    }

    /// The point that stands for an assignment, 0.5 for what does not exist in it; nothing when a value is
    /// missing or not in its domain, or there is one too many.
    #[must_use]
    pub fn unit(&self, assignment: &Assignment) -> Option<Vec<f64>> {
        let active = self.active_in(assignment);
        let n_active = active.iter().filter(|is| **is).count();
        if n_active != assignment.len() {
            return None;
        }
        let axes = self.parameters.iter().zip(active);
        axes.map(|(parameter, is_active)| {
            if is_active {
                parameter.domain.unit(assignment.get(&parameter.name)?)
            } else {
                Some(0.5)
            }
        })
        .collect()
    }

    /// Where an assignment lies on each axis, as near as its domain comes to it; nothing on the axes of
    /// parameters that do not exist there, and of values that are missing or unlike any listed.
    #[must_use]
    pub fn coordinates(&self, assignment: &Assignment) -> Vec<Option<f64>> {
        let axes = self.parameters.iter().zip(self.active_in(assignment));
        axes.map(|(parameter, is_active)| {
            let value = assignment.get(&parameter.name).filter(|_| is_active)?;
            parameter.domain.nearest_unit(value)
        })
        .collect()
    }

    /// The `i`-th assignment of a space that has a size, the last parameter turning fastest; nothing past its end.
    #[must_use]
    pub fn nth(&self, i: u128) -> Option<Assignment> {
        self.listing.nth(&self.parameters, i)
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
