//! Checks within the trainer, the combiner and the decoders, and of them against the features.

use super::cross::{is_set, number};
use super::features::listed;
use crate::config::check::Log;
use crate::config::yaml::node::Node;
use crate::error::nearest;
use crate::metric::{Metric, TargetKind};

/// Types whose encoders can hand on one vector a step.
const SEQUENTIAL: &[&str] = &["text", "sequence", "audio", "timeseries"];

pub(super) fn check(log: &mut Log, root: &Node) {
    trainer(log, root);
    combiner(log, root);
    heads(log, root);
    for (path, output) in listed(root, "output_features") {
        decoder(log, root, &path, output);
    }
}

fn trainer(log: &mut Log, root: &Node) {
    let Some(node) = root.get("trainer") else {
        return;
    };
    if is_set(node, "steps_per_checkpoint") && is_set(node, "checkpoints_per_epoch") {
        let line = node.line_of("checkpoints_per_epoch").unwrap_or(node.line);
        let what = "steps_per_checkpoint and checkpoints_per_epoch exclude each other";
        log.error(
            line,
            "trainer.checkpoints_per_epoch",
            what,
            Some("keep one of them".to_owned()),
        );
    }
    let outputs: Vec<(&str, &str)> = listed(root, "output_features")
        .filter_map(|(_, f)| Some((f.text_of("name")?, f.text_of("type")?)))
        .collect();
    if let Some(field) = node.text_of("validation_field")
        && field != "combined"
        && !outputs.is_empty()
        && outputs.iter().all(|(name, _)| *name != field)
    {
        let line = node.line_of("validation_field").unwrap_or(node.line);
        let names = outputs.iter().map(|(name, _)| *name).chain(["combined"]);
        let hint = nearest(field, names.clone()).map_or_else(
            || format!("known: {}", names.collect::<Vec<_>>().join(", ")),
            |n| format!("did you mean \"{n}\"?"),
        );
        log.error(
            line,
            "trainer.validation_field",
            format!("no output is called \"{field}\""),
            Some(hint),
        );
    }
    if let Some(metric) = node.text_of("validation_metric") {
        let line = node.line_of("validation_metric").unwrap_or(node.line);
        let field = node
            .text_of("validation_field")
            .unwrap_or(outputs.first().map_or("", |(name, _)| name));
        known_metric(
            log,
            line,
            "trainer.validation_metric",
            metric,
            field,
            &outputs,
        );
    }
}

/// Metrics of Ludwig for targets that cannot be trained here, and for classes that have no counterpart.
const OTHER_METRICS: &[&str] = &[
    "hits_at_k",
    "specificity",
    "jaccard",
    "token_accuracy",
    "last_accuracy",
    "sequence_accuracy",
    "perplexity",
    "next_token_perplexity",
    "bleu",
    "rouge",
    "word_error_rate",
    "char_error_rate",
    "edit_distance",
    "huber",
    "root_mean_squared_percentage_error",
];

/// Checks that a metric exists for the output it is to judge.
pub(super) fn known_metric(
    log: &mut Log,
    line: usize,
    path: &str,
    metric: &str,
    field: &str,
    outputs: &[(&str, &str)],
) {
    if metric == "loss" || OTHER_METRICS.contains(&metric) {
        return;
    }
    if field == "combined" {
        let hint = "name an output, or use metric: loss";
        log.error(
            line,
            path,
            format!("the outputs together have no metric but loss, not \"{metric}\""),
            Some(hint.to_owned()),
        );
        return;
    }
    let kind = match outputs
        .iter()
        .find(|(name, _)| *name == field)
        .map(|(_, ty)| *ty)
    {
        Some("binary") => TargetKind::Binary,
        Some("category") => TargetKind::Category,
        Some("number") => TargetKind::Number,
        Some(_) | None => return,
    };
    match metric.parse::<Metric>() {
        Err(unknown) => log.error(line, path, unknown.to_string(), Some(unknown.hint())),
        Ok(known) if !known.kinds().contains(&kind) => {
            let fit: Vec<String> = Metric::all_for(kind).map(Metric::name).collect();
            let what = format!(
                "{} does not judge a target of type {}",
                known.name(),
                kind.name()
            );
            log.error(line, path, what, Some(format!("known: {}", fit.join(", "))));
        }
        Ok(_) => {}
    }
}

fn combiner(log: &mut Log, root: &Node) {
    let Some(node) = root.get("combiner") else {
        return;
    };
    let line = |key: &str| node.line_of(key).unwrap_or(node.line);
    let inputs: Vec<(String, &Node)> = listed(root, "input_features").collect();
    let is_sequential =
        |f: &&(String, &Node)| f.1.text_of("type").is_some_and(|t| SEQUENTIAL.contains(&t));
    match node.text_of("type").unwrap_or("concat") {
        "sequence" | "sequence_concat" if !inputs.iter().any(|f| is_sequential(&f)) => {
            let hint = "add a text, sequence, audio or timeseries input, or use concat";
            log.error(
                line("type"),
                "combiner.type",
                "this combiner needs an input that is a sequence",
                Some(hint.to_owned()),
            );
        }
        "comparator" => comparator(log, node, &inputs),
        _ => {}
    }
    if let Some(main) = node.text_of("main_sequence_feature")
        && !inputs.iter().any(|(_, f)| f.text_of("name") == Some(main))
    {
        let names: Vec<&str> = inputs
            .iter()
            .filter_map(|(_, f)| f.text_of("name"))
            .collect();
        let hint = nearest(main, names).map(|n| format!("did you mean \"{n}\"?"));
        log.error(
            line("main_sequence_feature"),
            "combiner.main_sequence_feature",
            format!("no input is called \"{main}\""),
            hint,
        );
    }
}

fn comparator(log: &mut Log, node: &Node, inputs: &[(String, &Node)]) {
    let texts = |key: &str| {
        node.get(key)
            .map_or(&[][..], Node::as_list)
            .iter()
            .filter_map(Node::as_text)
            .collect::<Vec<_>>()
    };
    let both = [texts("entity_1"), texts("entity_2")].concat();
    let names: Vec<&str> = inputs
        .iter()
        .filter_map(|(_, f)| f.text_of("name"))
        .collect();
    for name in &names {
        let times = both.iter().filter(|n| *n == name).count();
        if times != 1 {
            let what = format!("input \"{name}\" stands in the two entities {times} times");
            log.error(
                node.line_of("type").unwrap_or(node.line),
                "combiner",
                what,
                Some("each input belongs to one of entity_1 and entity_2".to_owned()),
            );
        }
    }
    for name in both.iter().filter(|n| !names.contains(n)) {
        let hint = nearest(name, names.iter().copied()).map(|n| format!("did you mean \"{n}\"?"));
        log.error(
            node.line_of("type").unwrap_or(node.line),
            "combiner",
            format!("no input is called \"{name}\""),
            hint,
        );
    }
}

/// What attends with several heads.
const ATTENDING: &[&str] = &[
    "transformer",
    "tabtransformer",
    "ft_transformer",
    "cross_attention",
    "perceiver",
];

/// The units of attention are shared out over its heads.
fn heads(log: &mut Log, root: &Node) {
    let encoders = listed(root, "input_features")
        .filter_map(|(path, f)| Some((format!("{path}.encoder"), f.get("encoder")?)));
    let combiner = root.get("combiner").map(|c| ("combiner".to_owned(), c));
    for (path, node) in encoders.chain(combiner) {
        if !ATTENDING.contains(&node.text_of("type").unwrap_or("")) {
            continue;
        }
        let default = if node.text_of("type") == Some("ft_transformer") {
            64.0
        } else {
            256.0
        };
        let (size, heads) = (
            number(node, "hidden_size").unwrap_or(default),
            number(node, "num_heads").unwrap_or(8.0),
        );
        if heads >= 1.0 && size % heads != 0.0 {
            let key = if node.get("hidden_size").is_some() {
                "hidden_size"
            } else {
                "num_heads"
            };
            let what = format!("hidden_size {size} is no multiple of num_heads {heads}");
            log.error(
                node.line_of(key).unwrap_or(node.line),
                &format!("{path}.{key}"),
                what,
                Some("choose one that divides the other".to_owned()),
            );
        }
    }
}

fn decoder(log: &mut Log, root: &Node, path: &str, output: &Node) {
    let Some(decoder) = output.get("decoder") else {
        return;
    };
    if decoder.text_of("type") == Some("tagger")
        && !listed(root, "input_features")
            .any(|(_, f)| f.text_of("type").is_some_and(|t| SEQUENTIAL.contains(&t)))
    {
        let line = decoder.line_of("type").unwrap_or(decoder.line);
        let hint = "add a text or sequence input, or use the generator";
        log.error(
            line,
            &format!("{path}.decoder.type"),
            "a tagger needs an input that is a sequence",
            Some(hint.to_owned()),
        );
    }
}
