//! A run that was killed is gone on with, and comes to what it would have come to.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::binaries::Place;

/// Rows enough for a few steps an epoch; the class leans on both inputs.
fn table() -> String {
    let rows: String = (0..600)
        .map(|i| {
            let (size, colour) = (i * 37 % 101, ["red", "green", "blue"][i * 7 % 3]);
            let bought = size + 20 * (i * 7 % 3) + i * 13 % 29 > 80;
            format!("{size},{colour},{}\n", if bought { "yes" } else { "no" })
        })
        .collect();
    format!("size,colour,bought\n{rows}")
}

const RUN: [&str; 13] = [
    "--dataset",
    "table.csv",
    "--target",
    "bought",
    "--max-trials",
    "3",
    "--max-epochs",
    "8",
    "--slots",
    "1",
    "--seed",
    "7",
    "--name",
];

/// Runs until an event of this trial was told, then kills the engine as the kernel would.
fn run_until(place: &Place, name: &str, event: &str, trial: u64) {
    let mut command = place.command(&["--json", "run"]);
    command.args(RUN).arg(name).stdout(Stdio::piped());
    let mut engine = command.spawn().expect("autotune starts");
    let lines = BufReader::new(engine.stdout.take().expect("a pipe")).lines();
    for line in lines.map_while(Result::ok) {
        let told: Value = serde_json::from_str(&line).expect("a line of JSON");
        if told["event"] == event && told["trial"] == trial {
            break;
        }
    }
    engine.kill().expect("it runs");
    engine.wait().expect("it is gone");
}

/// What became of each trial: number, state, epochs, score, parameters.
fn trials(place: &Place, name: &str) -> Vec<[Value; 5]> {
    let shown = place.run(&["trials", name, "--json"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    let rows = shown.stdout.lines().map(|line| {
        let row: Value = serde_json::from_str(line).expect("a line of JSON");
        ["trial", "state", "epoch", "score", "parameters"].map(|key| row[key].clone())
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by_key(|row| row[0].as_u64());
    rows
}

#[test]
fn a_killed_run_comes_to_what_it_would_have_come_to() {
    let place = Place::new();
    place.file("table.csv", table());
    let mut whole = vec!["run"];
    whole.extend(RUN);
    whole.push("whole");
    let ended = place.run(&whole);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let expected = trials(&place, "whole");
    assert_eq!(expected.len(), 4, "the baseline and three");

    for (name, event, trial) in [
        ("early", "leg_started", 0),
        ("reported", "reported", 2),
        ("between", "trial_ended", 2),
    ] {
        run_until(&place, name, event, trial);
        let resumed = place.run(&["resume", name]);
        assert_eq!(resumed.code, 0, "{name}: {}", resumed.stderr);
        assert_eq!(trials(&place, name), expected, "{name}");
        let model = place.run(&["evaluate", "--model", name, "--dataset", "table.csv"]);
        assert_eq!(model.code, 0, "{name}: {}", model.stderr);
    }

    let again = place.run(&["resume", "whole"]);
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(
        again.stderr.contains("has done all the trials"),
        "{}",
        again.stderr
    );
}
