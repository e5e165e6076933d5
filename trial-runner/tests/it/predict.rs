//! `predict` and `evaluate` on files as users have them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output, Stdio};

use datasets::store::Prepared;
use schedulers::protocol::{Command, PredictSpec, TrialMessage};
use serde_json::{Value, json};
use trial_runner::error::Error;
use trial_runner::model::Arrays;
use trial_runner::package::Package;
use trial_runner::predict::{apply, load};
use trial_runner::train::guarded;

use crate::engine::{Launcher, binary};
use crate::tiny::{N_ROWS, Tiny, csv, linear_config, network_config};

/// A tiny table with a trained model in `NAME/model`.
fn trained(config: &str) -> (Tiny, PathBuf) {
    let tiny = Tiny::new();
    let (dir, _) = tiny.trial("1", config, 0, 2);
    let mut trial = Launcher::start().fork(&dir);
    trial.until(|message| matches!(message, TrialMessage::LegEnd { .. }));
    trial.say(Command::Pause);
    trial.end();
    (tiny, dir.join("model"))
}

/// Runs a verb on `text`; the third is the name of the output file, if any.
fn run(tiny: &Tiny, model: &Path, verb: &str, text: &str, output: Option<&str>) -> Output {
    fs::write(tiny.path("new.csv"), text).unwrap();
    let mut spec = PredictSpec::new(model.to_owned(), tiny.path("new.csv"), tiny.path("scratch"));
    spec.output = output.map(|name| tiny.path(name));
    fs::write(tiny.path("predict.json"), spec.to_json().unwrap()).unwrap();
    Process::new(binary())
        .args([verb, "--spec"])
        .arg(tiny.path("predict.json"))
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Columns of a table in another order, which is all that differs.
fn reordered(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut fields: Vec<&str> = line.split(',').collect();
        fields.reverse();
        out.push_str(&fields.join(","));
        out.push('\n');
    }
    out
}

#[test]
fn rows_keep_their_order_whatever_the_order_of_columns_and_without_a_target() {
    for config in [network_config(16), linear_config()] {
        let (tiny, model) = trained(&config);
        let predicted = stdout(&run(&tiny, &model, "predict", &csv(false), None));
        let mut lines = predicted.lines();
        assert_eq!(
            lines.next(),
            Some(
                "bought_predictions,bought_probabilities_no,bought_probabilities_yes,bought_probability"
            )
        );
        assert_eq!(lines.clone().count(), N_ROWS as usize);
        for line in lines {
            let [class, no, yes, of_class] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let (no, yes): (f32, f32) = (no.parse().unwrap(), yes.parse().unwrap());
            assert!(
                (no + yes - 1.0).abs() < 1e-6 && class == ["no", "yes"][usize::from(yes > 0.5)],
                "{line}"
            );
            assert_eq!(
                of_class.parse::<f32>().unwrap().to_bits(),
                no.max(yes).to_bits(),
                "{line}"
            );
        }
        let again = stdout(&run(
            &tiny,
            &model,
            "predict",
            &reordered(&csv(false)),
            None,
        ));
        assert_eq!(again, predicted);
        let beside_the_target = stdout(&run(&tiny, &model, "predict", &csv(true), None));
        assert_eq!(beside_the_target, predicted);
    }
}

#[test]
fn unseen_levels_empty_fields_and_a_single_row_are_predicted() {
    let (tiny, model) = trained(&network_config(16));
    let predicted = stdout(&run(
        &tiny,
        &model,
        "predict",
        "colour,age,Grösse\nmauve,,\n",
        None,
    ));
    assert_eq!(predicted.lines().count(), 2, "{predicted}");
}

#[test]
fn a_file_is_written_whole_in_the_format_of_its_name() {
    let (tiny, model) = trained(&network_config(16));
    let shown = stdout(&run(&tiny, &model, "predict", &csv(false), None));
    let nothing = stdout(&run(&tiny, &model, "predict", &csv(false), Some("out.csv")));
    assert_eq!(
        (
            nothing.as_str(),
            fs::read_to_string(tiny.path("out.csv")).unwrap()
        ),
        ("", shown)
    );
    stdout(&run(
        &tiny,
        &model,
        "predict",
        &csv(false),
        Some("out.parquet"),
    ));
    assert_eq!(fs::read(tiny.path("out.parquet")).unwrap()[..4], *b"PAR1");
}

#[test]
fn what_stands_where_the_output_should_go_is_kept() {
    let (tiny, model) = trained(&linear_config());
    fs::write(tiny.path("out.csv"), "mine").unwrap();
    for verb in ["predict", "evaluate"] {
        for (output, word) in [
            ("out.csv", "is there already"),
            ("new.csv", "is there already"),
            ("out.jsonl", "is not written as .jsonl"),
        ] {
            let refused = run(&tiny, &model, verb, &csv(true), Some(output));
            assert_eq!(refused.status.code(), Some(2));
            let said = String::from_utf8(refused.stderr).unwrap();
            assert!(said.contains(word) && said.contains("\nhint: "), "{said}");
        }
    }
    assert_eq!(fs::read_to_string(tiny.path("out.csv")).unwrap(), "mine");
    assert_eq!(fs::read_to_string(tiny.path("new.csv")).unwrap(), csv(true));
    let scored = run(&tiny, &model, "evaluate", &csv(true), Some("scored.csv"));
    assert!(stdout(&scored).contains("roc_auc"));
    let predicted = stdout(&run(&tiny, &model, "predict", &csv(true), None));
    assert_eq!(
        fs::read_to_string(tiny.path("scored.csv")).unwrap(),
        predicted
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let (tiny, model) = trained(&linear_config());
    run(&tiny, &model, "predict", &csv(false), None);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Process::new(binary())
        .args(["predict", "--spec"])
        .arg(tiny.path("predict.json"))
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

/// The output is a pipe that nobody reads, where the verb would wait for ever.
#[test]
fn a_verb_ends_with_its_caller_and_leaves_nothing() {
    let (tiny, model) = trained(&linear_config());
    let pipe = tiny.path("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let mut spec = PredictSpec::new(model, tiny.path("new.csv"), tiny.path("scratch"));
    fs::write(tiny.path("new.csv"), csv(false)).unwrap();
    spec.output = Some(pipe);
    fs::create_dir(tiny.path("own")).unwrap();
    fs::write(tiny.path("own/spec.json"), spec.to_json().unwrap()).unwrap();
    let mut child = Process::new(binary())
        .args(["predict", "--spec"])
        .arg(tiny.path("own/spec.json"))
        .arg("--until-stdin-ends")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(!tiny.path("scratch").exists() && !tiny.path("own").exists());
}

#[test]
fn missing_columns_are_one_error_with_the_nearest_names() {
    let (tiny, model) = trained(&network_config(16));
    let output = run(
        &tiny,
        &model,
        "predict",
        "Age,color\n1,red\n",
        Some("out.csv"),
    );
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    let (error, hint) = said.split_once('\n').unwrap();
    assert!(error.starts_with("error: ") && error.ends_with("lacks columns that the model reads: \"Grösse\", \"age\" (there is \"Age\"), \"colour\" (there is \"color\")"), "{error}");
    assert!(hint.starts_with("hint: add them"), "{hint}");
    assert!(!tiny.path("out.csv").exists());
}

#[test]
fn evaluate_gives_every_metric_as_json_and_wants_the_target() {
    let (tiny, model) = trained(&linear_config());
    let scored = stdout(&run(&tiny, &model, "evaluate", &csv(true), None));
    let scored: serde_json::Value = serde_json::from_str(&scored).unwrap();
    assert_eq!(scored["rows"], N_ROWS);
    assert!(
        scored["metrics"]["roc_auc"].as_f64().unwrap() > 0.8
            && scored["metrics"]["log_loss"].is_f64(),
        "{scored}"
    );
    let output = run(&tiny, &model, "evaluate", &csv(false), None);
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("\"bought\""), "{said}");
    let strange = csv(true)
        .replace(",yes", ",maybe")
        .replace(",no\n", ",perhaps\n");
    let said = String::from_utf8(run(&tiny, &model, "evaluate", &strange, None).stderr).unwrap();
    assert!(
        said.contains("no row of") && said.contains("\"bought\""),
        "{said}"
    );
}

#[test]
fn what_cannot_be_read_is_told_with_its_column() {
    let (tiny, model) = trained(&linear_config());
    let text =
        "age,Grösse,colour,bought\n30,5,red,yes\n31,tall,red,no\n32,7,blue,maybe\n33,8,green,\n";
    let output = run(&tiny, &model, "evaluate", text, None);
    assert!(stdout(&output).contains("\"rows_with_a_known_target\": 2"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("note: Grösse: 1 values (\"tall\")"), "{said}");
    assert!(
        said.contains("note: bought: 1 row(s) have a target that is no class of the training table (\"maybe\")"),
        "{said}"
    );
}

#[test]
fn a_folder_that_is_no_model_and_a_file_that_is_no_table_are_errors() {
    let (tiny, model) = trained(&linear_config());
    for (model, text, word) in [
        (tiny.path("prepared"), csv(false), "model.json"),
        (model, String::new(), "is empty"),
    ] {
        let output = run(&tiny, &model, "predict", &text, None);
        assert_eq!(output.status.code(), Some(3));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(word) && said.contains("\nhint: "), "{said}");
    }
}

/// Every number and list of a tree, by its path.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_owned()),
        Value::Array(items) => {
            found.push(path.to_owned());
            items
                .iter()
                .enumerate()
                .for_each(|(at, item)| places(item, &format!("{path}/{at}"), found));
        }
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, field)| places(field, &format!("{path}/{name}"), found)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// A folder whose hashes are right and whose numbers are not: somebody made it so.
#[test]
fn a_forged_model_is_an_error_or_predicts_and_never_panics() {
    for config in [network_config(16), linear_config()] {
        let (tiny, model) = trained(&config);
        let package = Package::read(&model).unwrap();
        let prepared = Prepared::open(&tiny.path("prepared")).unwrap();
        let arrays = Arrays::from(&prepared);
        let rows: Vec<u32> = (0..50).collect();
        let mut found = Vec::new();
        places(&package.encodings, "", &mut found);
        assert!(found.len() > 10);
        let mut panics = Vec::new();
        for place in &found {
            for forged in [
                json!(0),
                json!(7),
                json!(-1),
                json!(1_000_000),
                json!(1e300),
                json!([]),
                json!([0, 9]),
            ] {
                let mut package = package.clone();
                *package.encodings.pointer_mut(place).unwrap() = forged.clone();
                let used = guarded(|| {
                    load(&package).and_then(|mut model| apply(&mut *model, &arrays, &rows))
                });
                if let Err(error @ Error::Bug(_)) = used {
                    panics.push(format!("{place} = {forged}: {error}"));
                }
            }
        }
        assert!(panics.is_empty(), "{panics:#?}");
    }
}
