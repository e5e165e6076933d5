//! Sections and unions: which keys may stand, which must, and what an unknown one most likely means.

use serde_json::{Map, Value};

use super::log::{Log, Spot, join};
use super::scalar::{unknown_word, wrong};
use super::walk::{check, empty_to_map};
use crate::config::describe::{default_hint, found, known_keys, one_of};
use crate::config::fill::says_nothing;
use crate::config::schema::types::{Default, Key, Keys, Section, Type, Union, Use};
use crate::config::yaml::node::{Data, Node};
use crate::error::nearest;

/// The form of a union that is written.
#[derive(Clone, Copy)]
struct Form<'a> {
    union: &'static Union,
    name: &'a str,
}

pub(super) fn check_section(
    log: &mut Log,
    section: &'static Section,
    node: &mut Node,
    at: Spot<'_>,
) {
    empty_to_map(node);
    if node.entries_mut().is_none() {
        return wrong(log, &Type::Section(section), node, at);
    }
    check_keys(log, Keys(section.keys), None, node, at);
}

pub(super) fn check_union(log: &mut Log, union: &'static Union, node: &mut Node, at: Spot<'_>) {
    let is_short = |word: &str| union.default.is_some() || union.variant(word).is_some();
    if let Some(word) = node.as_text().filter(|word| is_short(word)) {
        // The short form: `encoder: dense`.
        let tag = Node::text(node.line, word);
        *node = Node::map(node.line);
        node.put(union.tag, at.line, tag);
    }
    if union.default.is_some() {
        empty_to_map(node);
    }
    if node.entries_mut().is_none() {
        return wrong(log, &Type::Union(union), node, at);
    }
    let Some(name) = form(log, union, node, at) else {
        return;
    };
    // An alias becomes the name it stands for.
    if let Some(tag) = node.get_mut(union.tag) {
        tag.data = Data::Text(name.to_owned());
    }
    let keys = union.variant(name).map_or(Keys(&[]), |v| Keys(v.keys));
    check_keys(log, keys, Some(Form { union, name }), node, at);
}

/// The name of the form that is written, or nothing after an error.
fn form(log: &mut Log, union: &'static Union, node: &Node, at: Spot<'_>) -> Option<&'static str> {
    let all: Vec<&str> = union.variants.iter().map(|v| v.name).collect();
    let Some(tag) = node.get(union.tag) else {
        if union.default.is_none() {
            let hint = format!("add \"{}\": {}", union.tag, one_of(&all));
            let what = format!("\"{}\" is missing", union.tag);
            log.error(node.line.max(at.line), at.path, what, Some(hint));
        }
        return union.default;
    };
    let path = join(at.path, union.tag);
    let at = Spot::new(&path, node.line_of(union.tag).unwrap_or(at.line));
    let Some(word) = tag.as_text() else {
        let what = format!("expected {}, found {}", one_of(&all), found(tag));
        log.error(
            at.line,
            at.path,
            what,
            Some("write it as one word".to_owned()),
        );
        return None;
    };
    let variant = union.variant(word);
    if variant.is_none() {
        unknown_word(log, union.tag, word, &all, at);
    }
    variant.map(|v| v.name)
}

fn check_keys(log: &mut Log, keys: Keys, form: Option<Form<'_>>, node: &mut Node, at: Spot<'_>) {
    let own_line = if node.line > 0 { node.line } else { at.line };
    let Some(entries) = node.entries_mut() else {
        return;
    };
    for entry in entries
        .iter_mut()
        .filter(|e| form.is_none_or(|f| f.union.tag != e.key))
    {
        let path = join(at.path, &entry.key);
        let Some(key) = keys.find(&entry.key) else {
            let hint = hint_for_unknown(keys, form, &entry.key);
            log.error(entry.line, &path, "unknown key", Some(hint));
            continue;
        };
        let n_errors = log.errors.len();
        let here = Spot {
            path: &path,
            line: entry.line,
            key: Some(key),
        };
        check(log, &key.ty, &mut entry.node, here);
        if log.errors.len() == n_errors && is_idle(key, &entry.node) {
            log.warn(entry.line, &path, "has no effect here");
        }
    }
    for key in keys
        .iter()
        .filter(|k| matches!(k.default, Default::Required))
    {
        if !entries.iter().any(|e| e.key == key.name) {
            let what = format!("\"{}\" is missing", key.name);
            log.error(own_line, at.path, what, default_hint(key));
        }
    }
}

/// Whether a key asks for something that does not happen here; what Ludwig wrote for itself does not.
fn is_idle(key: &Key, node: &Node) -> bool {
    let for_itself =
        matches!(key.default, Default::Absent) && key.doc.starts_with("Written by Ludwig");
    key.use_ == Use::Inert && !for_itself && !says_nothing(key, &node.to_value())
}

fn hint_for_unknown(keys: Keys, form: Option<Form<'_>>, name: &str) -> String {
    if let Some(Form { union, name: is }) = form
        && let Some(home) = union
            .variants
            .iter()
            .find(|v| Keys(v.keys).find(name).is_some())
    {
        let tag = union.tag;
        return format!(
            "\"{name}\" belongs to {tag} {}, and this is {tag} {is}",
            home.name
        );
    }
    let tag = form.map(|f| f.union.tag);
    let names: Vec<&str> = tag.into_iter().chain(keys.iter().map(|k| k.name)).collect();
    if let Some(near) = nearest(name, names.iter().copied()) {
        return format!("did you mean \"{near}\"?");
    }
    match below(keys, name) {
        Some(section) => format!("did you mean \"{section}.{name}\"?"),
        None if names.is_empty() => "leave it out".to_owned(),
        None => known_keys(&names),
    }
}

/// The section among these keys in which a name is known: `learning_rate` at the top belongs under `trainer`.
fn below(keys: Keys, name: &str) -> Option<&'static str> {
    let nothing = Value::Object(Map::new());
    let knows = |key: &&Key| key.ty.structure()?.keys(&nothing)?.find(name);
    keys.iter()
        .find(|key| knows(key).is_some())
        .map(|key| key.name)
}
