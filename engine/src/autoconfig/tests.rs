//! What is proposed for small tables, each made for one choice; and the whole file for adult.

use std::path::Path;

use datasets::registry;
use serde_json::{Value, json};

use super::*;
use crate::Exit;
use crate::fetch::{locate, silently};
use crate::look::{LookSpec, Seen, look};

fn look_at(dataset: &str, target: &str, cache: &Path) -> Seen {
    let located = locate(dataset, None, cache, &mut silently).unwrap();
    let spec = LookSpec {
        target: Some(target.to_owned()),
        need_target: true,
        ..LookSpec::new(&located, cache, 1)
    };
    look(&spec, &mut |_, _| {}).unwrap()
}

/// The proposal for a table given as CSV.
fn propose_for(csv: &str, target: &str, wishes: &Wishes) -> crate::Result<Proposal> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, csv).unwrap();
    let seen = look_at(path.to_str().unwrap(), target, folder.path());
    propose(&seen.profile, &seen.inference, wishes)
}

/// A table of `n` rows: the header, and a row for each number.
fn table(header: &str, n: usize, row: impl Fn(usize) -> String) -> String {
    (0..n).fold(format!("{header}\n"), |text, i| text + &row(i) + "\n")
}

fn classes(n: usize) -> String {
    table("size,colour,bought", n, |i| {
        format!(
            "{}.5,{},{}",
            i * 7 % 101,
            ["red", "green", "blue"][i % 3],
            if i * 5 % 7 < 3 { "yes" } else { "no" }
        )
    })
}

fn get<'a>(proposal: &'a Proposal, path: &str) -> &'a Value {
    proposal.config.get(path).unwrap_or(&Value::Null)
}

#[test]
fn the_file_for_adult_reads_well() {
    let cache = tempfile::tempdir().unwrap();
    let entry = registry::find("adult").unwrap();
    let seen = look_at("adult", entry.target, cache.path());
    let wishes = Wishes {
        dataset: "adult".to_owned(),
        budget: Some(std::time::Duration::from_secs(60)),
        ..Wishes::default()
    };
    insta::assert_snapshot!(
        propose(&seen.profile, &seen.inference, &wishes)
            .unwrap()
            .to_yaml()
    );
}

#[test]
fn what_is_written_is_read_back_and_can_be_run() {
    let proposal = propose_for(&classes(200), "bought", &Wishes::default()).unwrap();
    let (read, warnings) =
        search::config::Config::parse(&proposal.to_yaml(), "config.yaml").unwrap();
    assert_eq!(read, proposal.config);
    assert_eq!(warnings, []);
    read.model().unwrap();
    read.preparation().unwrap();
    assert!(
        !read
            .hyperopt()
            .unwrap()
            .unwrap()
            .search
            .parameters
            .is_empty()
    );
}

#[test]
fn nothing_stands_in_the_file_without_a_reason() {
    for target in ["bought", "size"] {
        let proposal = propose_for(&classes(200), target, &Wishes::default()).unwrap();
        let mut bare = Vec::new();
        walk(
            proposal.config.value(),
            "",
            false,
            &proposal.comments,
            &mut bare,
        );
        assert_eq!(bare, Vec::<String>::new());
        assert!(
            proposal
                .reasons
                .iter()
                .all(|reason| !reason.why.is_empty()
                    && reason.why == proposal.comments[&reason.path])
        );
    }
}

/// Collects the leaves that neither have a comment nor stand under one. Names need none.
fn walk(
    value: &Value,
    path: &str,
    covered: bool,
    comments: &search::config::Comments,
    bare: &mut Vec<String>,
) {
    let covered =
        covered || (comments.contains_key(path) && !path.is_empty() && path != "input_features");
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(key, _)| *key != "name") {
                let here = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                walk(value, &here, covered, comments, bare);
            }
        }
        Value::Array(items) if path.ends_with("features") => {
            for (at, item) in items.iter().enumerate() {
                walk(item, &format!("{path}[{at}]"), covered, comments, bare);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            if !covered && !path.ends_with("split.column") {
                bare.push(path.to_owned());
            }
        }
    }
}

#[test]
fn classes_are_stratified_and_numbers_are_not() {
    let proposal = propose_for(&classes(200), "bought", &Wishes::default()).unwrap();
    assert_eq!(get(&proposal, "preprocessing.split.type"), "stratify");
    assert_eq!(get(&proposal, "preprocessing.split.column"), "bought");
    assert_eq!(get(&proposal, "trainer.learning_rate"), 0.04);
    assert_eq!(get(&proposal, "combiner.activation"), "selu");
    let proposal = propose_for(&classes(200), "size", &Wishes::default()).unwrap();
    assert_eq!(get(&proposal, "preprocessing.split.type"), "random");
    assert_eq!(get(&proposal, "trainer.learning_rate"), 0.07);
    assert_eq!(get(&proposal, "combiner.activation"), "mish");
    assert_eq!(get(&proposal, "hyperopt.metric"), "root_mean_squared_error");
    assert_eq!(get(&proposal, "hyperopt.goal"), "minimize");
    assert_eq!(get(&proposal, "output_features[0].clip"), "training_range");
}

/// A record over time: one row an hour, dates in order but for every `every`-th.
fn record(every: usize) -> String {
    table("when,load", 600, |i| {
        let i = if i % every == every - 1 { i - 2 } else { i };
        format!(
            "2024-{:02}-{:02} {:02}:00:00,{}.5",
            1 + i / 24 / 28,
            1 + i / 24 % 28,
            i % 24,
            (i * i) % 97
        )
    })
}

#[test]
fn rows_in_the_order_of_a_date_are_split_by_time_with_the_reason() {
    let proposal = propose_for(&record(10_000), "load", &Wishes::default()).unwrap();
    assert_eq!(get(&proposal, "preprocessing.split.type"), "datetime");
    assert_eq!(get(&proposal, "preprocessing.split.column"), "when");
    assert_eq!(get(&proposal, "output_features[0].clip"), &Value::Null);
    let why = &proposal.comments["preprocessing.split.type"];
    assert!(
        why.contains("2024-01-01") && why.contains("--split random"),
        "{why}"
    );
    let proposal = propose_for(&record(10), "load", &Wishes::default()).unwrap();
    assert_eq!(get(&proposal, "preprocessing.split.type"), "random");
}

#[test]
fn wishes_overrule() {
    let check = |wishes: Wishes, path: &str, expected: Value| {
        let proposal = propose_for(&classes(200), "bought", &wishes).unwrap();
        assert_eq!(get(&proposal, path), &expected, "{wishes:?}");
    };
    let wish = |change: fn(&mut Wishes)| {
        let mut wishes = Wishes::default();
        change(&mut wishes);
        wishes
    };
    check(
        wish(|w| w.metric = Some("accuracy".to_owned())),
        "output_features[0].loss.label_smoothing",
        json!(0.1),
    );
    check(
        wish(|w| w.metric = Some("accuracy".to_owned())),
        "hyperopt.metric",
        json!("accuracy"),
    );
    check(
        wish(|_| {}),
        "output_features[0].loss.label_smoothing",
        json!(0.0),
    );
    check(
        wish(|w| w.split = Some("group:colour".to_owned())),
        "preprocessing.split.type",
        json!("group"),
    );
    check(
        wish(|w| w.split = Some("fixed:colour".to_owned())),
        "preprocessing.split",
        json!({ "type": "fixed", "column": "colour" }),
    );
    check(
        wish(|w| w.no_test_part = true),
        "preprocessing.split.probabilities",
        json!([0.8, 0.2, 0.0]),
    );
    check(
        wish(|w| w.validation_table = true),
        "preprocessing.split.probabilities",
        json!([0.8, 0.0, 0.2]),
    );
    check(wish(|w| w.max_epochs = Some(7)), "trainer.epochs", json!(7));
    check(
        wish(|w| w.max_trials = Some(9)),
        "hyperopt.executor.num_samples",
        json!(9),
    );
    check(
        wish(|w| w.scheduler = Some("fifo".to_owned())),
        "hyperopt.executor.scheduler",
        json!({ "type": "fifo" }),
    );
    check(
        wish(|w| w.scheduler = Some("hyperband".to_owned())),
        "hyperopt.executor.scheduler.type",
        json!("hyperband"),
    );
    check(
        wish(|w| w.scheduler = Some("median".to_owned())),
        "hyperopt.executor.scheduler.type",
        json!("median_stopping_rule"),
    );
    check(
        wish(|w| w.scheduler = Some("asha-stopping".to_owned())),
        "hyperopt.executor.scheduler.variant",
        json!("stopping"),
    );
    check(
        wish(|w| w.sampler = Some("random".to_owned())),
        "hyperopt.search_alg.type",
        json!("random"),
    );
}

#[test]
fn a_wish_that_does_not_fit_the_table_is_refused() {
    for (target, wishes, part) in [
        (
            "bought",
            Wishes {
                metric: Some("root_mean_squared_error".to_owned()),
                ..Wishes::default()
            },
            "does not fit the target bought",
        ),
        (
            "bought",
            Wishes {
                split: Some("datetime:wen".to_owned()),
                ..Wishes::default()
            },
            "no column \"wen\"",
        ),
        (
            "size",
            Wishes {
                split: Some("stratify".to_owned()),
                ..Wishes::default()
            },
            "needs classes",
        ),
    ] {
        let error = propose_for(&classes(200), target, &wishes).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(error.exit(), Exit::Usage);
        assert!(!error.hint().is_empty() || part.contains("wen"));
    }
}

#[test]
fn few_levels_are_one_hot_and_many_are_learned_vectors() {
    for (levels, encoder) in [(3, "onehot"), (8, "onehot"), (9, "dense"), (40, "dense")] {
        let csv = table("level,x,t", 400, |i| {
            format!(
                "level{},{}.5,{}",
                i % levels,
                i * 7 % 101,
                if i * 5 % 7 < 3 { "yes" } else { "no" }
            )
        });
        let proposal = propose_for(&csv, "t", &Wishes::default()).unwrap();
        assert_eq!(get(&proposal, "level.encoder.type"), encoder, "{levels}");
    }
}
