//! What is written beside the values of a config: reasons of the caller, help of the schema, marks of ours.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::check::join;
use super::path::LISTS;
use super::schema::root::ROOT;
use super::schema::types::{Keys, Origin, Structure, Type};
use super::yaml::write::Notes;

/// Comments by dotted path (`trainer.learning_rate`, `input_features[0]`, `age.type`); the empty path is the header.
pub type Comments = BTreeMap<String, String>;

/// The mark of keys and values that Ludwig does not know.
const MARK: &str = "autotune";

/// The comments of one config, by the path of each value in the tree.
pub(crate) struct Notebook {
    by_path: HashMap<String, String>,
}

impl Notebook {
    pub(crate) fn new(root: &Value, comments: &Comments) -> Notebook {
        let mut by_path: HashMap<String, String> = HashMap::new();
        let aliases = feature_names(root);
        for (path, comment) in comments {
            by_path.insert(tree_path(path, &aliases), comment.clone());
        }
        walk(&Type::Union(&ROOT), root, "", &mut |path, seen| {
            if seen.origin == Origin::Autotune {
                by_path
                    .entry(path.to_owned())
                    .and_modify(|comment| *comment = format!("{MARK}: {comment}"))
                    .or_insert_with(|| MARK.to_owned());
            }
        });
        Notebook { by_path }
    }
}

impl Notes for Notebook {
    fn comment(&self, path: &str) -> Option<String> {
        self.by_path.get(path).cloned()
    }
}

/// The help of every key that is written.
pub(crate) fn docs(root: &Value) -> Comments {
    let mut docs = Comments::new();
    walk(&Type::Union(&ROOT), root, "", &mut |path, seen| {
        docs.insert(path.to_owned(), seen.doc.to_owned());
    });
    docs
}

/// Name of each feature with its place in the tree, longest name first.
pub(crate) fn feature_names(root: &Value) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for list in LISTS {
        for (n, feature) in root
            .get(list)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            if let Some(name) = feature.get("name").and_then(Value::as_str) {
                names.push((format!("{list}.{name}"), format!("{list}[{n}]")));
                names.push((name.to_owned(), format!("{list}[{n}]")));
            }
        }
    }
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    names
}

/// A path by feature name as the path in the tree. Sections come before features, as everywhere.
pub(crate) fn tree_path(path: &str, aliases: &[(String, String)]) -> String {
    let first = path.split(['.', '[']).next().unwrap_or(path);
    let is_section = first == ROOT.tag
        || ROOT
            .variants
            .iter()
            .any(|v| Keys(v.keys).find(first).is_some());
    for (name, place) in aliases {
        if is_section && !LISTS.contains(&first) {
            break;
        }
        match path.strip_prefix(name.as_str()) {
            Some("") => return place.clone(),
            Some(rest) if rest.starts_with(['.', '[']) => return format!("{place}{rest}"),
            Some(_) | None => {}
        }
    }
    path.to_owned()
}

/// A key or tag that is written, as the schema sees it.
struct Seen {
    origin: Origin,
    doc: &'static str,
}

/// Shows every key of a tree with what the schema says of it and of its value.
fn walk(ty: &Type, value: &Value, path: &str, see: &mut dyn FnMut(&str, Seen)) {
    if let (Some(of), Value::Array(items)) = (ty.items(), value) {
        for (n, item) in items.iter().enumerate() {
            walk(of, item, &format!("{path}[{n}]"), see);
        }
        return;
    }
    let Value::Object(map) = value else { return };
    if let Type::MapOf(of) = ty {
        for (name, item) in map {
            walk(of, item, &join(path, name), see);
        }
        return;
    }
    let Some(structure) = ty.structure() else {
        return;
    };
    let keys = structure.keys(value).unwrap_or(Keys(&[]));
    for (name, item) in map {
        let here = join(path, name);
        match (keys.find(name), structure) {
            (Some(key), _) => {
                let origin = if is_our_word(&key.ty, item) {
                    Origin::Autotune
                } else {
                    key.origin
                };
                see(
                    &here,
                    Seen {
                        origin,
                        doc: key.doc,
                    },
                );
                walk(&key.ty, item, &here, see);
            }
            (None, Structure::Union(union)) if union.tag == name => {
                let origin = union.variant_of(value).map_or(Origin::Ludwig, |v| v.origin);
                see(
                    &here,
                    Seen {
                        origin,
                        doc: union.doc,
                    },
                );
            }
            (None, Structure::Union(_) | Structure::Section(_)) => {}
        }
    }
}

/// Whether a value is a word that Ludwig does not know.
fn is_our_word(ty: &Type, value: &Value) -> bool {
    match (ty, value.as_str()) {
        (Type::OneOf(names), Some(word)) => names.ours.contains(&word),
        (Type::Nullable(inner), Some(_)) => is_our_word(inner, value),
        (Type::Either(types), Some(_)) => types.iter().any(|t| is_our_word(t, value)),
        _ => false,
    }
}
