//! Reading a filled config: every key is there and of its type, so questions have answers.

use serde_json::Value;

use crate::config::check::{join, whole_number};
use crate::config::document::Config;
use crate::error::ConfigError;

/// A section of a filled config, with its path.
#[derive(Clone)]
pub(super) struct View<'a> {
    config: &'a Config,
    value: &'a Value,
    path: String,
}

/// Why a key can be taken for granted.
const FILLED: &str = "a filled config has every key, of the type that the schema says";

impl<'a> View<'a> {
    /// The whole of a filled config.
    pub(super) fn root(config: &'a Config) -> View<'a> {
        View {
            config,
            value: config.value(),
            path: String::new(),
        }
    }

    /// The value itself.
    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// Where it stands.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The section or value under a key.
    pub(super) fn at(&self, key: &str) -> View<'a> {
        View {
            config: self.config,
            value: &self.value[key],
            path: join(&self.path, key),
        }
    }

    /// The items of a list.
    pub(super) fn items(&self) -> Vec<View<'a>> {
        let items = self.value.as_array().map_or(&[][..], Vec::as_slice);
        items
            .iter()
            .enumerate()
            .map(|(n, value)| View {
                config: self.config,
                value,
                path: format!("{}[{n}]", self.path),
            })
            .collect()
    }

    /// The type of a union.
    pub(super) fn kind(&self) -> &'a str {
        self.text("type")
    }

    pub(super) fn text(&self, key: &str) -> &'a str {
        self.value[key].as_str().expect(FILLED)
    }

    pub(super) fn opt_text(&self, key: &str) -> Option<&'a str> {
        self.value[key].as_str()
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        self.value[key].as_bool().expect(FILLED)
    }

    pub(super) fn number(&self, key: &str) -> f64 {
        self.value[key].as_f64().expect(FILLED)
    }

    pub(super) fn opt_number(&self, key: &str) -> Option<f64> {
        self.value[key].as_f64()
    }

    /// A whole number; `null` and names as `auto` are nothing.
    pub(super) fn opt_whole(&self, key: &str) -> Option<i64> {
        match &self.value[key] {
            Value::Number(n) => whole_number(n),
            Value::Null
            | Value::Bool(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => None,
        }
    }

    pub(super) fn whole(&self, key: &str) -> i64 {
        self.opt_whole(key).expect(FILLED)
    }

    /// A whole number that a type holds; the schema bounds most, this bounds the rest.
    pub(super) fn count<T: TryFrom<i64>>(&self, key: &str) -> Result<T, ConfigError> {
        let n = self.whole(key);
        T::try_from(n).map_err(|_| self.error(key, &format!("{n} is too large"), None))
    }

    /// The numbers of a list.
    pub(super) fn numbers(&self, key: &str) -> Vec<f64> {
        self.value[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64)
            .collect()
    }

    /// An error about a key of this section.
    pub(super) fn error(&self, key: &str, what: &str, hint: Option<&str>) -> ConfigError {
        self.config
            .error(&join(&self.path, key), what, hint.map(str::to_owned))
    }
}
