//! Lines as they are written and read, whole and broken.

use std::collections::BTreeMap;

use super::*;
use crate::error::Error;

fn report(score: f64) -> TrialMessage {
    TrialMessage::Report(Report {
        epoch: 3,
        loss: 0.25,
        score,
        scores: BTreeMap::from([
            ("log_loss".to_owned(), f64::INFINITY),
            ("roc_auc".to_owned(), score),
        ]),
        best_epoch: 2,
        best_score: 0.1 + 0.2,
        train_s: 1.5,
        eval_s: 0.5,
        n_rows: 1000,
    })
}

fn text<T: serde::Serialize>(message: &T) -> String {
    String::from_utf8(encode(message).expect("short")).expect("UTF-8")
}

#[test]
fn every_kind_of_message_is_read_as_it_was_written() {
    let scores = BTreeMap::from([("r2".to_owned(), -0.5)]);
    let messages = [
        TrialMessage::Hello {
            version: VERSION,
            pid: 7,
            trial: 1,
            attempt: 0,
        },
        TrialMessage::Started {
            n_params: 10,
            n_rows: 5,
            setup_s: 0.01,
        },
        TrialMessage::Heartbeat { step: u64::MAX },
        report(0.75),
        TrialMessage::Checkpoint { epoch: 4 },
        TrialMessage::LegEnd {
            epoch: 4,
            best_epoch: 2,
            best_score: f64::NEG_INFINITY,
            train_s: 2.0,
        },
        TrialMessage::Result(TaskResult::Probe {
            seconds_per_epoch: 0.1,
            fixed_seconds: 0.01,
            validation_seconds: 0.02,
            n_params: 3,
        }),
        TrialMessage::Result(TaskResult::Evaluate {
            scores,
            seconds: 1.0,
        }),
        TrialMessage::Failed {
            failure: FailureKind::Diverged,
            message: "loss is \"inf\"\nat step 3".to_owned(),
        },
    ];
    for message in messages {
        let line = encode(&message).expect("short");
        assert_eq!(
            line.iter().filter(|byte| **byte == b'\n').count(),
            1,
            "one line: {message:?}"
        );
        assert_eq!(
            decode::<TrialMessage>(&line).expect("our own words"),
            message
        );
    }
    for command in [Command::Continue { to: 3 }, Command::Pause, Command::Stop] {
        assert_eq!(
            decode::<Command>(&encode(&command).expect("short")).expect("our own words"),
            command
        );
    }
}

#[test]
fn what_is_not_finite_goes_as_null_with_its_kind() {
    let line = text(&report(f64::NAN));
    assert!(
        line.contains(r#""score":{"value":null,"kind":"nan"}"#),
        "{line}"
    );
    assert!(
        line.contains(r#""log_loss":{"value":null,"kind":"inf"}"#),
        "{line}"
    );
    let TrialMessage::Report(back) = decode(line.as_bytes()).expect("our own words") else {
        panic!("a report")
    };
    assert!(back.score.is_nan() && back.scores["log_loss"] > f64::MAX);
    assert!(
        (back.best_score - (0.1 + 0.2)).abs() < f64::MIN_POSITIVE,
        "floats survive to the last bit"
    );
    let null = line.replace(r#"{"value":null,"kind":"nan"}"#, "null");
    let TrialMessage::Report(back) = decode(null.as_bytes()).expect("null is NaN") else {
        panic!("a report")
    };
    assert!(back.score.is_nan());
}

#[test]
fn broken_lines_are_errors_with_a_kind_and_a_hint() {
    for line in [
        "",
        "{",
        "[]",
        "{\"kind\":\"dance\"}",
        "{\"kind\":\"heartbeat\"}",
        "{\"kind\":\"heartbeat\",\"step\":-1}",
        "\u{feff}{}",
    ] {
        let error = decode::<TrialMessage>(line.as_bytes()).expect_err(line);
        assert!(
            matches!(error, Error::Decode(_)) && !error.hint().is_empty(),
            "{error}"
        );
    }
    assert!(matches!(
        decode::<Command>(&[0xff, 0xfe, b'\n']),
        Err(Error::Decode(_))
    ));
    let long = vec![b' '; MAX_LINE_BYTES + 1];
    assert!(matches!(
        decode::<Command>(&long),
        Err(Error::LineTooLong { .. })
    ));
    let message = TrialMessage::Failed {
        failure: FailureKind::Internal,
        message: "x".repeat(MAX_LINE_BYTES),
    };
    assert!(matches!(encode(&message), Err(Error::LineTooLong { .. })));
}

#[test]
fn a_pipe_is_cut_into_lines_wherever_it_breaks() {
    let sent: Vec<TrialMessage> = (0..20)
        .map(|step| TrialMessage::Heartbeat { step })
        .collect();
    let bytes: Vec<u8> = sent
        .iter()
        .flat_map(|message| encode(message).expect("short"))
        .collect();
    for chunk in [1, 2, 7, 64, bytes.len()] {
        let (mut lines, mut read) = (Lines::default(), Vec::new());
        for part in bytes.chunks(chunk) {
            lines.push(part);
            while let Some(message) = lines.next_message::<TrialMessage>().expect("whole lines") {
                read.push(message);
            }
        }
        assert_eq!(
            (read, lines.pending()),
            (sent.clone(), 0),
            "in chunks of {chunk}"
        );
    }
}

#[test]
fn nonsense_on_a_pipe_costs_its_line_and_no_memory() {
    let mut lines = Lines::default();
    let good = encode(&Command::Pause).expect("short");
    lines.push(b"Segmentation fault\n");
    lines.push(&good);
    assert!(lines.next_message::<Command>().is_err());
    assert_eq!(
        lines.next_message::<Command>().expect("the line behind"),
        Some(Command::Pause)
    );
    let mut n_errors = 0;
    for _ in 0..100 {
        lines.push(&vec![b'x'; MAX_LINE_BYTES]);
        n_errors += usize::from(lines.next_message::<Command>().is_err());
        assert!(lines.pending() <= 2 * MAX_LINE_BYTES);
    }
    assert_eq!(n_errors, 1, "said once");
    lines.push(b"tail\n");
    lines.push(&good);
    assert_eq!(
        lines.next_message::<Command>().expect("the line behind"),
        Some(Command::Pause)
    );
    lines.push(b"{\"kind\":\"pau");
    assert_eq!(
        (
            lines.next_message::<Command>().expect("unfinished"),
            lines.pending()
        ),
        (None, 12)
    );
}

#[test]
fn a_spec_of_another_version_is_refused_before_its_fields_are_read() {
    let task = ProbeTask {
        config: "c.yaml".into(),
        prepared: "p".into(),
        seconds: 1.0,
        epoch_rows: None,
    };
    let spec = TaskSpec::new(Task::Probe(task));
    let text = spec.to_json().expect("Unicode paths");
    assert_eq!(TaskSpec::from_json(&text).expect("our own words"), spec);
    let other = r#"{"version": 999, "tasks": []}"#;
    assert!(matches!(
        TaskSpec::from_json(other),
        Err(Error::WrongVersion {
            ours: VERSION,
            theirs: 999
        })
    ));
    let unknown = text.replace("\"threads\"", "\"treads\"");
    assert!(matches!(
        TaskSpec::from_json(&unknown),
        Err(Error::Decode(_))
    ));
}

#[test]
fn exit_codes_name_failures_and_no_two_the_same() {
    let codes: Vec<u8> = FailureKind::ALL
        .iter()
        .filter_map(|kind| kind.exit_code())
        .collect();
    assert!(
        codes
            .iter()
            .all(|code| (1..=125).contains(code) && *code != 101)
    );
    for kind in FailureKind::ALL {
        if let Some(code) = kind.exit_code() {
            assert_eq!(FailureKind::from_exit_code(i32::from(code)), kind);
            assert_eq!(codes.iter().filter(|other| **other == code).count(), 1);
        }
    }
    assert_eq!(FailureKind::from_exit_code(101), FailureKind::Crashed);
}
