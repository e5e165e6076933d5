//! A config while it is written: values in order, and beside each the reason for it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Why a value was chosen; kept in the run's record for `explain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The dotted path of the value in the config.
    pub path: String,
    /// The value chosen.
    pub value: String,
    /// Why.
    pub why: String,
}

/// The tree and its comments so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) tree: Map<String, Value>,
    pub(super) comments: BTreeMap<String, String>,
    pub(super) reasons: Vec<Reason>,
}

impl Draft {
    /// Sets a value below the sections that its dotted path names, with the reason for it.
    pub(super) fn set(&mut self, path: &str, value: impl Into<Value>, why: impl Into<String>) {
        let (value, why) = (value.into(), why.into());
        let (sections, key) = path.rsplit_once('.').unwrap_or(("", path));
        let mut map = &mut self.tree;
        for section in sections.split('.').filter(|section| !section.is_empty()) {
            let entry = map
                .entry(section)
                .or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(next) = entry else {
                unreachable!("a section of a draft is a map: {path}")
            };
            map = next;
        }
        map.insert(key.to_owned(), value.clone());
        self.note(path, &value, why);
    }

    /// Keeps the reason of a value that stands in a list or under a dotted name.
    pub(super) fn note(&mut self, path: &str, value: &Value, why: impl Into<String>) {
        let why = why.into();
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        self.reasons.push(Reason {
            path: path.to_owned(),
            value,
            why: why.clone(),
        });
        self.comment(path, why);
    }

    /// Puts a comment on a path without a reason of its own.
    pub(super) fn comment(&mut self, path: &str, text: impl Into<String>) {
        self.comments.insert(path.to_owned(), text.into());
    }
}
