//! Checks of the search: what is judged, and each parameter against the key it searches.

use serde_json::Value;

use super::features::listed;
use super::network::known_metric;
use crate::config::check::{Log, Spot, check as check_type};
use crate::config::describe::found;
use crate::config::edit;
use crate::config::path::{LISTS, Place, Step, locate};
use crate::config::schema::root::ROOT;
use crate::config::schema::spaces::SPACE;
use crate::config::schema::types::Type;
use crate::config::yaml::node::{Data, Entry, Node};
use crate::error::{ConfigError, nearest};
use crate::space::{Domain, Space};

pub(super) fn check(log: &mut Log, root: &Node) {
    let Some(node) = root.get("hyperopt") else {
        return;
    };
    judged(log, root, node);
    let value = root.to_value();
    for entry in node.get("parameters").map_or(&[][..], Node::entries) {
        let path = format!("hyperopt.parameters.{}", entry.key);
        if entry.key == "." {
            fragments(log, &value, &entry.node, &path);
            continue;
        }
        let fits = match locate(&value, &entry.key) {
            Ok(place) if let Some(why) = not_searched(&place.steps) => {
                log.error(
                    entry.line,
                    &path,
                    format!("\"{}\" cannot be searched: {why}", entry.key),
                    Some("search a key of the trainer, the combiner, or of a feature's encoder, preprocessing or decoder".to_owned()),
                );
                false
            }
            Ok(place) => parameter(log, &place, &entry.node, &path, entry.line),
            Err(lost) => {
                log.error(entry.line, &path, lost.what, lost.hint);
                false
            }
        };
        if fits {
            domain(log, entry, &path);
        }
    }
    together(log, node);
    points(log, node, &value);
}

/// What a range may be is known to the space; unknown and missing keys were told of before.
pub(super) fn domain(log: &mut Log, parameter: &Entry, path: &str) {
    let space = parameter.node.text_of("space");
    if space.is_none_or(|space| SPACE.variant(space).is_none()) {
        return;
    }
    if let Err(fault) = Domain::from_value(&parameter.key, &parameter.node.to_value())
        && !log.errors.iter().any(|e| e.path.starts_with(path))
    {
        log.error(parameter.line, path, fault.what, fault.hint);
    }
}

/// What the parameters are to one another: conditions on those before them.
pub(super) fn together(log: &mut Log, node: &Node) {
    let Some(parameters) = node.get("parameters") else {
        return;
    };
    if log
        .errors
        .iter()
        .any(|e| e.path.starts_with("hyperopt.parameters"))
    {
        return;
    }
    let value = parameters.to_value();
    let faults = value.as_object().map(Space::new).and_then(Result::err);
    for fault in faults.into_iter().flatten() {
        let own = fault
            .path
            .strip_prefix("hyperopt.parameters.")
            .unwrap_or("");
        let entry = parameters.entries().iter().find(|entry| {
            let rest = own.strip_prefix(entry.key.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(".when"))
        });
        let line = entry.map_or(parameters.line, |entry| {
            entry.node.line_of("when").unwrap_or(entry.line)
        });
        log.error(line, &fault.path, fault.what, fault.hint);
    }
}

/// Why a path is not for a search, where it is not: a trial may vary how is learned, not what is learned from or how
/// it is judged.
fn not_searched(steps: &[Step]) -> Option<&'static str> {
    let keys: Vec<&str> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Index(_) => None,
        })
        .collect();
    match keys.as_slice() {
        ["hyperopt", ..] => Some("it is the search itself"),
        [list] if LISTS.contains(list) => Some("all trials learn from the same columns"),
        [list, "name" | "column" | "proc_column" | "type"] if LISTS.contains(list) => {
            Some("all trials learn from the same columns")
        }
        [
            "preprocessing",
            "split" | "sample_ratio" | "sample_size",
            ..,
        ] => Some("all trials are judged on the same rows"),
        _ => None,
    }
}

fn judged(log: &mut Log, root: &Node, node: &Node) {
    let outputs: Vec<(&str, &str)> = listed(root, "output_features")
        .filter_map(|(_, f)| Some((f.text_of("name")?, f.text_of("type")?)))
        .collect();
    let field = node.text_of("output_feature").unwrap_or("combined");
    let line = |key: &str| node.line_of(key).unwrap_or(node.line);
    if field != "combined" && outputs.iter().all(|(name, _)| *name != field) {
        let names = outputs.iter().map(|(name, _)| *name).chain(["combined"]);
        let hint = nearest(field, names.clone()).map_or_else(
            || format!("known: {}", names.collect::<Vec<_>>().join(", ")),
            |n| format!("did you mean \"{n}\"?"),
        );
        log.error(
            line("output_feature"),
            "hyperopt.output_feature",
            format!("no output is called \"{field}\""),
            Some(hint),
        );
        return;
    }
    let Some(metric) = node.text_of("metric") else {
        return;
    };
    known_metric(
        log,
        line("metric"),
        "hyperopt.metric",
        metric,
        field,
        &outputs,
    );
    let kind = outputs
        .iter()
        .find(|(name, _)| *name == field)
        .map(|(_, ty)| *ty);
    let known = match kind {
        Some("binary") => crate::metric::Metric::named(metric, crate::metric::TargetKind::Binary),
        Some("category") => {
            crate::metric::Metric::named(metric, crate::metric::TargetKind::Category)
        }
        Some("number") => crate::metric::Metric::named(metric, crate::metric::TargetKind::Number),
        Some(_) | None => None,
    };
    let goal = node.text_of("goal").unwrap_or("minimize");
    if let Some(known) = known.filter(|k| k.maximise() != (goal == "maximize")) {
        let right = if known.maximise() {
            "maximize"
        } else {
            "minimize"
        };
        let at = if node.get("goal").is_some() {
            line("goal")
        } else {
            line("metric")
        };
        log.error(
            at,
            "hyperopt.goal",
            format!("{metric} is not to be {goal}d"),
            Some(format!("write goal: {right}")),
        );
    }
}

/// Checks the values of a parameter against the key it searches.
fn parameter(log: &mut Log, place: &Place, domain: &Node, path: &str, line: usize) -> bool {
    let n_errors = log.errors.len();
    for list in ["categories", "values"] {
        for (n, item) in domain
            .get(list)
            .map_or(&[][..], Node::as_list)
            .iter()
            .enumerate()
        {
            let here = format!("{path}.{list}[{n}]");
            check_value(log, place, &mut item.clone(), &here, item.line);
        }
    }
    let is_numeric = !matches!(
        domain.text_of("space"),
        Some("choice" | "grid_search") | None
    );
    for bound in ["lower", "upper"] {
        if let (true, Some(node)) = (is_numeric, domain.get(bound)) {
            // The upper bound of whole numbers is never drawn, so it may lie one past the range of the key.
            let is_past = bound == "upper"
                && domain
                    .text_of("space")
                    .is_some_and(|s| s.contains("randint"));
            let mut node = node.clone();
            if let (true, Data::Number(n)) = (is_past, &node.data)
                && let Some(n) = n.as_i64()
            {
                node.data = Data::Number((n - 1).into());
            }
            check_value(
                log,
                place,
                &mut node,
                &format!("{path}.{bound}"),
                domain.line_of(bound).unwrap_or(line),
            );
        }
    }
    n_errors == log.errors.len()
}

fn check_value(log: &mut Log, place: &Place, node: &mut Node, path: &str, line: usize) {
    if place.is_tag {
        if node.as_text().is_none() {
            log.error(
                line,
                path,
                format!("expected the name of a type, found {}", found(node)),
                Some("write it as one word".to_owned()),
            );
        }
        return;
    }
    let mut inner = Log {
        file: log.file.clone(),
        ..Log::default()
    };
    let at = Spot {
        path,
        line,
        key: place.key,
    };
    check_type(&mut inner, &place.ty, node, at);
    log.errors.append(&mut inner.errors);
}

/// Fragments of a config, each checked as the config it makes.
fn fragments(log: &mut Log, root: &Value, domain: &Node, path: &str) {
    for list in ["categories", "values"] {
        for (n, item) in domain
            .get(list)
            .map_or(&[][..], Node::as_list)
            .iter()
            .enumerate()
        {
            let here = format!("{path}.{list}[{n}]");
            point(
                log,
                root,
                &serde_json::Map::from_iter([(".".to_owned(), item.to_value())]),
                &here,
                item.line,
            );
        }
    }
}

/// Points that are tried first name parameters of the search and values that their keys may take.
pub(super) fn points(log: &mut Log, node: &Node, root: &Value) {
    let Some(search) = node.get("search_alg") else {
        return;
    };
    let names: Vec<&str> = node
        .get("parameters")
        .map_or(&[][..], Node::entries)
        .iter()
        .map(|e| e.key.as_str())
        .collect();
    for (n, item) in search
        .get("points_to_evaluate")
        .map_or(&[][..], Node::as_list)
        .iter()
        .enumerate()
    {
        let path = format!("hyperopt.search_alg.points_to_evaluate[{n}]");
        let mut all_known = true;
        for entry in item
            .entries()
            .iter()
            .filter(|e| !names.contains(&e.key.as_str()))
        {
            all_known = false;
            let hint = nearest(&entry.key, names.iter().copied())
                .map(|name| format!("did you mean \"{name}\"?"));
            log.error(
                entry.line,
                &path,
                format!("\"{}\" is not among the searched parameters", entry.key),
                hint,
            );
        }
        if let (true, Value::Object(map)) = (all_known, item.to_value()) {
            point(log, root, &map, &path, item.line);
        }
    }
}

/// Checks the config that an assignment makes; faults that the config had before are not told of again.
fn point(
    log: &mut Log,
    root: &Value,
    assignment: &serde_json::Map<String, Value>,
    path: &str,
    line: usize,
) {
    let mut value = edit::without_search(root);
    let before = faults(&value);
    if let Err((_, lost)) = edit::assign(&mut value, assignment.iter()) {
        log.error(line, path, lost.what, lost.hint);
        return;
    }
    for fault in faults(&value)
        .into_iter()
        .filter(|fault| !before.contains(fault))
    {
        let what = format!("makes {}: {}", fault.path, fault.what);
        log.error(line, path, what, fault.hint);
    }
}

/// What the schema finds wrong with a whole config.
fn faults(root: &Value) -> Vec<ConfigError> {
    let mut log = Log::default();
    check_type(
        &mut log,
        &Type::Union(&ROOT),
        &mut Node::from_value(root),
        Spot::new("", 0),
    );
    log.errors
}
