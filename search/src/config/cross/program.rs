//! Checks of the config of a program: what its command names, and what is searched.

use super::search::{domain, points, together};
use crate::config::check::Log;
use crate::config::command::{BUILT_IN, names};
use crate::config::yaml::node::{Entry, Node};
use crate::error::nearest;

pub(super) fn check(log: &mut Log, root: &Node) {
    let search = root.get("hyperopt");
    let searched = search
        .and_then(|search| search.get("parameters"))
        .map_or(&[][..], Node::entries);
    let fixed = root.get("parameters").map_or(&[][..], Node::entries);
    named(log, root, &[searched, fixed].concat());
    for entry in searched {
        let path = format!("hyperopt.parameters.{}", entry.key);
        if let Some(why) = not_a_parameter(&entry.key, fixed) {
            log.error(entry.line, &path, why, Some("call it otherwise".to_owned()));
            continue;
        }
        domain(log, entry, &path);
    }
    if let Some(search) = search {
        together(log, search);
        points(log, search, &root.to_value());
    }
}

/// Every name in the command is known.
fn named(log: &mut Log, root: &Node, parameters: &[Entry]) {
    let Some(command) = root.text_of("command") else {
        return;
    };
    let known = || {
        parameters
            .iter()
            .map(|entry| entry.key.as_str())
            .chain(BUILT_IN)
    };
    for name in names(command) {
        if known().any(|known| known == name) {
            continue;
        }
        let hint = match nearest(name, known()) {
            Some(near) => {
                format!("did you mean {{{near}}}? Write {{{{{name}}}}} for the text {{{name}}}")
            }
            None => {
                format!("add it to the parameters, or write {{{{{name}}}}} for the text {{{name}}}")
            }
        };
        let line = root.line_of("command").unwrap_or(root.line);
        log.error(
            line,
            "command",
            format!("no parameter is called \"{name}\""),
            Some(hint),
        );
    }
}

/// Why a searched parameter cannot be called so, if it cannot.
fn not_a_parameter(name: &str, fixed: &[Entry]) -> Option<String> {
    if name == "." {
        return Some("fragments are for the config of a model".to_owned());
    }
    if BUILT_IN.contains(&name) {
        return Some(format!("\"{name}\" means something else in a command"));
    }
    fixed
        .iter()
        .any(|entry| entry.key == name)
        .then(|| format!("\"{name}\" is fixed under parameters"))
}
