//! Small tables in, verdicts out: one check per rule.

use std::fmt::Write as _;

use super::*;
use crate::profile::{Profile, ProfileOptions, profile};
use crate::source::{ReadOptions, Source};
use crate::table::{IngestOptions, Table};
use crate::{Error, Kind, Result, What};

/// A table of `n` rows: each column is a name and a rule from the row to its text.
type Rule<'a> = (&'a str, &'a dyn Fn(usize) -> String);

fn table(n: usize, rules: &[Rule<'_>]) -> (tempfile::TempDir, Table, Profile) {
    let mut text = rules
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(",")
        + "\n";
    for row in 0..n {
        let cells: Vec<String> = rules
            .iter()
            .map(|(_, cell)| format!("\"{}\"", cell(row)))
            .collect();
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    let read = ReadOptions {
        header: Some(true),
        ..ReadOptions::default()
    };
    let source = Source::open(&path, &read).unwrap();
    let (table, _) = Table::ingest(
        &source,
        &dir.path().join("t"),
        &IngestOptions::new(1),
        &mut |_| {},
    )
    .unwrap();
    let seen = profile(&table, &ProfileOptions { threads: 2 });
    (dir, table, seen)
}

fn inferred(n: usize, rules: &[Rule<'_>], options: &InferOptions) -> Result<Inference> {
    let (_dir, table, seen) = table(n, rules);
    infer(&seen, &table, options)
}

fn target(name: &str) -> InferOptions {
    InferOptions {
        target: Some(name.to_owned()),
        need_target: true,
        ..InferOptions::default()
    }
}

/// Steps through values without a period that matters.
fn step(row: usize, n: usize) -> usize {
    row * 7_919 % n
}

const WORDS: [&str; 12] = [
    "red", "soft", "dress", "fits", "well", "too", "small", "love", "it", "cheap", "fabric",
    "again",
];

/// A sentence of its own for each row.
fn sentence(row: usize) -> String {
    (0..8)
        .map(|word| WORDS[(row / 3usize.pow(word) + row * (word as usize + 1)) % WORDS.len()])
        .collect::<Vec<_>>()
        .join(" ")
        + &format!(" {row}")
}

/// The verdict on a column `x` of 200 rows, with a binary target beside it.
#[track_caller]
fn check(name: &str, cell: &dyn Fn(usize) -> String, expected: &str) {
    let rules: [Rule<'_>; 3] = [
        (name, cell),
        ("other", &|row| (row % 17).to_string()),
        ("y", &|row| (row * row % 7 % 2).to_string()),
    ];
    let inference = inferred(200, &rules, &target("y")).unwrap();
    let verdict = &inference.columns[0];
    let role = match &verdict.role {
        Role::Input => "input".to_owned(),
        Role::Target => "target".to_owned(),
        Role::LeftOut { why } => format!("left out ({})", why.in_words()),
    };
    let second = verdict.second.map_or("nothing else", Kind::name);
    assert_eq!(
        format!("{} or {second}, {role}: {}", verdict.kind, verdict.evidence),
        expected
    );
}

#[test]
fn numbers_are_numbers_and_names_alone_make_codes_of_them() {
    check(
        "x",
        &|row| format!("{}.5", step(row, 200)),
        "number or nothing else, input: numbers 0.5 to 199.5, 200 different",
    );
    check(
        "rooms",
        &|row| (row % 9).to_string(),
        "number or category, input: whole numbers 0 to 8, 9 different",
    );
    check(
        "rooms",
        &|row| format!("{}.0", row % 9),
        "number or category, input: whole numbers 0 to 8, 9 different",
    );
    check(
        "shop_type",
        &|row| (row % 9 * 11).to_string(),
        "category or number, input: whole numbers 0 to 88, 9 different; its name says \"type\", so they are taken for codes",
    );
    check(
        "zip",
        &|row| format!("0{}", 2100 + row % 40),
        "category or number, input: whole numbers with leading zeros are codes: 40 different in 200 rows, 1.0 words a row",
    );
}

#[test]
fn two_values_of_any_sort_are_binary() {
    check(
        "x",
        &|row| ["1.0", "0", "1", "0.0"][row % 4].to_owned(),
        "binary or number, input: two values, \"0\" and \"1\"",
    );
    check(
        "x",
        &|row| ["-1", "1"][row % 2].to_owned(),
        "binary or number, input: two values, \"-1\" and \"1\"",
    );
    check(
        "x",
        &|row| ["human", "bot"][row % 2].to_owned(),
        "binary or category, input: two values, \"bot\" and \"human\"",
    );
    check(
        "x",
        &|row| ["x", ""][row % 2].to_owned(),
        "category or nothing else, input: \"x\" or nothing: 100 rows have no value",
    );
}

#[test]
fn identifiers_constants_and_empty_columns_are_left_out() {
    let id = "left out (an identifier: every row has its own value)";
    check(
        "n",
        &|row| (row + 1).to_string(),
        &format!(
            "number or nothing else, {id}: whole numbers 1 to 200, 200 different: a running number, one a row"
        ),
    );
    check(
        "userId",
        &|row| (step(row, 200) * 3).to_string(),
        &format!(
            "number or nothing else, {id}: whole numbers 0 to 597, 200 different: one a row, and its name says \"id\""
        ),
    );
    check(
        "k",
        &|row| format!("{:04x}-{row:04}", step(row, 65_536)),
        &format!(
            "category or text, {id}: keys of one length, one a row: 200 different in 200 rows, 1.0 words a row"
        ),
    );
    // Unique numbers without the name of a key, and years, are numbers.
    check(
        "humid",
        &|row| (step(row, 200) * 3).to_string(),
        "number or nothing else, input: whole numbers 0 to 597, 200 different",
    );
    check(
        "year",
        &|row| (1820 + row).to_string(),
        "number or nothing else, input: whole numbers 1820 to 2019, 200 different",
    );
    check(
        "x",
        &|_| "5".to_owned(),
        "category or nothing else, left out (one value in every row): every row holds \"5\"",
    );
    check(
        "x",
        &|_| String::new(),
        "category or nothing else, left out (no value in any row): no row has a value",
    );
}

#[test]
fn words_are_categories_when_they_come_back_and_text_when_they_do_not() {
    check(
        "x",
        &|row| format!("X{}", row % 9),
        "category or text, input: 9 different in 200 rows, 1.0 words a row",
    );
    check(
        "pay",
        &|row| {
            [
                "Bank transfer (automatic)",
                "Credit card (automatic)",
                "Mailed check",
            ][row % 3]
                .to_owned()
        },
        "category or text, input: 3 different in 200 rows, 2.7 words a row",
    );
    check(
        "x",
        &sentence,
        "text or category, input: 200 different in 200 rows, 9.0 words a row: mostly its own words in each row",
    );
    // The first values are numbers, the rest words: the whole column is looked at.
    check(
        "x",
        &|row| {
            if row < 150 {
                (row % 30).to_string()
            } else {
                format!("V{}", row % 30)
            }
        },
        "category or number, input: 60 different in 200 rows, 1.0 words a row",
    );
}

#[test]
fn dates_need_one_strict_format_for_nearly_all_values() {
    check(
        "x",
        &|row| format!("2020-{:02}-{:02}", row / 20 + 1, row % 20 + 1),
        "date or category, input: %Y-%m-%d reads 100 % of the values, from 2020-01-01 00:00:00 to 2020-10-20 00:00:00",
    );
    check(
        "x",
        &|row| format!("2020.{:02}", row % 12 + 1),
        "number or nothing else, input: numbers 2020.01 to 2020.12, 12 different",
    );
    let mixed = |row: usize| {
        if row.is_multiple_of(10) {
            "soon".to_owned()
        } else {
            format!("{}/{}/2020", row % 12 + 1, row % 20 + 1)
        }
    };
    check(
        "x",
        &mixed,
        "category or date, input: 55 different in 200 rows, 1.0 words a row",
    );
}

#[test]
fn the_user_overrules_and_misspelt_names_are_refused() {
    let rules: [Rule<'_>; 4] = [
        ("id", &|row| row.to_string()),
        ("code", &|row| (row % 5).to_string()),
        ("word", &|row| format!("w{}", row % 5)),
        ("y", &|row| (row % 3 % 2).to_string()),
    ];
    let with = |types: &[(&str, Kind)], ignore: &[&str]| {
        let types = types
            .iter()
            .map(|(name, kind)| ((*name).to_owned(), *kind))
            .collect();
        let ignore = ignore.iter().map(|name| (*name).to_owned()).collect();
        inferred(
            120,
            &rules,
            &InferOptions {
                types,
                ignore,
                ..target("y")
            },
        )
    };
    let inference = with(&[("id", Kind::Number), ("code", Kind::Number)], &["word"]).unwrap();
    assert_eq!(
        inference
            .inputs()
            .map(|verdict| (verdict.name.as_str(), verdict.kind))
            .collect::<Vec<_>>(),
        [("id", Kind::Number), ("code", Kind::Number)]
    );
    assert_eq!(inference.columns[1].second, Some(Kind::Category));
    assert_eq!(
        inference.columns[2].role,
        Role::LeftOut {
            why: LeftOut::Asked
        }
    );
    let error = with(&[], &["wrod"]).unwrap_err();
    assert_eq!(error.hint().as_deref(), Some("did you mean \"word\"?"));
    let error = with(&[("word", Kind::Number)], &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column \"word\" cannot be of type number: none of its values is a number, such as \"w0\""
    );
    assert!(matches!(
        with(&[("code", Kind::Binary)], &[]),
        Err(Error::WrongKind { .. })
    ));
    assert!(matches!(
        with(&[("code", Kind::Date)], &[]),
        Err(Error::WrongKind { .. })
    ));
    let error = with(&[], &["id", "code", "word"]).unwrap_err();
    assert!(matches!(error, Error::NoInputs { .. }), "{error}");
}

#[test]
fn the_target_may_be_binary_category_or_number() {
    for (cell, kind, n_classes) in [
        (
            &(|row: usize| ["-1", "1"][row % 2].to_owned()) as &dyn Fn(usize) -> String,
            Kind::Binary,
            2,
        ),
        (
            &|row: usize| ["<=50K", ">50K", "?"][row % 3].to_owned(),
            Kind::Binary,
            2,
        ),
        (&|row: usize| (row % 7).to_string(), Kind::Category, 7),
        (
            &|row: usize| format!("kind {}", row % 30),
            Kind::Category,
            30,
        ),
        (&|row: usize| step(row, 300).to_string(), Kind::Number, 0),
        (&|row: usize| format!("{}.25", row % 4), Kind::Number, 0),
    ] {
        let rules: [Rule<'_>; 2] = [("x", &|row| format!("{}.5", step(row, 300))), ("t", cell)];
        let inference = inferred(300, &rules, &target("t")).unwrap();
        let target = inference.target.as_ref().unwrap();
        assert_eq!(
            (target.kind, target.classes.len()),
            (kind, n_classes),
            "{}",
            target.why
        );
        assert_eq!(inference.columns[1].role, Role::Target);
    }
}

#[test]
fn a_target_that_cannot_be_learned_is_refused() {
    for (n, cell, expected) in [
        (
            50,
            &(|_| "a".to_owned()) as &dyn Fn(usize) -> String,
            "the target \"t\" cannot be learned: every row that has a value holds \"a\"",
        ),
        (
            50,
            &|_| String::new(),
            "the target \"t\" cannot be learned: no row has a value",
        ),
        (
            50,
            &|row| format!("word{row}"),
            "the target \"t\" cannot be learned: 50 different texts in 50 rows are too many to be classes",
        ),
        (
            5,
            &|row| ["a", "b"][row % 2].to_owned(),
            "5 rows with a target are too few: at least 10 are needed",
        ),
    ] {
        let rules: [Rule<'_>; 2] = [("x", &|row| (row % 4).to_string()), ("t", cell)];
        assert_eq!(
            inferred(n, &rules, &target("t")).unwrap_err().to_string(),
            expected
        );
    }
}

#[test]
fn a_target_is_guessed_by_its_name_alone_and_else_asked_for() {
    let rules: [Rule<'_>; 3] = [
        ("a", &|row| (row % 4).to_string()),
        ("Label", &|row| (row % 2).to_string()),
        ("z", &|row| format!("{}.5", step(row, 100))),
    ];
    let options = InferOptions {
        need_target: true,
        ..InferOptions::default()
    };
    let inference = inferred(100, &rules, &options).unwrap();
    assert!(
        inference
            .target
            .as_ref()
            .is_some_and(|target| target.guessed && target.name == "Label")
    );
    assert!(
        inference
            .findings
            .iter()
            .any(|finding| finding.what == What::GuessedTarget)
    );
    let without: [Rule<'_>; 2] = [rules[0], rules[2]];
    let Err(Error::NoTarget { candidates }) = inferred(100, &without, &options) else {
        panic!("asked for")
    };
    assert_eq!(candidates, ["z", "a"]);
    let profile_only = inferred(100, &without, &InferOptions::default()).unwrap();
    assert_eq!((profile_only.target, profile_only.columns.len()), (None, 2));
}

#[test]
fn what_is_odd_about_a_table_is_found() {
    let rules: [Rule<'_>; 6] = [
        ("a", &|row| format!("{}.5", step(row, 300))),
        ("same", &|row| format!("{}.5", step(row, 300))),
        ("leak", &|row| {
            if row % 50 == 7 {
                "1".to_owned()
            } else {
                (row % 3 % 2 * 10).to_string()
            }
        }),
        ("big", &|row| {
            if row == 9 {
                "inf".to_owned()
            } else {
                (row % 8).to_string()
            }
        }),
        ("levels", &|row| format!("l{}", row % 120)),
        ("y", &|row| {
            if row < 20 {
                String::new()
            } else {
                (row % 3 % 2).to_string()
            }
        }),
    ];
    let (_dir, table, seen) = table(300, &rules);
    let inference = infer(&seen, &table, &target("y")).unwrap();
    let found: Vec<(What, Option<&str>)> = seen
        .findings
        .iter()
        .chain(&inference.findings)
        .map(|finding| (finding.what, finding.column.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            (What::DuplicateColumn, Some("same")),
            (What::Infinite, Some("big")),
            (What::MissingTarget, Some("y")),
            (What::ManyLevels, Some("levels")),
            (What::NearCopyOfTarget, Some("leak")),
        ]
    );
    assert_eq!(
        inference.columns[1].role,
        Role::LeftOut {
            why: LeftOut::Duplicate { of: "a".to_owned() }
        }
    );
    assert_eq!(inference.target.unwrap().n_missing, 20);
}

#[test]
fn rare_classes_and_imbalance_are_found() {
    let rules: [Rule<'_>; 2] = [
        ("x", &|row| (row % 11).to_string()),
        ("t", &|row| {
            if row < 2 { "rare" } else { ["a", "b"][row % 2] }.to_owned()
        }),
    ];
    let inference = inferred(600, &rules, &target("t")).unwrap();
    let found: Vec<What> = inference
        .findings
        .iter()
        .map(|finding| finding.what)
        .collect();
    assert_eq!(found, [What::RareClass, What::Imbalance]);
    assert_eq!(
        inference.target.unwrap().classes,
        [
            ("a".to_owned(), 299),
            ("b".to_owned(), 299),
            ("rare".to_owned(), 2)
        ]
    );
}

#[test]
fn a_profile_and_its_inference_survive_json() {
    let rules: [Rule<'_>; 3] = [
        ("a", &|row| format!("{row}e300")),
        ("d", &|row| format!("2020-01-{:02}", row % 28 + 1)),
        ("y", &|row| (row % 2).to_string()),
    ];
    let (_dir, table, seen) = table(60, &rules);
    let inference = infer(&seen, &table, &target("y")).unwrap();
    let again: Profile = serde_json::from_str(&serde_json::to_string(&seen).unwrap()).unwrap();
    assert_eq!(again, seen);
    let again: Inference =
        serde_json::from_str(&serde_json::to_string(&inference).unwrap()).unwrap();
    assert_eq!(again, inference);
}
