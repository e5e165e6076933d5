//! From the top of a tree to its values, by type.

use super::keys::{check_section, check_union};
use super::log::{Log, Spot, join};
use super::scalar::{check_bool, check_number, check_word, wrong};
use crate::config::describe::has_form;
use crate::config::schema::types::Type;
use crate::config::yaml::node::{Data, Node};

/// Checks a node against a type.
pub(crate) fn check(log: &mut Log, ty: &Type, node: &mut Node, at: Spot<'_>) {
    match ty {
        Type::Nullable(inner) => {
            if node.data != Data::Null {
                check_part(log, ty, inner, node, at);
            }
        }
        Type::Either(types) => match types.iter().find(|t| has_form(t, node)) {
            Some(fit) => check_part(log, ty, fit, node, at),
            None => wrong(log, ty, node, at),
        },
        Type::Section(section) => check_section(log, section, node, at),
        Type::Union(union) => check_union(log, union, node, at),
        Type::List { of, min } => {
            if !has_form(ty, node) || node.as_list().len() < *min {
                return wrong(log, ty, node, at);
            }
            for (n, item) in node.as_list_mut().iter_mut().enumerate() {
                check_item(log, of, item, n, at);
            }
        }
        Type::Tuple(types) => {
            if !has_form(ty, node) || node.as_list().len() != types.len() {
                return wrong(log, ty, node, at);
            }
            for (n, (item, of)) in node.as_list_mut().iter_mut().zip(*types).enumerate() {
                check_item(log, of, item, n, at);
            }
        }
        Type::MapOf(of) => {
            empty_to_map(node);
            let Some(entries) = node.entries_mut() else {
                return wrong(log, ty, node, at);
            };
            for entry in entries {
                let path = join(at.path, &entry.key);
                check(log, of, &mut entry.node, Spot::new(&path, entry.line));
            }
        }
        Type::AnyMap => {
            empty_to_map(node);
            if !has_form(ty, node) {
                wrong(log, ty, node, at);
            }
        }
        Type::Bool => check_bool(log, node, at),
        Type::Int { .. } | Type::Float { .. } => check_number(log, ty, ty, node, at),
        Type::OneOf(names) => check_word(log, names, node, at),
        Type::Text => {
            if !has_form(ty, node) {
                wrong(log, ty, node, at);
            }
        }
        Type::Any => {}
    }
}

fn check_item(log: &mut Log, of: &Type, item: &mut Node, n: usize, at: Spot<'_>) {
    let line = item.line;
    check(log, of, item, Spot::new(&format!("{}[{n}]", at.path), line));
}

/// Checks against one alternative; what does not fit it is told about the whole type.
fn check_part(log: &mut Log, whole: &Type, part: &Type, node: &mut Node, at: Spot<'_>) {
    if matches!(part, Type::Int { .. } | Type::Float { .. }) {
        check_number(log, whole, part, node, at);
    } else if has_form(part, node) || part.structure().is_some() || matches!(part, Type::Bool) {
        check(log, part, node, at);
    } else {
        wrong(log, whole, node, at);
    }
}

/// A section that is named but left empty has its defaults.
pub(super) fn empty_to_map(node: &mut Node) {
    if node.data == Data::Null {
        node.data = Data::Map(Vec::new());
    }
}
