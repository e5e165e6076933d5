//! Checks between features, and of the split against them.

use std::collections::HashMap;

use super::cross::{is_set, number};
use crate::config::check::Log;
use crate::config::path::LISTS;
use crate::config::yaml::node::Node;
use crate::error::nearest;

pub(super) fn check(log: &mut Log, root: &Node) {
    unique_names(log, root);
    tied(log, root);
    balancing(log, root);
    split(log, root);
    one_output(log, root);
}

/// The features of a list, each with its path.
pub(super) fn listed<'a>(
    root: &'a Node,
    list: &'static str,
) -> impl Iterator<Item = (String, &'a Node)> {
    let items = root.get(list).map_or(&[][..], Node::as_list);
    items
        .iter()
        .enumerate()
        .map(move |(n, feature)| (format!("{list}[{n}]"), feature))
}

fn unique_names(log: &mut Log, root: &Node) {
    let mut seen: HashMap<&str, String> = HashMap::new();
    for list in LISTS {
        for (path, feature) in listed(root, list) {
            let Some(name) = feature.text_of("name") else {
                continue;
            };
            let line = feature.line_of("name").unwrap_or(feature.line);
            if name.is_empty() {
                log.error(
                    line,
                    &format!("{path}.name"),
                    "the name is empty",
                    Some("name the column".to_owned()),
                );
            } else if let Some(first) = seen.get(name) {
                let what = format!("the name \"{name}\" is taken by {first}");
                let hint =
                    "give one of them another name, and name the table's column under `column`";
                log.error(line, &format!("{path}.name"), what, Some(hint.to_owned()));
            } else {
                seen.insert(name, path);
            }
        }
    }
}

fn tied(log: &mut Log, root: &Node) {
    for (path, feature) in listed(root, "input_features") {
        let Some(other) = feature.text_of("tied") else {
            continue;
        };
        let line = feature.line_of("tied").unwrap_or(feature.line);
        let path = format!("{path}.tied");
        let found = listed(root, "input_features").find(|(_, f)| f.text_of("name") == Some(other));
        match found {
            None => {
                let names = listed(root, "input_features")
                    .filter_map(|(_, f)| f.text_of("name"))
                    .collect::<Vec<_>>();
                let hint = nearest(other, names).map(|name| format!("did you mean \"{name}\"?"));
                log.error(line, &path, format!("no input is called \"{other}\""), hint);
            }
            Some((_, found)) if found.text_of("type") != feature.text_of("type") => {
                let what = format!("\"{other}\" is of another type");
                log.error(
                    line,
                    &path,
                    what,
                    Some("tie features of one type".to_owned()),
                );
            }
            Some(_) => {}
        }
    }
}

fn balancing(log: &mut Log, root: &Node) {
    let Some(node) = root.get("preprocessing") else {
        return;
    };
    let line = |key: &str| node.line_of(key).unwrap_or(node.line);
    let (over, under) = (
        is_set(node, "oversample_minority"),
        is_set(node, "undersample_majority"),
    );
    if over && under {
        let what = "oversample_minority and undersample_majority exclude each other";
        log.error(
            line("undersample_majority"),
            "preprocessing.undersample_majority",
            what,
            Some("keep one of them".to_owned()),
        );
    }
    if over || under {
        let key = if over {
            "oversample_minority"
        } else {
            "undersample_majority"
        };
        let outputs: Vec<_> = listed(root, "output_features").collect();
        if outputs.len() != 1 || outputs[0].1.text_of("type") != Some("binary") {
            let hint = "use class_weights of the loss for other targets";
            log.error(
                line(key),
                &format!("preprocessing.{key}"),
                "needs exactly one output, of type binary",
                Some(hint.to_owned()),
            );
        }
    }
    if is_set(node, "sample_size") && number(node, "sample_ratio").is_some_and(|r| r < 1.0) {
        let what = "sample_size and sample_ratio exclude each other";
        log.error(
            line("sample_size"),
            "preprocessing.sample_size",
            what,
            Some("keep one of them".to_owned()),
        );
    }
}

fn split(log: &mut Log, root: &Node) {
    let Some(split) = root.get("preprocessing").and_then(|p| p.get("split")) else {
        return;
    };
    let line = |key: &str| split.line_of(key).unwrap_or(split.line);
    if let Some(list) = split.get("probabilities") {
        let shares: Vec<f64> = list.as_list().iter().filter_map(number_of).collect();
        let sum: f64 = shares.iter().sum();
        if shares.len() == 3 {
            if (sum - 1.0).abs() > 1e-6 {
                let what = format!("the three shares sum to {sum}, not to 1");
                let hint = "training, validation and test share, as [0.7, 0.1, 0.2]";
                log.error(
                    line("probabilities"),
                    "preprocessing.split.probabilities",
                    what,
                    Some(hint.to_owned()),
                );
            } else if shares[0] <= 0.0 {
                let hint = "the first share is that of the training part";
                log.error(
                    line("probabilities"),
                    "preprocessing.split.probabilities",
                    "nothing is left to train on",
                    Some(hint.to_owned()),
                );
            }
        }
    }
    let column = split.text_of("column");
    let fits: &[&str] = match split.text_of("type").unwrap_or("random") {
        "stratify" => &["binary", "category"],
        "datetime" => &["date", "text", "category", "number"],
        _ => return,
    };
    let feature = LISTS
        .iter()
        .flat_map(|list| listed(root, list))
        .find(|(_, f)| {
            column.is_some() && f.text_of("column").or_else(|| f.text_of("name")) == column
        });
    if let Some((path, feature)) = feature {
        let ty = feature.text_of("type").unwrap_or("");
        if !ty.is_empty() && !fits.contains(&ty) {
            let what = format!(
                "{path} is of type {ty}; this split needs a column of type {}",
                fits[0]
            );
            let hint = "name another column, or use type: random";
            log.error(
                line("column"),
                "preprocessing.split.column",
                what,
                Some(hint.to_owned()),
            );
        }
    }
}

fn number_of(node: &Node) -> Option<f64> {
    node.to_value().as_f64()
}

/// Trees and the linear baseline predict one target.
fn one_output(log: &mut Log, root: &Node) {
    let kind = root.text_of("model_type").unwrap_or("ecd");
    if !["gbm", "linear"].contains(&kind) {
        return;
    }
    let outputs: Vec<_> = listed(root, "output_features").collect();
    if outputs.len() > 1 {
        let line = root.line_of("output_features").unwrap_or(1);
        let what = format!(
            "model_type {kind} predicts one output, found {}",
            outputs.len()
        );
        log.error(
            line,
            "output_features",
            what,
            Some("keep one of them, or use model_type: ecd".to_owned()),
        );
    }
    for (path, output) in outputs {
        let ty = output.text_of("type").unwrap_or("");
        if !["", "binary", "category", "number"].contains(&ty) {
            let line = output.line_of("type").unwrap_or(output.line);
            let what = format!("model_type {kind} does not predict {ty}");
            log.error(
                line,
                &format!("{path}.type"),
                what,
                Some("binary, category or number".to_owned()),
            );
        }
    }
}
