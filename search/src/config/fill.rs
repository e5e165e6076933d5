//! Every documented default, written out.
//!
//! Keys come in the order of the schema. What `defaults` says of a type is put into its features first, where
//! they do not say otherwise: preprocessing and encoder into inputs, decoder and loss into outputs.

use serde_json::{Map, Value};

use super::schema::root::ROOT;
use super::schema::types::{Default, Key, Keys, Structure, Type};
use crate::metric::{Metric, TargetKind};

/// A config with nothing left to guess.
pub(crate) fn fill_root(root: &Value) -> Value {
    let mut root = root.clone();
    spread_defaults(&mut root);
    let num_samples = if has_grid(&root["hyperopt"]) { 1 } else { 10 };
    let outputs = root["output_features"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let filler = Filler {
        outputs,
        num_samples,
    };
    filler.fill(&Type::Union(&ROOT), &root)
}

/// Puts `defaults.<type>` into the features of that type.
pub(crate) fn spread_defaults(root: &mut Value) {
    let Some(defaults) = root.get("defaults").cloned() else {
        return;
    };
    for (list, parts) in [
        ("input_features", ["preprocessing", "encoder"]),
        ("output_features", ["decoder", "loss"]),
    ] {
        let Some(Value::Array(features)) = root.get_mut(list) else {
            continue;
        };
        for feature in features {
            let kind = feature
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned();
            for part in parts {
                if let (Some(Value::Object(from)), Value::Object(to)) =
                    (defaults.get(&kind).and_then(|d| d.get(part)), &mut *feature)
                {
                    spread(
                        from,
                        to.entry(part).or_insert_with(|| Value::Object(Map::new())),
                    );
                }
            }
        }
    }
}

/// Fills in the keys that a part does not write; not where it has another type than the default.
fn spread(from: &Map<String, Value>, to: &mut Value) {
    let Value::Object(to) = to else { return };
    if to
        .get("type")
        .is_some_and(|own| Some(own) != from.get("type"))
    {
        return;
    }
    for (name, value) in from {
        to.entry(name.clone()).or_insert_with(|| value.clone());
    }
}

struct Filler {
    outputs: Vec<Value>,
    num_samples: u32,
}

impl Filler {
    fn fill(&self, ty: &Type, value: &Value) -> Value {
        if let (Value::Array(items), Some(of)) = (value, ty.items()) {
            return Value::Array(items.iter().map(|item| self.fill(of, item)).collect());
        }
        let (Some(structure), Value::Object(map)) = (ty.structure(), value) else {
            return match (ty, value) {
                (Type::MapOf(inner), Value::Object(map)) => Value::Object(
                    map.iter()
                        .map(|(k, v)| (k.clone(), self.fill(inner, v)))
                        .collect(),
                ),
                _ => value.clone(),
            };
        };
        let keys = structure.keys(value).unwrap_or(Keys(&[]));
        let mut out = Map::new();
        for key in keys.iter().filter(|k| k.name == "name") {
            // A feature begins with its name, then its type.
            self.fill_key(key, map, &mut out);
        }
        if let Structure::Union(union) = structure {
            let tag = map
                .get(union.tag)
                .cloned()
                .or_else(|| union.default.map(Value::from));
            out.extend(tag.map(|tag| (union.tag.to_owned(), tag)));
        }
        for key in keys.iter().filter(|k| k.name != "name") {
            self.fill_key(key, map, &mut out);
        }
        Value::Object(out)
    }

    fn fill_key(&self, key: &Key, map: &Map<String, Value>, out: &mut Map<String, Value>) {
        let value = match map.get(key.name) {
            Some(value) => value.clone(),
            None => match key.default {
                Default::Required | Default::Absent => return,
                Default::Json(text) => {
                    serde_json::from_str(text).expect("a default is JSON: held by a test")
                }
                Default::FeatureName => map.get("name").cloned().unwrap_or(Value::Null),
                Default::FirstOutput => self.first_output()["name"].clone(),
                Default::OutputMetric => self.output_metric(map),
                Default::NumSamples => Value::from(self.num_samples),
            },
        };
        out.insert(key.name.to_owned(), self.fill(&key.ty, &value));
    }

    fn first_output(&self) -> &Value {
        self.outputs.first().unwrap_or(&Value::Null)
    }

    /// The metric of the output that is judged; of several outputs together, the loss.
    fn output_metric(&self, trainer: &Map<String, Value>) -> Value {
        let output = match trainer.get("validation_field") {
            Some(field) => self.outputs.iter().find(|o| o.get("name") == Some(field)),
            None => self.outputs.first(),
        };
        let kind = match output.and_then(|o| o.get("type")?.as_str()) {
            Some("binary") => TargetKind::Binary,
            Some("category") => TargetKind::Category,
            Some("number") => TargetKind::Number,
            Some("set") => return Value::from("jaccard"),
            Some("vector" | "timeseries") => return Value::from("mean_squared_error"),
            Some(_) | None => return Value::from("loss"),
        };
        Value::from(Metric::default_for(kind).name())
    }
}

/// Whether a search has a grid, which is then gone through once.
fn has_grid(hyperopt: &Value) -> bool {
    let parameters = hyperopt.get("parameters").and_then(Value::as_object);
    parameters.is_some_and(|p| {
        p.values()
            .any(|d| d.get("space").and_then(Value::as_str) == Some("grid_search"))
    })
}

/// Whether a value under a key says nothing beyond its default.
pub(crate) fn says_nothing(key: &Key, value: &Value) -> bool {
    match key.default {
        Default::Json(text) => {
            serde_json::from_str(text).is_ok_and(|default| same(&default, value, &key.ty))
        }
        Default::Absent => value.is_null(),
        Default::Required
        | Default::FeatureName
        | Default::FirstOutput
        | Default::OutputMetric
        | Default::NumSamples => false,
    }
}

/// Whether two values are equal, where keys that the first does not have stand at their defaults.
fn same(default: &Value, value: &Value, ty: &Type) -> bool {
    match (default, value) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, &Type::Any))
        }
        (Value::Object(a), Value::Object(b)) => {
            let keys = ty.structure().and_then(|s| s.keys(value));
            b.iter().all(|(name, value)| match a.get(name) {
                Some(written) => same(written, value, &Type::Any),
                None => keys
                    .and_then(|k| k.find(name))
                    .is_some_and(|key| says_nothing(key, value)),
            })
        }
        (a, b) => a == b,
    }
}
