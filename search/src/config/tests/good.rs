//! Files as Ludwig's users write them, new and old.

use serde_json::json;

use super::{config, small};
use crate::config::Config;

fn warnings(text: &str) -> (Config, String) {
    let (config, warnings) =
        Config::parse(text, "old.yaml").unwrap_or_else(|e| panic!("{}\n{text}", super::lines(&e)));
    (
        config,
        warnings
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

#[track_caller]
fn accepted(text: &str) {
    let (_, said) = warnings(text);
    assert_eq!(said, "", "{text}");
}

#[test]
fn current_files_are_read_without_a_word() {
    accepted(include_str!("files/adult_tabnet.yaml"));
    accepted(include_str!("files/multimodal.yaml"));
    accepted(include_str!("files/automl.yaml"));
    accepted(include_str!("files/llm_finetune.yaml"));
    accepted(include_str!("files/gbm.yaml"));
    accepted(include_str!("files/realmlp.yaml"));
}

#[test]
fn an_old_file_is_read_with_a_warning_for_each_old_name() {
    let (config, said) = warnings(include_str!("files/old.yaml"));
    insta::assert_snapshot!("old_warnings", said);
    insta::assert_snapshot!(
        "old_upgraded",
        config.to_yaml(&super::super::Comments::new())
    );
}

#[test]
fn an_upgraded_file_is_read_again_without_an_old_name() {
    let (config, _) = warnings(include_str!("files/old.yaml"));
    let (again, said) = warnings(&config.to_yaml(&super::super::Comments::new()));
    assert!(
        said.lines()
            .all(|line| line.ends_with(": has no effect here")),
        "{said}"
    );
    assert_eq!(again, config);
}

#[test]
fn short_forms_become_long_ones() {
    let config = config(
        "input_features: [{name: a, type: number, encoder: dense}]\noutput_features: [{name: b, type: number, loss: huber}]\n\
         combiner: realmlp\ntrainer: {optimizer: sgd, batch_size: 1.28e2}\n",
    );
    assert_eq!(config.get("a.encoder"), Some(&json!({"type": "dense"})));
    assert_eq!(config.get("b.loss"), Some(&json!({"type": "huber"})));
    assert_eq!(config.get("combiner"), Some(&json!({"type": "realmlp"})));
    assert_eq!(
        config.get("trainer"),
        Some(&json!({"optimizer": {"type": "sgd"}, "batch_size": 128}))
    );
}

#[test]
fn an_empty_section_is_its_defaults() {
    let config = small("trainer:\ncombiner:\npreprocessing:\n");
    assert_eq!(config.value()["trainer"], json!({}));
    assert_eq!(config.filled(), small("").filled());
}

#[test]
fn an_alias_becomes_the_name_it_stands_for() {
    let config = small("hyperopt: {executor: {scheduler: {type: asha, max_t: 50}}}\n");
    assert_eq!(
        config.get("hyperopt.executor.scheduler.type"),
        Some(&json!("async_hyperband"))
    );
}

#[test]
fn what_has_no_effect_is_said() {
    let text = format!(
        "{}trainer: {{compile: true, use_mixed_precision: false, should_shuffle: yes}}\nbackend: ray\n",
        super::SMALL
    );
    let (_, said) = warnings(&text);
    assert_eq!(
        said,
        "old.yaml:9: trainer.compile: has no effect here\n\
         old.yaml:9: trainer.should_shuffle: \"yes\" is read as true\n\
         old.yaml:10: backend: has no effect here"
    );
}

#[test]
fn a_filled_config_is_shown_with_every_default() {
    let filled = config(include_str!("files/realmlp.yaml")).filled();
    insta::assert_snapshot!(
        "realmlp_filled",
        filled.to_yaml(&super::super::Comments::new())
    );
}

#[test]
fn a_commented_config_reads_like_a_page() {
    let config = config(include_str!("files/realmlp.yaml"));
    let comments = [
        (
            "",
            "Written for adult: 48,842 rows, 3 columns.\nEdit it and run it again.",
        ),
        ("age", "number: 74 different values, all whole"),
        ("input_features[1]", "category: 9 different values"),
        ("income.loss.label_smoothing", "the metric is accuracy"),
        (
            "trainer.learning_rate",
            "the published default of RealMLP for classes; searched between 0.02 and 0.3, because no other parameter moves the score as much",
        ),
        ("combiner", "the best network on tables of this size"),
    ];
    let comments = comments
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    insta::assert_snapshot!("realmlp_commented", config.to_yaml(&comments));
}

#[test]
fn every_key_can_be_explained() {
    let docs = config(include_str!("files/realmlp.yaml")).docs();
    assert_eq!(
        docs["trainer.epochs"],
        "Passes over the training part; the schedule spans them."
    );
    assert_eq!(docs["combiner.type"], "What joins the encoded inputs.");
    assert!(docs.len() > 20);
}
