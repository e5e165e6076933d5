//! Programs of the user's: tuned, stopped, paused and gone on with, and told apart from what they are not.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::Value;

use crate::binaries::{Ended, Place};

/// Prints (x - 3)^2 + 9 / epoch (times 100), epoch after epoch, goes on from the epoch in the folder, and stops where told.
const EPOCHS: &str = r#"#!/bin/sh
epoch=0
if [ -f "$2/epoch" ]; then epoch=$(cat "$2/epoch"); fi
echo "started at $epoch" >> "$1.starts"
while [ "$epoch" -lt "${3:-9}" ]; do
  epoch=$((epoch + 1))
  if [ -n "$2" ]; then echo $epoch > "$2/part"; mv "$2/part" "$2/epoch"; fi
  echo "{\"epoch\": $epoch, \"loss\": $(( ($1 - 3) * ($1 - 3) * 100 + 900 / epoch ))}"
done
"#;

const SPACE: &str = "metric: loss\nparameters:\n  x: {space: randint, lower: 0, upper: 12}\n";

fn place() -> Place {
    let place = Place::new();
    place
        .file("epochs.sh", EPOCHS)
        .file("space.yaml", SPACE)
        .file("grid.yaml", "metric: score\ngoal: maximize\nparameters:\n  a: {space: grid_search, values: [1, 2, 3]}\n  b: {space: grid_search, values: [\"it's\", two words]}\n");
    place
}

fn tune(place: &Place, command: &str, more: &[&str]) -> Ended {
    let words = [&["tune", "--command", command, "--name", "t"], more].concat();
    place.run(&words)
}

fn trials(place: &Place) -> Vec<Value> {
    let shown = place.run(&["trials", "t", "--json"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let lines = shown.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

#[test]
fn a_program_runs_to_its_end_and_its_last_line_counts() {
    let place = place();
    let command = r#"echo noise; echo '{"score": 99}'; printf '{"score": %s, "words": 1}\n' $(( {a} * 10 )); printf '%s\n' {b} > said-{trial}"#;
    let ended = tune(
        &place,
        command,
        &["--space", "grid.yaml", "--max-trials", "9"],
    );
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let trials = trials(&place);
    assert_eq!(trials.len(), 6, "every pair once: {trials:?}");
    assert_eq!(trials[0]["score"], 30.0, "{}", trials[0]);
    let mut said: Vec<String> = (1..=6)
        .map(|trial| fs::read_to_string(place.path().join(format!("said-{trial}"))).unwrap())
        .collect();
    said.sort();
    assert_eq!(
        (said[0].as_str(), said[5].as_str()),
        ("it's\n", "two words\n")
    );
    assert!(
        ended.stdout.contains("score (higher is better)"),
        "{}",
        ended.stdout
    );
    assert!(
        ended.stdout.contains("$(( 3 * 10 ))"),
        "the command of the best: {}",
        ended.stdout
    );
    let run = place.path().join("autotune-runs/t");
    let best = fs::read_to_string(run.join("best_config.yaml")).unwrap();
    assert!(
        best.contains("model_type: program") && best.contains("a: 3"),
        "{best}"
    );
    assert!(run.join("leaderboard.csv").is_file() && !run.join("model").exists());

    // The config of the run is enough to run it again.
    let again = place.run(&[
        "tune",
        "--config",
        "autotune-runs/t/config.yaml",
        "--max-trials",
        "2",
        "--name",
        "u",
    ]);
    assert_eq!(again.code, 0, "{}", again.stderr);
}

#[test]
fn who_falls_behind_is_stopped() {
    let place = place();
    let ended = tune(
        &place,
        "sh epochs.sh {x} ''",
        &[
            "--space",
            "space.yaml",
            "--max-epochs",
            "9",
            "--max-trials",
            "9",
            "--slots",
            "1",
        ],
    );
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let trials = trials(&place);
    let epochs = |state: &str| -> Vec<u64> {
        let of = trials.iter().filter(|trial| trial["state"] == state);
        of.map(|trial| trial["epoch"].as_u64().unwrap()).collect()
    };
    let (done, stopped) = (epochs("completed"), epochs("stopped"));
    assert!(
        !done.is_empty() && done.iter().all(|&epoch| epoch == 9),
        "{trials:?}"
    );
    assert!(
        stopped.iter().all(|&epoch| epoch < 9) && !stopped.is_empty(),
        "{trials:?}"
    );
    assert_eq!(
        trials[0]["epoch"], 9,
        "the best was trained in full: {}",
        trials[0]
    );
}

#[test]
fn who_pauses_goes_on_from_its_checkpoint() {
    let place = place();
    let ended = tune(
        &place,
        "sh epochs.sh {x} {checkpoint} {epochs}",
        &[
            "--space",
            "space.yaml",
            "--max-epochs",
            "9",
            "--max-trials",
            "9",
            "--slots",
            "1",
            "--seed",
            "3",
        ],
    );
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let trials = trials(&place);
    let best = &trials[0];
    assert_eq!(best["epoch"], 9, "{best}");
    let x = best["parameters"]["x"].as_u64().unwrap();
    let starts = fs::read_to_string(place.path().join(format!("{x}.starts"))).unwrap();
    let again = starts.lines().skip(1);
    assert!(
        again.clone().count() > 0,
        "the best was paused once at least: {starts}"
    );
    assert!(again.clone().all(|line| line != "started at 0"), "{starts}");
    let number = best["trial"].as_u64().unwrap();
    let kept = place
        .path()
        .join(format!("autotune-runs/t/trials/{number}/checkpoint/epoch"));
    assert_eq!(
        fs::read_to_string(kept).unwrap(),
        "9\n",
        "what it saved is the user's"
    );
}

#[test]
fn a_run_that_was_killed_is_gone_on_with() {
    let place = place();
    let mut command = place.command(&[
        "--json",
        "tune",
        "--command",
        "sh epochs.sh {x} {checkpoint} {epochs}",
        "--space",
        "space.yaml",
        "--max-epochs",
        "9",
        "--max-trials",
        "6",
        "--slots",
        "1",
        "--name",
        "t",
    ]);
    let mut engine = command
        .stdout(Stdio::piped())
        .spawn()
        .expect("autotune starts");
    let lines = BufReader::new(engine.stdout.take().expect("a pipe")).lines();
    for line in lines.map_while(Result::ok) {
        let told: Value = serde_json::from_str(&line).expect("a line of JSON");
        if told["event"] == "leg_started" && told["trial"] == 3 {
            break;
        }
    }
    engine.kill().expect("it runs");
    engine.wait().expect("it is gone");
    let resumed = place.run(&["resume", "t"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(trials(&place).len(), 6);
}

#[test]
fn the_examples_are_tuned() {
    let place = place();
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for name in ["train.py", "space.yaml", "compress.sh", "compress.yaml"] {
        fs::copy(examples.join(name), place.path().join(name)).unwrap();
    }
    let train = "python3 train.py {lr} {momentum} {epochs} {checkpoint}";
    let words = [
        "--space",
        "space.yaml",
        "--max-epochs",
        "9",
        "--max-trials",
        "4",
        "--seed",
        "5",
    ];
    let ended = tune(&place, train, &words);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(
        trials(&place)[0]["score"].as_f64().unwrap() < 10.0,
        "{}",
        ended.stdout
    );
    let compress = [
        "tune",
        "--command",
        "sh compress.sh {level} train.py",
        "--space",
        "compress.yaml",
        "--max-trials",
        "9",
        "--name",
        "c",
    ];
    let ended = place.run(&compress);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(
        ended.stdout.contains("bytes (lower is better)"),
        "{}",
        ended.stdout
    );
}

#[test]
fn who_runs_trials_alone_asks_and_tells() {
    let place = place();
    let mut study = place
        .command(&["ask-tell", "--space", "space.yaml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("autotune starts");
    let mut asks = study.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(study.stdout.take().expect("a pipe")).lines();
    for trial in 1..=10 {
        writeln!(asks, "{{\"ask\": 1}}").unwrap();
        let asked: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        let x = asked["trials"][0]["parameters"]["x"].as_f64().unwrap();
        writeln!(
            asks,
            "{{\"tell\": {{\"trial\": {trial}, \"score\": {}}}}}",
            (x - 3.0).abs()
        )
        .unwrap();
        assert_eq!(
            answers.next().unwrap().unwrap(),
            format!("{{\"told\":{trial}}}")
        );
    }
    writeln!(asks, "{{\"best\": true}}").unwrap();
    let best: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
    assert!(best["best"]["score"].as_f64().unwrap() <= 1.0, "{best}");
    drop(asks);
    assert!(study.wait().unwrap().success());
}

#[test]
fn what_goes_wrong_is_said() {
    let place = place();
    let failing = "echo 'no such optimizer' >&2; exit 3 # {x}";
    let ended = tune(
        &place,
        failing,
        &["--space", "space.yaml", "--max-trials", "2"],
    );
    assert_eq!(ended.code, 5, "{}", ended.stderr);
    assert!(
        ended.stdout.contains("exit code 3: no such optimizer"),
        "{}",
        ended.stdout
    );
    let silent = place.run(&[
        "tune",
        "--command",
        "true {x}",
        "--space",
        "space.yaml",
        "--max-trials",
        "2",
        "--name",
        "s",
    ]);
    assert!(
        silent
            .stdout
            .contains("without a line of JSON that has \"loss\""),
        "{}",
        silent.stdout
    );
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    let place = place();
    let cases: [(&[&str], &str); 8] = [
        (
            &["--command", "x {y}", "--space", "space.yaml"],
            "no parameter is called \"y\"",
        ),
        (
            &["--command", "x {x}", "--space", "none.yaml"],
            "no file at none.yaml",
        ),
        (&["--command", "x {x}"], "--space"),
        (&["--space", "space.yaml"], "--command"),
        (
            &[
                "--command",
                "x {x}",
                "--space",
                "space.yaml",
                "--scheduler",
                "asha-stopping",
            ],
            "--max-epochs",
        ),
        (
            &[
                "--command",
                "x {x}",
                "--space",
                "space.yaml",
                "--scheduler",
                "asha",
                "--max-epochs",
                "9",
            ],
            "{checkpoint}",
        ),
        (&["--command", "x {x}", "--space", "epochs.sh"], "epochs.sh"),
        (&["--config", "space.yaml"], "space.yaml"),
    ];
    for (words, part) in cases {
        let ended = place.run(&[&["tune", "--max-trials", "1", "--name", "bad"], words].concat());
        assert_eq!(ended.code, 2, "{words:?}\n{}", ended.stderr);
        assert!(
            ended.stderr.contains(part),
            "{words:?}: {part} is not in\n{}",
            ended.stderr
        );
        assert!(
            !place.path().join("autotune-runs/bad").exists(),
            "{words:?}"
        );
    }
}
