//! Lines in, reports out.

use super::*;

fn account(from: Epochs, to: Epochs, full: Epochs) -> Account {
    Account::new("loss", Direction::Minimise, (from, to, full), true, None)
}

/// (epoch, score, best epoch, best score) of each report.
fn told(account: &mut Account, lines: &[&str]) -> Vec<(Epochs, f64, Epochs, f64)> {
    lines
        .iter()
        .filter_map(|line| account.line(line, 1.0))
        .map(|report| {
            (
                report.epoch,
                report.score,
                report.best_epoch,
                report.best_score,
            )
        })
        .collect()
}

#[test]
fn lines_with_the_metric_are_reports_and_all_others_are_not() {
    let lines = [
        "starting",
        "{\"loss\": 0.5}",
        "{\"accuracy\": 0.5}",
        "{\"loss\": \"low\"}",
        "{\"loss\": 0.4, \"accuracy\": 0.9}",
        "  {\"loss\": 0.6}  ",
        "{\"loss\": 0.1",
        "[0.1]",
    ];
    assert_eq!(
        told(&mut account(0, 9, 9), &lines),
        [(1, 0.5, 1, 0.5), (2, 0.4, 2, 0.4), (3, 0.6, 2, 0.4)]
    );
}

#[test]
fn all_numbers_of_a_line_are_kept() {
    let mut account = account(0, 9, 9);
    let report = account
        .line(
            "{\"epoch\": 4, \"loss\": 0.5, \"f1\": 1, \"name\": \"x\"}",
            2.5,
        )
        .unwrap();
    assert_eq!((report.epoch, report.train_s, report.loss), (4, 2.5, 0.5));
    let expected: BTreeMap<String, f64> = [("f1".to_owned(), 1.0), ("loss".to_owned(), 0.5)].into();
    assert_eq!(report.scores, expected);
}

#[test]
fn what_is_no_number_is_read_as_python_and_javascript_write_it() {
    for (written, expected) in [
        ("NaN", f64::NAN),
        ("Infinity", f64::INFINITY),
        ("-Infinity", f64::NEG_INFINITY),
        ("null", f64::NAN),
        ("1e400", f64::INFINITY),
    ] {
        let line = format!("{{\"note\": \"a \\\"NaN\\\" \\\\\", \"loss\": {written}, \"x\": NaN}}");
        let score = account(0, 9, 9).line(&line, 0.0).map(|report| report.score);
        if written == "1e400" {
            assert_eq!(score, None, "{line}");
        } else {
            assert_eq!(
                format!("{score:?}"),
                format!("{:?}", Some(expected)),
                "{line}"
            );
        }
    }
}

#[test]
fn a_score_that_is_no_number_is_never_the_best() {
    let mut up = Account::new("f1", Direction::Maximise, (0, 9, 9), true, None);
    let lines = [
        "{\"f1\": NaN}",
        "{\"f1\": 0.2}",
        "{\"f1\": NaN}",
        "{\"f1\": 0.2}",
    ];
    let best: Vec<Epochs> = told(&mut up, &lines)
        .iter()
        .map(|report| report.2)
        .collect();
    assert_eq!(best, [1, 2, 2, 2]);
}

#[test]
fn a_leg_ends_where_it_was_to() {
    let mut account = account(0, 2, 9);
    assert_eq!(account.leg_end(), None, "nothing was reported");
    told(&mut account, &["{\"loss\": 3}"]);
    assert!(!account.is_at_end());
    told(&mut account, &["{\"loss\": 2}"]);
    assert!(account.is_at_end());
    assert_eq!(
        account.leg_end(),
        Some(TrialMessage::LegEnd {
            epoch: 2,
            best_epoch: 2,
            best_score: 2.0,
            train_s: 2.0
        })
    );
    account.go_on(4);
    assert!(!account.is_at_end());
    // Two epochs in one line: it stands where the leg was to end.
    assert_eq!(
        told(&mut account, &["{\"loss\": 1, \"epoch\": 7}"]),
        [(4, 1.0, 4, 1.0)]
    );
}

#[test]
fn one_that_goes_on_counts_on_and_one_that_begins_again_is_not_heard_twice() {
    let best = Some(Best {
        epoch: 2,
        score: 0.3,
    });
    let new = |goes_on| Account::new("loss", Direction::Minimise, (3, 9, 9), goes_on, best);
    assert_eq!(
        told(&mut new(true), &["{\"loss\": 0.5}", "{\"loss\": 0.2}"]),
        [(4, 0.5, 2, 0.3), (5, 0.2, 5, 0.2)]
    );
    let again = [
        "{\"loss\": 9, \"epoch\": 1}",
        "{\"loss\": 0.4, \"epoch\": 4}",
    ];
    assert_eq!(told(&mut new(true), &again), [(4, 0.4, 2, 0.3)]);
    let counted = [
        "{\"loss\": 9}",
        "{\"loss\": 8}",
        "{\"loss\": 7}",
        "{\"loss\": 0.4}",
    ];
    assert_eq!(told(&mut new(false), &counted), [(4, 0.4, 2, 0.3)]);
}

#[test]
fn one_that_runs_to_its_end_counts_by_its_last_line() {
    let mut account = account(0, 1, 1);
    assert_eq!(told(&mut account, &["{\"loss\": 1}", "{\"loss\": 3}"]), []);
    assert!(!account.is_at_end());
    let report = account.ended().unwrap();
    assert_eq!(
        (
            report.epoch,
            report.score,
            report.best_score,
            report.train_s
        ),
        (1, 3.0, 3.0, 2.0)
    );
    assert!(account.is_at_end());
    assert_eq!(account.ended(), None);
}
