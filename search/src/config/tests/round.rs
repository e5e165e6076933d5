//! Reading what was written, and filling in what was filled in.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{config, lines};
use crate::config::{Comments, Config};

const FILES: &[&str] = &[
    include_str!("files/adult_tabnet.yaml"),
    include_str!("files/multimodal.yaml"),
    include_str!("files/automl.yaml"),
    include_str!("files/llm_finetune.yaml"),
    include_str!("files/gbm.yaml"),
    include_str!("files/realmlp.yaml"),
    include_str!("files/old.yaml"),
];

fn reread(text: &str) -> Config {
    let (config, warnings) =
        Config::parse(text, "again.yaml").unwrap_or_else(|e| panic!("{}\n{text}", lines(&e)));
    assert!(
        warnings.iter().all(|w| w.what == "has no effect here"),
        "{warnings:?}"
    );
    config
}

#[test]
fn a_written_config_is_read_back_equal() {
    for text in FILES {
        let config = config(text);
        assert_eq!(reread(&config.to_yaml(&Comments::new())), config);
        assert_eq!(reread(&config.to_yaml(&config.docs())), config);
    }
}

#[test]
fn a_filled_config_holds_to_the_schema_and_fills_to_itself() {
    for text in FILES {
        let filled = config(text).filled();
        assert_eq!(reread(&filled.to_yaml(&Comments::new())), filled);
        assert_eq!(filled.filled(), filled);
        let mut commented = filled.docs();
        commented.insert(String::new(), "Every default.".to_owned());
        assert_eq!(reread(&filled.to_yaml(&commented)), filled);
    }
}

#[test]
fn filling_in_keeps_every_written_value() {
    fn holds(written: &Value, filled: &Value, path: &str) {
        match (written, filled) {
            (Value::Object(a), Value::Object(b)) => {
                for (key, value) in a {
                    holds(value, &b[key], &format!("{path}.{key}"));
                }
            }
            (Value::Array(a), Value::Array(b)) => {
                assert_eq!(a.len(), b.len(), "{path}");
                a.iter().zip(b).for_each(|(a, b)| holds(a, b, path));
            }
            (a, b) => assert_eq!(a, b, "{path}"),
        }
    }
    for text in FILES {
        let config = config(text);
        holds(config.value(), config.filled().value(), "");
    }
}

#[test]
fn defaults_of_a_type_go_into_its_features() {
    let filled = config(
        "input_features:\n  - {name: a, type: number}\n  - {name: b, type: number, preprocessing: {normalization: minmax}}\n  \
         - {name: c, type: category, encoder: onehot}\noutput_features:\n  - {name: y, type: number}\n\
         defaults:\n  number: {preprocessing: {normalization: robust, clip: true}, loss: {type: huber, delta: 3}}\n  \
         category: {encoder: {type: dense, embedding_size: 4}}\n",
    )
    .filled();
    assert_eq!(
        filled.get("a.preprocessing.normalization"),
        Some(&json!("robust"))
    );
    assert_eq!(
        filled.get("b.preprocessing.normalization"),
        Some(&json!("minmax"))
    );
    assert_eq!(filled.get("b.preprocessing.clip"), Some(&json!(true)));
    assert_eq!(filled.get("c.encoder.embedding_size"), None);
    assert_eq!(filled.get("y.loss.delta"), Some(&json!(3)));
    assert_eq!(
        filled.get("y.preprocessing.normalization"),
        Some(&Value::Null)
    );
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "[ -~]{1,10}",
        "\\PC{1,8}",
        Just("yes".to_owned()),
        Just("1.0".to_owned()),
        Just("trainer".to_owned())
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_config_survives_writing_filling_and_assigning(
        names in prop::collection::btree_set(name(), 2..6),
        kinds in prop::collection::vec(prop_oneof![Just("number"), Just("category"), Just("binary"), Just("date")], 6),
        lr in 1e-9f64..10.0,
        epochs in 1u32..1000,
        dropout in 0.0f64..1.0,
        label in "\\PC{0,6}",
    ) {
        let mut features: Vec<Value> =
            names.iter().zip(&kinds).map(|(name, kind)| json!({"name": name, "type": kind})).collect();
        let target = features.pop().map(|f| json!({"name": f["name"], "type": "binary", "preprocessing": {"fallback_true_label": label}}));
        let root = json!({
            "input_features": features,
            "output_features": [target],
            "trainer": {"learning_rate": lr, "epochs": epochs},
            "combiner": {"type": "concat", "dropout": dropout, "num_fc_layers": 2},
        });
        let config = Config::from_value(&root).map_err(|e| TestCaseError::fail(lines(&e)))?;
        prop_assert_eq!(config.value(), &root);
        for config in [config.clone(), config.filled()] {
            let text = config.to_yaml(&config.docs());
            let (again, _) = Config::parse(&text, "x").map_err(|e| TestCaseError::fail(format!("{}\n{text}", lines(&e))))?;
            prop_assert_eq!(again, config);
        }
        prop_assert!(config.model().is_ok());
        prop_assert!(config.preparation().is_ok());
    }
}
