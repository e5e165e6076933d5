//! What the command line promises: one clear error for each bad input, with its exit code and what to do.

use crate::binaries::Place;

const USAGE: i32 = 2;
const DATA: i32 = 3;
const ENVIRONMENT: i32 = 4;

/// A small table that can be learned: 40 rows, two inputs, two classes.
fn good() -> String {
    let rows: String = (0..40)
        .map(|i| {
            format!(
                "{i},{},{}\n",
                ["red", "green", "blue"][i % 3],
                if i % 4 < 2 { "yes" } else { "no" }
            )
        })
        .collect();
    format!("size,colour,bought\n{rows}")
}

/// The files that the cases speak of.
fn place() -> Place {
    let place = Place::new();
    let constant: String = (0..40)
        .map(|i| format!("{i},{},same\n", i * 3 % 7))
        .collect();
    let five = "a,b,t\n1,2,x\n2,3,y\n3,4,x\n4,5,y\n5,6,x\n";
    let broken: String = (0..40)
        .map(|i| {
            if i == 20 {
                "1,2\n".to_owned()
            } else {
                format!("{i},{},x\n", i % 5)
            }
        })
        .collect();
    place
        .file("good.csv", good())
        .file("empty.csv", "")
        .file("header.csv", "a,b,c\n")
        .file("constant.csv", format!("a,b,t\n{constant}"))
        .file("five.csv", five)
        .file("broken.csv", format!("a,b,t\n{broken}"))
        .file("quote.csv", "a,b\n1,\"open\n2,3\n")
        .file("latin.csv", b"a,b\n1,caf\xe9\n2,th\xe9\n")
        .file("zip.csv", b"PK\x03\x04rest of an archive")
        .file("image.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        .file("page.csv", "<!doctype html><html><body>404</body></html>")
        .file("misspelt.yaml", "input_features:\n  - name: size\n    type: numbr\noutput_features:\n  - name: bought\n    type: binary\ntrainer:\n  epoch: 5\n")
        .file("notyaml.yaml", "input_features: [1, 2\n")
        .file("file", "in the way");
    place
}

/// Runs each case and compares its exit code and words; nothing may panic, and no case leaves a run behind.
fn check(cases: &[(&str, i32, &[&str])]) {
    let place = place();
    for (line, code, parts) in cases {
        let ended = place.run(&words(line));
        assert_eq!(ended.code, *code, "autotune {line}\n{}", ended.stderr);
        for part in *parts {
            assert!(
                ended.stderr.contains(part),
                "autotune {line}: \"{part}\" is not in\n{}",
                ended.stderr
            );
        }
        assert!(
            !ended.stderr.contains("panicked"),
            "autotune {line}\n{}",
            ended.stderr
        );
        assert!(
            ended.stderr.contains("error:"),
            "autotune {line} says no error:\n{}",
            ended.stderr
        );
        assert!(
            ended.stderr.contains("hint:")
                || ended.stderr.contains("--help")
                || ended.stderr.contains("tip:"),
            "autotune {line} says nothing to do:\n{}",
            ended.stderr
        );
        assert_eq!(
            ended.stdout, "",
            "autotune {line} writes data with its error"
        );
    }
    let left = place.run(&["list", "--json"]);
    assert_eq!(
        (left.code, left.stdout.as_str()),
        (0, ""),
        "no run is taken for a good one"
    );
}

/// The words of a command line; `'` holds words together.
fn words(line: &str) -> Vec<&str> {
    line.split('\'')
        .enumerate()
        .flat_map(|(at, part)| {
            if at % 2 == 1 {
                vec![part]
            } else {
                part.split_whitespace().collect()
            }
        })
        .collect()
}

#[test]
fn a_wrong_command_line_is_refused_with_what_to_write() {
    check(&[
        (
            "--dataset good.csv",
            USAGE,
            &["neither --budget nor --max-trials", "--budget"],
        ),
        (
            "--dataset good.csv --budget 0s",
            USAGE,
            &["--budget", "a time of nothing"],
        ),
        (
            "--dataset good.csv --budget 2x",
            USAGE,
            &["--budget", "\"x\" is not a unit of time"],
        ),
        (
            "--dataset good.csv --budget 90",
            USAGE,
            &["90 needs its unit: 90s, 90m or 90h"],
        ),
        ("--budget 5s", USAGE, &["--dataset"]),
        (
            "trian --dataset good.csv",
            USAGE,
            &["unrecognized subcommand 'trian'"],
        ),
        (
            "--dataset good.csv --budget 5s --bugdet 3s",
            USAGE,
            &["--bugdet", "--budget"],
        ),
        (
            "--dataset good.csv --budget 5s --type size=numbr",
            USAGE,
            &["numbr", "number"],
        ),
        (
            "--dataset good.csv --budget 5s --type size",
            USAGE,
            &["COLUMN=TYPE"],
        ),
        (
            "--dataset good.csv --budget 5s --metric roc_auk",
            USAGE,
            &["did you mean roc_auc"],
        ),
        (
            "--dataset good.csv --budget 5s --split datetime",
            USAGE,
            &["datetime:COLUMN"],
        ),
        (
            "--dataset good.csv --budget 5s --test good.csv --no-test",
            USAGE,
            &["--no-test"],
        ),
    ]);
}

#[test]
fn a_wrong_word_about_the_machine_is_refused_with_what_to_write() {
    check(&[
        (
            "--dataset good.csv --budget 5s --slots 0",
            USAGE,
            &["--slots 0"],
        ),
        (
            "--dataset good.csv --budget 5s --gpus 93",
            USAGE,
            &["no GPU \"93\""],
        ),
        (
            "--dataset good.csv --budget 5s --memory-limit 4",
            USAGE,
            &["4 needs its unit"],
        ),
        (
            "--dataset good.csv --budget 5s --name a/b",
            USAGE,
            &["a name is one folder"],
        ),
        (
            "--dataset good.csv --budget 5s --max-epochs 0",
            USAGE,
            &["--max-epochs"],
        ),
        (
            "--dataset good.csv --budget 5s --scheduler asher",
            USAGE,
            &["asha"],
        ),
    ]);
}

#[test]
fn what_is_not_there_is_named_with_what_is_near() {
    check(&[
        (
            "--dataset nope.csv --budget 5s",
            USAGE,
            &["no file at nope.csv"],
        ),
        (
            "--dataset adlut --budget 5s",
            USAGE,
            &["no table is named \"adlut\"", "did you mean adult?"],
        ),
        (
            "--dataset good.csv --test nope.csv --budget 5s",
            USAGE,
            &["no file at nope.csv"],
        ),
        (
            "--dataset good.csv --config nope.yaml --budget 5s",
            USAGE,
            &["nope.yaml"],
        ),
        (
            "profile --dataset nope.csv",
            USAGE,
            &["no file at nope.csv"],
        ),
        ("profile --dataset .", USAGE, &["not a file"]),
        (
            "profile --dataset good.csv --target bougth",
            USAGE,
            &["no column \"bougth\"", "did you mean \"bought\"?"],
        ),
        (
            "profile --dataset good.csv --encoding latin99",
            USAGE,
            &["latin99"],
        ),
        ("datasets describe adlut", USAGE, &["did you mean adult?"]),
        ("trials", USAGE, &["no runs in autotune-runs"]),
        ("trials nope", USAGE, &["no run nope", "autotune list"]),
        ("explain nope 3", USAGE, &["no run nope"]),
        ("export nope", USAGE, &["no run nope"]),
        (
            "predict --model nope --dataset good.csv",
            USAGE,
            &["no model and no run nope"],
        ),
        (
            "evaluate --model good.csv --dataset good.csv",
            USAGE,
            &["no model and no run good.csv"],
        ),
        ("render --config nope.yaml", USAGE, &["nope.yaml"]),
    ]);
}

#[test]
fn data_that_cannot_be_used_is_refused_with_its_place() {
    check(&[
        (
            "profile --dataset empty.csv",
            DATA,
            &["empty.csv", "is empty"],
        ),
        (
            "profile --dataset header.csv",
            DATA,
            &["header.csv", "no rows"],
        ),
        (
            "profile --dataset broken.csv",
            DATA,
            &["broken.csv:22", "expected 3 fields, saw 2"],
        ),
        (
            "profile --dataset quote.csv",
            DATA,
            &["quote.csv:2", "never closed"],
        ),
        (
            "profile --dataset latin.csv",
            DATA,
            &["latin.csv:2", "--encoding"],
        ),
        ("profile --dataset zip.csv", DATA, &["zip archive"]),
        ("profile --dataset image.csv", DATA, &["binary file"]),
        ("profile --dataset page.csv", DATA, &["web page"]),
        (
            "init --dataset constant.csv --target t",
            DATA,
            &["\"t\" cannot be learned", "same"],
        ),
        ("init --dataset five.csv --target t", DATA, &["too few"]),
        (
            "--dataset constant.csv --target t --budget 5s",
            DATA,
            &["\"t\" cannot be learned"],
        ),
        (
            "--dataset five.csv --target t --budget 5s",
            DATA,
            &["too few"],
        ),
        (
            "--dataset broken.csv --target t --budget 5s",
            DATA,
            &["broken.csv:22"],
        ),
        (
            "--dataset empty.csv --target t --budget 5s",
            DATA,
            &["is empty"],
        ),
    ]);
}

#[test]
fn a_wrong_config_is_refused_with_line_and_nearest_name() {
    check(&[
        (
            "render --config misspelt.yaml",
            USAGE,
            &["misspelt.yaml:3", "number", "misspelt.yaml:8", "epochs"],
        ),
        ("render --config notyaml.yaml", USAGE, &["notyaml.yaml"]),
        (
            "--config misspelt.yaml --dataset good.csv --budget 5s",
            USAGE,
            &["misspelt.yaml:8", "epochs"],
        ),
        (
            "train --config misspelt.yaml --dataset good.csv",
            USAGE,
            &["misspelt.yaml:8", "epochs"],
        ),
    ]);
}

#[test]
fn a_config_says_how_many_trials_run_at_once_unless_a_flag_does() {
    let place = place();
    let init = ["init", "--dataset", "good.csv", "--target", "bought"];
    let written = place.run(&[&init[..], &["--output", "many.yaml"]].concat());
    assert_eq!(written.code, 0, "{}", written.stderr);
    let path = place.path().join("many.yaml");
    let config = std::fs::read_to_string(&path).expect("the config is there");
    let many = config.replace(
        "  executor:\n",
        "  executor:\n    max_concurrent_trials: 100000\n",
    );
    assert_ne!(many, config);
    std::fs::write(&path, many).expect("the config can be written");
    let run = [
        "--config",
        "many.yaml",
        "--dataset",
        "good.csv",
        "--budget",
        "5s",
    ];
    let of_config = place.run(&run);
    assert_eq!(of_config.code, USAGE, "{}", of_config.stderr);
    assert!(
        of_config.stderr.contains("100000 trials at once"),
        "{}",
        of_config.stderr
    );
    let of_flag = place.run(&[&run[..], &["--slots", "0"]].concat());
    assert!(of_flag.stderr.contains("--slots 0"), "{}", of_flag.stderr);
}

#[test]
fn a_machine_in_the_way_is_said() {
    check(&[
        (
            "--dataset good.csv --target bought --budget 5s --output file/runs",
            ENVIRONMENT,
            &["file/runs"],
        ),
        (
            "init --dataset good.csv --target bought --output no/such/folder/config.yaml",
            ENVIRONMENT,
            &["no/such/folder"],
        ),
    ]);
    let place = place();
    let mut command = place.command(&["--dataset", "good.csv", "--budget", "5s"]);
    let ended = crate::binaries::ended(
        command
            .env("AUTOTUNE_TRIAL", "/nowhere/autotune-trial")
            .output()
            .expect("autotune starts"),
    );
    assert_eq!(ended.code, ENVIRONMENT, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("/nowhere/autotune-trial") && ended.stderr.contains("doctor"),
        "{}",
        ended.stderr
    );
}

#[test]
fn odd_data_is_worked_with_and_said() {
    let place = place();
    let rows: String = (0..40)
        .map(|i| {
            format!(
                "{i},,{},{},{}\n",
                if i == 7 { "inf" } else { "1.5" },
                i % 9,
                if i % 3 == 0 { "ja" } else { "nein" }
            )
        })
        .collect();
    place.file("odd.csv", format!("größe,leer,x,größe,ziel\n{rows}"));
    let ended = place.run(&["profile", "--dataset", "odd.csv", "--target", "ziel"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for part in ["größe", "leer", "left out", "infinite", "ziel (binary)"] {
        assert!(
            ended.stdout.contains(part),
            "\"{part}\" is not in\n{}",
            ended.stdout
        );
    }
}

#[test]
fn data_goes_to_stdout_and_talk_to_stderr() {
    let place = place();
    let profile = place.run(&["profile", "--dataset", "good.csv", "--json"]);
    assert_eq!(profile.code, 0, "{}", profile.stderr);
    let objects: Vec<serde_json::Value> = profile
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object a line"))
        .collect();
    assert_eq!(objects.last().expect("a line")["rows"], 40);
    for words in [
        &["--help"][..],
        &["--version"],
        &["run", "--help"],
        &["datasets", "list"],
        &["list"],
    ] {
        let ended = place.run(words);
        assert_eq!(ended.code, 0, "{words:?}: {}", ended.stderr);
        assert!(
            !ended.stdout.contains('\u{1b}') && !ended.stderr.contains('\u{1b}'),
            "no colours into a pipe: {words:?}"
        );
    }
}

#[test]
fn what_a_user_may_have_edited_is_never_replaced() {
    let place = place();
    let first = place.run(&[
        "init",
        "--dataset",
        "good.csv",
        "--target",
        "bought",
        "--output",
        "config.yaml",
    ]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let second = place.run(&[
        "init",
        "--dataset",
        "good.csv",
        "--target",
        "bought",
        "--output",
        "config.yaml",
    ]);
    assert_eq!(second.code, USAGE);
    assert!(
        second.stderr.contains("config.yaml is there already"),
        "{}",
        second.stderr
    );
}
