//! Old names at the top level, in the trainer, the preprocessing, the search and the backend.

use super::features::{forget, layers, upgrade_list, upgrade_preprocessing};
use super::moves::{drop, nest, rename, reword, within};
use crate::config::check::{Log, join};
use crate::config::schema::features::DEFAULTS;
use crate::config::schema::types::Keys;
use crate::config::yaml::node::{Data, Entry, Node};

/// Where the learning rate schedule stands today.
const SCHEDULE: &str = "learning_rate_scheduler";
/// Keys of the schedule that once stood in the trainer, old and new.
const SCHEDULE_KEYS: &[(&str, &str)] = &[
    ("decay", "decay"),
    ("decay_rate", "decay_rate"),
    ("decay_steps", "decay_steps"),
    ("staircase", "staircase"),
    ("learning_rate_warmup_epochs", "warmup_evaluations"),
    ("learning_rate_warmup_fraction", "warmup_fraction"),
    ("reduce_learning_rate_on_plateau", "reduce_on_plateau"),
    (
        "reduce_learning_rate_on_plateau_patience",
        "reduce_on_plateau_patience",
    ),
    (
        "reduce_learning_rate_on_plateau_rate",
        "reduce_on_plateau_rate",
    ),
    ("reduce_learning_rate_eval_metric", "reduce_eval_metric"),
    ("reduce_learning_rate_eval_split", "reduce_eval_split"),
];

/// Reads a whole tree as what it means today.
pub(crate) fn upgrade(log: &mut Log, root: &mut Node) {
    rename(log, root, "", "training", "trainer");
    if root.get("hyperopt").is_some_and(|h| h.data == Data::Null) {
        drop(log, root, "", "hyperopt", "an empty search");
    }
    for list in ["input_features", "output_features"] {
        upgrade_list(log, root, list);
    }
    let is_llm = root.text_of("model_type") == Some("llm");
    within(log, root, "", "combiner", |log, combiner, path| {
        rename(log, combiner, path, "bias", "use_bias");
        forget(log, combiner, path);
        layers(log, combiner, path);
    });
    within(log, root, "", "trainer", |log, trainer, path| {
        upgrade_trainer(log, trainer, path, is_llm)
    });
    preprocessing(log, root);
    within(log, root, "", "defaults", |log, defaults, path| {
        rename(log, defaults, path, "numerical", "number");
        for entry in defaults.entries_mut().into_iter().flatten() {
            let path = join(path, &entry.key);
            within(
                log,
                &mut entry.node,
                &path,
                "preprocessing",
                upgrade_preprocessing,
            );
        }
    });
    within(log, root, "", "hyperopt", upgrade_hyperopt);
    within(log, root, "", "backend", |log, backend, path| {
        nest(
            log,
            backend,
            path,
            "cache_credentials",
            "credentials",
            "cache",
        );
    });
}

fn upgrade_trainer(log: &mut Log, trainer: &mut Node, path: &str, is_llm: bool) {
    forget(log, trainer, path);
    if !is_llm {
        drop(log, trainer, path, "type", "the trainer goes by model_type");
    }
    rename(
        log,
        trainer,
        path,
        "increase_batch_size_on_plateau_max",
        "max_batch_size",
    );
    let line = trainer.line_of("eval_batch_size").unwrap_or(0);
    if let Some(size) = trainer.get_mut("eval_batch_size")
        && matches!(&size.data, Data::Number(n) if n.as_i64() == Some(0))
    {
        size.data = Data::Null;
        log.warn(
            line,
            &join(path, "eval_batch_size"),
            "0 is an old form, read as null: as batch_size",
        );
    }
    within(log, trainer, path, "optimizer", |log, optimizer, path| {
        drop(
            log,
            optimizer,
            path,
            "lr",
            "the learning rate is trainer.learning_rate",
        );
    });
    let line = trainer.line_of("decay").unwrap_or(0);
    match trainer.get("decay").map(|d| &d.data) {
        Some(Data::Bool(true)) => {
            if let Some(decay) = trainer.get_mut("decay") {
                *decay = Node::text(line, "exponential");
            }
            nest(log, trainer, path, "decay", SCHEDULE, "decay");
        }
        Some(Data::Bool(false)) => drop(log, trainer, path, "decay", "no decay is the default"),
        Some(Data::Null | Data::Text(_)) => nest(log, trainer, path, "decay", SCHEDULE, "decay"),
        Some(Data::Number(_) | Data::List(_) | Data::Map(_)) | None => {}
    }
    for (old, new) in SCHEDULE_KEYS.iter().filter(|(old, _)| *old != "decay") {
        nest(log, trainer, path, old, SCHEDULE, new);
    }
}

fn preprocessing(log: &mut Log, root: &mut Node) {
    let mut moved: Vec<Entry> = Vec::new();
    within(log, root, "", "preprocessing", |log, node, path| {
        old_split(log, node, path);
        for name in ["numerical"]
            .into_iter()
            .chain(Keys(DEFAULTS.keys).iter().map(|k| k.name))
        {
            if let Some(entry) = node.take(name) {
                let new = if name == "numerical" { "number" } else { name };
                log.warn(
                    entry.line,
                    &join(path, name),
                    format!("old place, read as \"defaults.{new}.preprocessing\""),
                );
                moved.push(Entry {
                    key: new.to_owned(),
                    ..entry
                });
            }
        }
    });
    for mut entry in moved {
        upgrade_preprocessing(
            log,
            &mut entry.node,
            &format!("defaults.{}.preprocessing", entry.key),
        );
        let Some(defaults) = root.map_at("defaults", entry.line) else {
            return;
        };
        let Some(of_type) = defaults.map_at(&entry.key, entry.line) else {
            return;
        };
        of_type.put("preprocessing", entry.line, entry.node);
    }
}

/// `force_split`, `split_probabilities` and `stratify` of Ludwig 0.4.
fn old_split(log: &mut Log, node: &mut Node, path: &str) {
    let force = node.take("force_split");
    let probabilities = node.take("split_probabilities");
    let stratify = node.take("stratify").filter(|e| e.node.data != Data::Null);
    let Some(line) = [&force, &stratify, &probabilities]
        .iter()
        .find_map(|e| e.as_ref().map(|e| e.line))
    else {
        return;
    };
    let kind = if stratify.is_some() {
        "stratify"
    } else {
        "random"
    };
    for entry in [&force, &probabilities, &stratify].into_iter().flatten() {
        log.warn(
            entry.line,
            &join(path, &entry.key),
            format!("old name, read as part of \"split\" of type {kind}"),
        );
    }
    let Some(split) = node.map_at("split", line) else {
        return;
    };
    split.put("type", line, Node::text(line, kind));
    if let Some(column) = stratify {
        split.put("column", column.line, column.node);
    }
    if let Some(entry) = probabilities {
        split.put("probabilities", entry.line, entry.node);
    }
}

fn upgrade_hyperopt(log: &mut Log, node: &mut Node, path: &str) {
    if let Some(sampler) = node.take("sampler") {
        let here = join(path, "sampler");
        let mut sampler = sampler.node;
        drop(
            log,
            &mut sampler,
            &here,
            "type",
            "the sampler is search_alg.type",
        );
        if let Some(entry) = sampler.take("search_alg") {
            log.warn(
                entry.line,
                &join(&here, "search_alg"),
                "old place, read as \"hyperopt.search_alg\"",
            );
            node.put("search_alg", entry.line, entry.node);
        }
        for name in ["num_samples", "scheduler"] {
            if let Some(entry) = sampler.take(name) {
                log.warn(
                    entry.line,
                    &join(&here, name),
                    format!("old place, read as \"hyperopt.executor.{name}\""),
                );
                if let Some(executor) = node.map_at("executor", entry.line) {
                    executor.put(name, entry.line, entry.node);
                }
            }
        }
        // What is left has no place any more and is told of as unknown, where the user wrote it.
        if !sampler.entries().is_empty() {
            node.put("sampler", sampler.line, sampler);
        }
    }
    search_names(log, node, path);
    within(log, node, path, "executor", |log, executor, path| {
        reword(
            log,
            executor,
            path,
            "type",
            &[
                ("serial", "local"),
                ("parallel", "local"),
                ("fiber", "local"),
            ],
        );
        let line = executor.line_of("type").unwrap_or(0);
        if executor.text_of("type") == Some("ray") {
            log.warn(
                line,
                &join(path, "type"),
                "trials run as processes of this machine, not on Ray",
            );
        }
    });
    within(log, node, path, "parameters", |log, parameters, path| {
        for entry in parameters.entries_mut().into_iter().flatten() {
            let Some((section @ ("training" | "trainer"), rest)) = entry.key.split_once('.') else {
                continue;
            };
            let new = match SCHEDULE_KEYS.iter().find(|(old, _)| *old == rest) {
                Some((_, new)) => format!("trainer.{SCHEDULE}.{new}"),
                None if section == "training" => format!("trainer.{rest}"),
                None => continue,
            };
            log.warn(
                entry.line,
                &join(path, &entry.key),
                format!("old name, read as \"{new}\""),
            );
            entry.key = new;
        }
    });
}

/// Samplers of other libraries that are read as ours, and why that one.
const SEARCH_NAMES: &[(&str, &str)] = &[
    (
        "hyperopt",
        "read as tpe, our own: the same kind of model as Hyperopt's",
    ),
    (
        "optuna",
        "read as tpe, our own: the same kind of model as Optuna's",
    ),
    (
        "bohb",
        "read as tpe, our own, which learns from trials of every length as BOHB does",
    ),
];

/// Says which sampler runs where the one of another library is named.
fn search_names(log: &mut Log, node: &Node, path: &str) {
    let Some(search) = node.get("search_alg") else {
        return;
    };
    let word = search.as_text().or_else(|| search.text_of("type"));
    let known = SEARCH_NAMES.iter().find(|(name, _)| Some(*name) == word);
    if let Some((_, what)) = known {
        let line = search
            .line_of("type")
            .or_else(|| node.line_of("search_alg"));
        let path = join(&join(path, "search_alg"), "type");
        log.warn(line.unwrap_or(0), &path, *what);
    }
}
