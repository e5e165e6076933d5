//! The moves that old names need: rename, nest, drop, replace a word.

use crate::config::check::{Log, join};
use crate::config::yaml::node::{Data, Node};

/// Renames a key in place. When the new name is there too, the old one stays and is told of as unknown.
pub(super) fn rename(log: &mut Log, node: &mut Node, path: &str, old: &str, new: &str) {
    if node.get(new).is_some() {
        return;
    }
    let Some(entry) = node
        .entries_mut()
        .and_then(|e| e.iter_mut().find(|e| e.key == old))
    else {
        return;
    };
    entry.key = new.to_owned();
    log.warn(
        entry.line,
        &join(path, old),
        format!("old name, read as \"{new}\""),
    );
}

/// Moves a key into a section beside it.
pub(super) fn nest(
    log: &mut Log,
    node: &mut Node,
    path: &str,
    old: &str,
    section: &str,
    new: &str,
) {
    let Some(entry) = node.take(old) else { return };
    log.warn(
        entry.line,
        &join(path, old),
        format!("old place, read as \"{section}.{new}\""),
    );
    let Some(target) = node.map_at(section, entry.line) else {
        return;
    };
    if let Some(word) = target.as_text() {
        // The short form `encoder: rnn` makes room for the keys that follow it.
        let mut map = Node::map(target.line);
        map.put("type", target.line, Node::text(target.line, word));
        *target = map;
    }
    target.put(new, entry.line, entry.node);
}

/// Takes out a key that means nothing any more.
pub(super) fn drop(log: &mut Log, node: &mut Node, path: &str, old: &str, why: &str) {
    if let Some(entry) = node.take(old) {
        log.warn(
            entry.line,
            &join(path, old),
            format!("{why}; it is left out"),
        );
    }
}

/// Replaces an old word by today's.
pub(super) fn reword(
    log: &mut Log,
    node: &mut Node,
    path: &str,
    key: &str,
    words: &[(&str, &str)],
) {
    let line = node.line_of(key).unwrap_or(0);
    let Some(value) = node.get_mut(key) else {
        return;
    };
    let Some(word) = value.as_text() else { return };
    if let Some((old, new)) = words.iter().find(|(old, _)| *old == word) {
        log.warn(
            line,
            &join(path, key),
            format!("\"{old}\" is an old name, read as \"{new}\""),
        );
        value.data = Data::Text((*new).to_owned());
    }
}

/// Does something for a section, when it is there.
pub(super) fn within(
    log: &mut Log,
    node: &mut Node,
    path: &str,
    key: &str,
    act: impl FnOnce(&mut Log, &mut Node, &str),
) {
    if let Some(inner) = node.get_mut(key) {
        act(log, inner, &join(path, key));
    }
}
