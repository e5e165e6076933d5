//! Paths, changes, merging, and the configs of trials.

use serde_json::{Value, json};

use super::{config, lines, small};
use crate::space::Assignment;

fn assignment(entries: &[(&str, Value)]) -> Assignment {
    entries
        .iter()
        .map(|(path, value)| ((*path).to_owned(), value.clone()))
        .collect()
}

#[test]
fn a_path_leads_by_section_by_list_and_by_feature_name() {
    let config = small("trainer: {epochs: 7}\ncombiner: {fc_layers: [{output_size: 3}]}\n");
    let table = [
        ("trainer.epochs", json!(7)),
        ("age.type", json!("number")),
        ("income.name", json!("income")),
        ("input_features.job.type", json!("category")),
        ("input_features[1].name", json!("job")),
        ("combiner.fc_layers[0].output_size", json!(3)),
        ("combiner.fc_layers.0.output_size", json!(3)),
    ];
    for (path, expected) in table {
        assert_eq!(config.get(path), Some(&expected), "{path}");
    }
    for path in [
        "trainer.batch_size",
        "nobody.type",
        "",
        "trainer.epochs.x",
        "input_features[9]",
    ] {
        assert!(config.get(path).is_none() || path.is_empty(), "{path}");
    }
}

#[test]
fn names_with_dots_and_names_of_sections_are_reached() {
    let text = "\
input_features:
  - {name: a, type: number}
  - {name: a.b, type: category}
  - {name: trainer, type: number}
output_features:
  - {name: y, type: number}
trainer: {epochs: 5}
";
    let mut config = config(text);
    assert_eq!(config.get("a.type"), Some(&json!("number")));
    assert_eq!(config.get("a.b.type"), Some(&json!("category")));
    assert_eq!(config.get("trainer.epochs"), Some(&json!(5)));
    assert_eq!(
        config.get("input_features.trainer.type"),
        Some(&json!("number"))
    );
    config.set("a.b.encoder.embedding_size", json!(3)).unwrap();
    config
        .set(
            "input_features.trainer.preprocessing.normalization",
            json!("robust"),
        )
        .unwrap();
    assert_eq!(
        config.value()["input_features"][1]["encoder"],
        json!({"embedding_size": 3})
    );
    assert_eq!(
        config.value()["input_features"][2]["preprocessing"],
        json!({"normalization": "robust"})
    );
}

#[test]
fn a_change_is_checked_and_undone_when_it_does_not_hold() {
    let mut config = small("trainer:\n  epochs: 7\n");
    let before = config.clone();
    let errors = config.set("trainer.epochs", json!(-1)).unwrap_err();
    assert_eq!(
        lines(&errors),
        "test.yaml:10: trainer.epochs: expected a whole number from 1, found -1; hint: the default is 100"
    );
    let errors = config.set("trainer.epoch", json!(1)).unwrap_err();
    assert_eq!(
        lines(&errors),
        "test.yaml:9: trainer.epoch: no key stands at \"trainer.epoch\"; hint: did you mean \"epochs\"?"
    );
    let errors = config.set("age.encoder.size", json!(1)).unwrap_err();
    assert_eq!(errors[0].line, Some(2), "the line of the feature");
    assert_eq!(config, before);
}

#[test]
fn another_type_takes_the_keys_of_the_old_one_away() {
    let mut config = small("combiner: {type: concat, num_fc_layers: 2, residual: true}\n");
    config.set("combiner.type", json!("realmlp")).unwrap();
    assert_eq!(
        config.value()["combiner"],
        json!({"type": "realmlp", "num_fc_layers": 2})
    );
    let errors = config.set("combiner.residual", json!(true)).unwrap_err();
    assert_eq!(errors[0].hint(), Some("set the type first"));
}

#[test]
fn an_assignment_makes_a_concrete_config() {
    let config = small(
        "trainer: {epochs: 7}\nhyperopt: {parameters: {trainer.learning_rate: {space: uniform, lower: 0.1, upper: 1}}}\n",
    );
    let trial = config
        .with(&assignment(&[
            ("trainer.learning_rate", json!(0.5)),
            ("age.preprocessing.normalization", json!("robust")),
        ]))
        .unwrap();
    assert_eq!(trial.get("hyperopt"), None);
    assert_eq!(
        trial.value()["trainer"],
        json!({"epochs": 7, "learning_rate": 0.5})
    );
    assert_eq!(
        trial.get("age.preprocessing.normalization"),
        Some(&json!("robust"))
    );
    assert_eq!(config.concrete().value()["trainer"], json!({"epochs": 7}));
}

#[test]
fn values_for_types_that_are_not_chosen_are_left_out() {
    let config = small("combiner: {type: concat}\n");
    let both = |kind: &str| {
        assignment(&[
            ("combiner.type", json!(kind)),
            ("combiner.residual", json!(true)),
            ("combiner.scale_lr_factor", json!(3.0)),
            (
                "job.encoder.type",
                json!(if kind == "concat" { "onehot" } else { "dense" }),
            ),
            ("job.encoder.embedding_size", json!(4)),
        ])
    };
    let concat = config.with(&both("concat")).unwrap();
    assert_eq!(
        concat.value()["combiner"],
        json!({"type": "concat", "residual": true})
    );
    assert_eq!(concat.get("job.encoder"), Some(&json!({"type": "onehot"})));
    let realmlp = config.with(&both("realmlp")).unwrap();
    assert_eq!(
        realmlp.value()["combiner"],
        json!({"type": "realmlp", "scale_lr_factor": 3.0})
    );
    assert_eq!(
        realmlp.get("job.encoder"),
        Some(&json!({"type": "dense", "embedding_size": 4}))
    );
}

#[test]
fn a_fragment_is_laid_over_the_config_before_single_values() {
    let config = small("combiner: {type: concat, residual: true}\ntrainer: {epochs: 3}\n");
    let fragment = json!({"combiner": {"type": "realmlp", "dropout": 0.1}, "trainer": {"batch_size": 64}, "age": {"preprocessing": {"clip": true}}});
    let trial = config
        .with(&assignment(&[
            ("combiner.dropout", json!(0.2)),
            (".", fragment),
        ]))
        .unwrap();
    assert_eq!(
        trial.value()["combiner"],
        json!({"type": "realmlp", "dropout": 0.2})
    );
    assert_eq!(
        trial.value()["trainer"],
        json!({"epochs": 3, "batch_size": 64})
    );
    assert_eq!(trial.get("age.preprocessing.clip"), Some(&json!(true)));
}

#[test]
fn merging_goes_key_by_key_and_feature_by_name() {
    let config = small("trainer: {epochs: 3, batch_size: 64}\n");
    let over = json!({
        "input_features": [{"name": "job", "encoder": {"type": "onehot"}}, {"name": "new", "type": "date"}],
        "trainer": {"epochs": 9},
    });
    let merged = config.merged(&over).unwrap();
    assert_eq!(
        merged.value()["trainer"],
        json!({"epochs": 9, "batch_size": 64})
    );
    assert_eq!(
        merged.value()["input_features"].as_array().unwrap().len(),
        3
    );
    assert_eq!(merged.get("job.encoder.type"), Some(&json!("onehot")));
    assert_eq!(merged.get("new.type"), Some(&json!("date")));
    let errors = config
        .merged(&json!({"trainer": {"epochs": "x"}}))
        .unwrap_err();
    assert_eq!(errors[0].path, "trainer.epochs");
}

#[test]
fn a_searched_path_that_is_a_key_with_dots_is_found() {
    let config = small(
        "hyperopt: {parameters: {trainer.learning_rate: {space: uniform, lower: 0.1, upper: 1}}}\n",
    );
    assert_eq!(
        config.get("hyperopt.parameters.trainer.learning_rate.lower"),
        Some(&json!(0.1))
    );
}
