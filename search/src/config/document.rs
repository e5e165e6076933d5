//! A checked config: read from YAML or built from values, changed, filled in and written.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::check::{Log, Spot, check};
use super::comments::{Comments, Notebook};
use super::path::{self, Lost};
use super::schema::root::{PROGRAM, ROOT};
use super::schema::types::Type;
use super::yaml::node::{Data, Entry, Node};
use super::yaml::{read, write};
use super::{compat, cross, edit, fill};
use crate::error::{ConfigError, Warning};
use crate::space::Assignment;

/// A config that holds to the schema: no unknown key, no value out of range, no contradiction between keys.
///
/// Holds what was written (old names brought up to date), not the defaults; [`Config::filled`] has those.
#[derive(Debug, Clone)]
pub struct Config {
    value: Value,
    origin: Arc<Origin>,
}

/// Where a config was read, for errors that are found later.
#[derive(Debug, Default)]
struct Origin {
    file: String,
    /// Line of each path.
    lines: HashMap<String, usize>,
}

impl PartialEq for Config {
    fn eq(&self, other: &Config) -> bool {
        self.value == other.value
    }
}

impl Config {
    /// Reads a config from YAML. `file` is its name in messages.
    ///
    /// # Errors
    /// Every fault of the file at once, in the order of its lines.
    pub fn parse(text: &str, file: &str) -> Result<(Config, Vec<Warning>), Vec<ConfigError>> {
        let node = read::read(text).map_err(|fault| vec![fault.in_file(file)])?;
        Config::from_node(node, file)
    }

    /// A config from plain data. Old names are upgraded without a word.
    ///
    /// # Errors
    /// Every fault at once.
    pub fn from_value(value: &Value) -> Result<Config, Vec<ConfigError>> {
        Config::from_node(Node::from_value(value), "").map(|(config, _)| config)
    }

    /// The config of a program: its command, and what is searched, which is a section `hyperopt` as YAML, or a file that
    /// has nothing but one.
    ///
    /// # Errors
    /// Every fault at once, with the lines of the file.
    pub fn of_program(
        command: &str,
        space: &str,
        file: &str,
    ) -> Result<(Config, Vec<Warning>), Vec<ConfigError>> {
        let mut search = read::read(space).map_err(|fault| vec![fault.in_file(file)])?;
        if let ([only], true) = (search.entries(), search.get("hyperopt").is_some()) {
            search = only.node.clone();
        }
        let entry = |key: &str, node: Node| Entry {
            key: key.to_owned(),
            line: 1,
            node,
        };
        let root = Node {
            line: 1,
            data: Data::Map(vec![
                entry("model_type", Node::text(1, PROGRAM)),
                entry("command", Node::text(1, command)),
                entry("hyperopt", search),
            ]),
        };
        Config::from_node(root, file)
    }

    fn from_node(mut node: Node, file: &str) -> Result<(Config, Vec<Warning>), Vec<ConfigError>> {
        let mut log = Log {
            file: file.to_owned(),
            ..Log::default()
        };
        match node.data {
            Data::Map(_) => {
                compat::upgrade(&mut log, &mut node);
                check(&mut log, &Type::Union(&ROOT), &mut node, Spot::new("", 1));
                cross::check(&mut log, &node);
            }
            Data::Null => log.error(
                1,
                "",
                "the config is empty",
                Some("`autotune init` writes one".to_owned()),
            ),
            Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::List(_) => {
                let hint = "begin with `input_features:` and `output_features:`";
                log.error(
                    node.line,
                    "",
                    "a config is a map of sections",
                    Some(hint.to_owned()),
                );
            }
        }
        if !log.errors.is_empty() {
            // A stable sort: faults of one line stay in the order they were found.
            log.errors.sort_by_key(|e| e.line);
            return Err(log.errors);
        }
        log.warnings.sort_by_key(|w| w.line);
        let mut lines = HashMap::new();
        if !file.is_empty() {
            gather_lines(&node, "", &mut lines);
        }
        let origin = Arc::new(Origin {
            file: file.to_owned(),
            lines,
        });
        Ok((
            Config {
                value: node.to_value(),
                origin,
            },
            log.warnings,
        ))
    }

    /// A config made of this one by a change, checked; errors keep the lines of the file.
    fn changed(&self, value: &Value) -> Result<Config, Vec<ConfigError>> {
        match Config::from_node(Node::from_value(value), "") {
            Ok((config, _)) => Ok(Config {
                origin: Arc::clone(&self.origin),
                ..config
            }),
            Err(errors) => Err(errors
                .into_iter()
                .map(|e| self.error(&e.path, &e.what, e.hint))
                .collect()),
        }
    }

    /// An error at a path, with the line where the path, or the section around it, was written.
    pub(crate) fn error(&self, path: &str, what: &str, hint: Option<String>) -> ConfigError {
        ConfigError {
            file: self.origin.file.clone(),
            line: self.line(path),
            path: path.to_owned(),
            what: what.to_owned(),
            hint,
        }
    }

    fn line(&self, path: &str) -> Option<usize> {
        let in_tree =
            super::comments::tree_path(path, &super::comments::feature_names(&self.value));
        let mut path = in_tree.as_str();
        loop {
            if let Some(line) = self.origin.lines.get(path) {
                return Some(*line);
            }
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    fn lost(&self, path: &str, lost: Lost) -> Vec<ConfigError> {
        vec![self.error(path, &lost.what, lost.hint)]
    }

    /// The tree: what was written, and nothing else.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value at a dotted path, as written; defaults are not seen.
    ///
    /// A path begins with a section (`trainer.epochs`), a feature's name (`age.encoder.type`), or a list and a
    /// name or index (`input_features.age`, `output_features[0]`), in this order of precedence.
    pub fn get(&self, path: &str) -> Option<&Value> {
        path::get(&self.value, path)
    }

    /// Puts a value at a dotted path (see [`Config::get`]) and checks the whole.
    ///
    /// Sections on the way are made. Setting a `type` takes away the keys that only the old type had.
    ///
    /// # Errors
    /// When the path is not of the schema, or the config no longer holds to it; the config is then unchanged.
    pub fn set(&mut self, path: &str, value: Value) -> Result<(), Vec<ConfigError>> {
        let mut root = self.value.clone();
        edit::set(&mut root, path, value).map_err(|lost| self.lost(path, lost))?;
        *self = self.changed(&root)?;
        Ok(())
    }

    /// This config with another laid over it: sections key by key, features by name, the rest as a whole.
    ///
    /// # Errors
    /// When the result does not hold to the schema.
    pub fn merged(&self, over: &Value) -> Result<Config, Vec<ConfigError>> {
        let mut root = self.value.clone();
        edit::merge_root(&mut root, over);
        self.changed(&root)
    }

    /// The concrete config of a trial: the values of an assignment in their places, without the search section.
    ///
    /// The path `.` holds fragments, laid over first. Values for keys that the chosen types do not have are
    /// left out.
    ///
    /// # Errors
    /// When a path is not of the schema, or the result does not hold to it.
    pub fn with(&self, assignment: &Assignment) -> Result<Config, Vec<ConfigError>> {
        let mut root = edit::without_search(&self.value);
        edit::assign(&mut root, assignment.iter())
            .map_err(|(path, lost)| self.lost(&path, lost))?;
        self.changed(&root)
    }

    /// The config of a single trial: this one without its search section.
    pub fn concrete(&self) -> Config {
        Config {
            value: edit::without_search(&self.value),
            origin: Arc::clone(&self.origin),
        }
    }

    /// Every documented default written out, in the order of the schema.
    pub fn filled(&self) -> Config {
        Config {
            value: fill::fill_root(&self.value),
            origin: Arc::clone(&self.origin),
        }
    }

    /// The config as YAML with comments; what goes beyond Ludwig is marked `# autotune`.
    ///
    /// Reading it back gives an equal config.
    pub fn to_yaml(&self, comments: &Comments) -> String {
        write::write(&self.value, &Notebook::new(&self.value, comments))
    }

    /// A comment for each key that is written: its line of help in the schema.
    pub fn docs(&self) -> Comments {
        super::comments::docs(&self.value)
    }
}

fn gather_lines(node: &Node, path: &str, lines: &mut HashMap<String, usize>) {
    for entry in node.entries() {
        let here = super::check::join(path, &entry.key);
        lines.insert(here.clone(), entry.line);
        gather_lines(&entry.node, &here, lines);
    }
    for (n, item) in node.as_list().iter().enumerate() {
        let here = format!("{path}[{n}]");
        lines.insert(here.clone(), item.line);
        gather_lines(item, &here, lines);
    }
}
