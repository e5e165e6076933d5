//! Checks of `model_type: llm`.

use super::features::listed;
use crate::config::check::Log;
use crate::config::yaml::node::{Data, Node};

pub(super) fn check(log: &mut Log, root: &Node) {
    let inputs: Vec<_> = listed(root, "input_features").collect();
    if inputs.len() != 1 || inputs[0].1.text_of("type") != Some("text") {
        let line = root.line_of("input_features").unwrap_or(1);
        let hint = "join the columns in prompt.template";
        log.error(
            line,
            "input_features",
            "model_type llm takes exactly one input, of type text",
            Some(hint.to_owned()),
        );
    }
    let finetunes = root
        .get("trainer")
        .and_then(|t| t.text_of("type"))
        .unwrap_or("none")
        != "none";
    if finetunes {
        for (path, output) in listed(root, "output_features") {
            if output.text_of("type").is_some_and(|t| t != "text") {
                let line = output.line_of("type").unwrap_or(output.line);
                let hint = "use type: text, or trainer.type: none";
                log.error(
                    line,
                    &format!("{path}.type"),
                    "finetuning needs an output of type text",
                    Some(hint.to_owned()),
                );
            }
        }
    }
    quantization(log, root, finetunes);
    prompt(log, root);
}

fn quantization(log: &mut Log, root: &Node, finetunes: bool) {
    let Some(node) = root.get("quantization").filter(|n| n.data != Data::Null) else {
        return;
    };
    let line = root.line_of("quantization").unwrap_or(node.line);
    let bits = node
        .get("bits")
        .map(Node::to_value)
        .and_then(|v| v.as_i64())
        .unwrap_or(4);
    if ![4, 8].contains(&bits) {
        log.error(
            line,
            "quantization.bits",
            format!("{bits} bits are not offered"),
            Some("4 or 8".to_owned()),
        );
    }
    let backend = root
        .get("backend")
        .and_then(|b| b.as_text().or_else(|| b.text_of("type")))
        .unwrap_or("local");
    if backend != "local" {
        log.error(
            line,
            "quantization",
            "needs backend local",
            Some(format!("the backend is {backend}")),
        );
    }
    let adapter = root.get("adapter").and_then(|a| a.text_of("type"));
    if finetunes && adapter.is_none_or(|a| !a.contains("lora")) {
        log.error(
            line,
            "quantization",
            "finetuning quantised weights needs an adapter lora",
            Some("add `adapter: lora`".to_owned()),
        );
    }
}

fn prompt(log: &mut Log, root: &Node) {
    let Some(prompt) = root.get("prompt") else {
        return;
    };
    let line = |key: &str| prompt.line_of(key).unwrap_or(prompt.line);
    let retrieval = prompt.get("retrieval").and_then(|r| r.text_of("type"));
    let Some(template) = prompt.text_of("template") else {
        return;
    };
    for (placeholder, given, key) in [
        ("__task__", prompt.text_of("task").is_some(), "task"),
        ("__context__", retrieval.is_some(), "retrieval"),
    ] {
        let used = template.contains(&format!("{{{placeholder}}}"));
        if used != given {
            let (what, hint) = if used {
                (
                    format!("the template uses {{{placeholder}}}, but there is no {key}"),
                    format!("add prompt.{key}"),
                )
            } else {
                (
                    format!("there is a {key}, but the template does not use {{{placeholder}}}"),
                    format!("put {{{placeholder}}} into the template"),
                )
            };
            log.error(line("template"), "prompt.template", what, Some(hint));
        }
    }
    if !template.contains('{') {
        let hint = "put {__sample__}, or a column in braces, where the row belongs";
        log.error(
            line("template"),
            "prompt.template",
            "the template uses no column",
            Some(hint.to_owned()),
        );
    }
}
