//! From a file to arrays and back: what stands in them, and what is refused.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::What;
use crate::encode::text::Terms;
use crate::encode::{InputKind, InputPlan, RowFill, Slot, TargetKind, TargetPlan};
use crate::source::{ReadOptions, Source};
use crate::split::{Shares, SplitError, TestFold};
use crate::store::Sample;
use crate::table::IngestOptions;

/// A folder with tables and what is made of them.
struct Case {
    dir: TempDir,
}

impl Case {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn table(&self, name: &str, csv: &str) -> Table {
        let path = self.dir.path().join(format!("{name}.csv"));
        fs::write(&path, csv).unwrap();
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        let columns = self.dir.path().join(name);
        Table::ingest(&source, &columns, &IngestOptions::new(1), &mut |_| {})
            .unwrap()
            .0
    }

    fn out(&self) -> std::path::PathBuf {
        self.dir.path().join("prepared")
    }

    fn build(&self, tables: Tables<'_>, recipe: &Recipe) -> Result<Outcome> {
        build(
            tables,
            recipe,
            &recipe.key(&["k"]),
            &self.out(),
            2,
            &mut |_| {},
        )
    }
}

fn alone(main: &Table) -> Tables<'_> {
    Tables {
        main,
        validation: None,
        test: None,
    }
}

fn input(name: &str, kind: InputKind) -> InputPlan {
    InputPlan {
        name: name.into(),
        column: name.into(),
        missing: RowFill::Keep,
        kind,
    }
}

fn shares(of: [f64; 3]) -> Shares {
    Shares::new(of).unwrap()
}

fn recipe(inputs: Vec<InputPlan>, target: TargetKind) -> Recipe {
    Recipe {
        inputs,
        target: TargetPlan {
            name: "y".into(),
            column: "y".into(),
            kind: target,
            true_label: None,
        },
        weight: None,
        sample: Sample::All,
        split: SplitSpec::Random {
            shares: shares([0.6, 0.2, 0.2]),
        },
        seed: 1,
    }
}

/// `n` rows of a number, a group of five, a day, and a class that is `yes` for every third row.
fn rows(n: usize) -> String {
    let row = |i: usize| {
        format!(
            "{i},g{},2024-01-{:02},{}\n",
            i % 5,
            i % 28 + 1,
            if i.is_multiple_of(3) { "yes" } else { "no" }
        )
    };
    format!("x,g,day,y\n{}", (0..n).map(row).collect::<String>())
}

fn errs(csv: &str, recipe: &Recipe) -> Error {
    let case = Case::new();
    let error = case
        .build(alone(&case.table("t", csv)), recipe)
        .unwrap_err();
    assert!(!case.out().exists(), "nothing is left behind");
    error
}

/// A table with a column of each kind, a weight and a target, all with gaps.
fn of_every_kind() -> (Case, Prepared) {
    let csv = "x,flag,when,colour,note,w,y\n\
               1.5,yes,2024-03-04,red,a fine day,1,10\n\
               ,no,,blue,,2,20\n\
               inf,yes,2024-03-05,red,Fine,1,30\n\
               -2,,2024-13-99,,day day,,40\n\
               4,no,2024-03-06,green,x,1,\n";
    let case = Case::new();
    let table = case.table("t", csv);
    let terms = Terms {
        lowercase: true,
        pairs: false,
        characters: false,
    };
    let mut recipe = recipe(
        vec![
            input("x", InputKind::Number),
            input("flag", InputKind::Binary { true_label: None }),
            input(
                "when",
                InputKind::Date {
                    format: Some("%Y-%m-%d".into()),
                },
            ),
            input("colour", InputKind::Category { lowercase: false }),
            input("note", InputKind::Text { terms }),
        ],
        TargetKind::Number,
    );
    recipe.weight = Some("w".into());
    let prepared = case.build(alone(&table), &recipe).unwrap().prepared;
    prepared.verify().unwrap();
    (case, prepared)
}

#[test]
fn every_kind_of_column_has_its_place() {
    let (_case, prepared) = of_every_kind();
    let schema = &prepared.manifest().schema;
    assert_eq!(
        (schema.n_numbers, schema.n_categories, schema.n_texts),
        (18, 1, 1)
    );
    let column = |at: usize| {
        prepared
            .numbers()
            .iter()
            .skip(at)
            .step_by(18)
            .copied()
            .collect::<Vec<_>>()
    };
    let shown = |values: Vec<f32>| format!("{values:?}");
    assert_eq!(shown(column(0)), "[1.5, NaN, NaN, -2.0, 4.0]");
    assert_eq!(shown(column(1)), "[1.0, 0.0, 1.0, NaN, 0.0]");
    assert_eq!(shown(column(3)), "[2024.0, NaN, 2024.0, NaN, 2024.0]");
    assert_eq!(shown(column(5)), "[4.0, NaN, 5.0, NaN, 6.0]");
    let Slot::Category { levels, .. } = &schema.features[3].slot else {
        panic!("a category")
    };
    let code = |level: &str| (1_u32..).zip(levels).find(|(_, l)| *l == level).unwrap().0;
    assert_eq!(
        prepared.categories(),
        [code("red"), code("blue"), code("red"), 0, code("green")]
    );
}

#[test]
fn words_targets_and_weights_have_their_place_and_gaps_are_told() {
    let (_case, prepared) = of_every_kind();
    let shown = |values: Vec<f32>| format!("{values:?}");
    let text = prepared.text(0);
    let counts: Vec<usize> = (0..5).map(|row| text.row(row).0.len()).collect();
    assert_eq!(counts, [3, 0, 1, 1, 1]);
    assert!(text.row(0).0.contains(&text.row(2).0[0]) && text.row(0).0.contains(&text.row(3).0[0]));
    assert_eq!(text.row(3).1, [2.0]);
    assert_eq!(
        shown(prepared.target().to_vec()),
        "[10.0, 20.0, 30.0, 40.0, NaN]"
    );
    assert_eq!(prepared.weights().unwrap(), [1.0, 2.0, 1.0, 0.0, 1.0]);

    let split = &prepared.manifest().split;
    assert_eq!(
        (
            split.n_train,
            split.n_validation,
            split.n_test,
            split.n_dropped
        ),
        (1, 1, 1, 2)
    );
    let found: Vec<What> = prepared
        .manifest()
        .findings
        .iter()
        .map(|finding| finding.what)
        .collect();
    assert_eq!(
        found,
        [What::MissingTarget, What::MissingWeight, What::NotADate]
    );
}

#[test]
fn a_folder_is_made_once_and_made_again_when_damaged() {
    let case = Case::new();
    let table = case.table("t", &rows(60));
    let recipe = recipe(vec![input("x", InputKind::Number)], TargetKind::Binary);
    assert!(!case.build(alone(&table), &recipe).unwrap().reused);
    assert!(case.build(alone(&table), &recipe).unwrap().reused);

    let numbers = case.out().join("numbers.bin");
    let mut bytes = fs::read(&numbers).unwrap();
    bytes[17] ^= 1;
    fs::write(&numbers, &bytes).unwrap();
    assert!(!case.build(alone(&table), &recipe).unwrap().reused);
    assert!(case.build(alone(&table), &recipe).unwrap().reused);

    let other = Recipe { seed: 2, ..recipe };
    assert!(!case.build(alone(&table), &other).unwrap().reused);
}

#[test]
fn a_folder_that_is_cut_foreign_or_of_another_version_is_refused() {
    let case = Case::new();
    let table = case.table("t", &rows(60));
    let recipe = recipe(vec![input("x", InputKind::Number)], TargetKind::Binary);
    case.build(alone(&table), &recipe).unwrap();
    let check = |file: &str, change: &dyn Fn(Vec<u8>) -> Vec<u8>, says: &str| {
        let path = case.out().join(file);
        let good = fs::read(&path).unwrap();
        fs::write(&path, change(good.clone())).unwrap();
        let error = Prepared::open(&case.out()).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        fs::write(&path, good).unwrap();
        Prepared::open(&case.out()).unwrap();
    };
    check(
        "numbers.bin",
        &|bytes| bytes[..bytes.len() - 4].to_vec(),
        "has 236 bytes, and the manifest says 240",
    );
    check(
        "numbers.bin",
        &|bytes| bytes[..bytes.len() - 3].to_vec(),
        "cut short",
    );
    check(
        "manifest.json",
        &|bytes| bytes[..bytes.len() / 2].to_vec(),
        "last line is missing",
    );
    check("manifest.json", &|_| b"{}".to_vec(), "last line is missing");
    let replace = |from: &'static str, to: &'static str| {
        move |bytes: Vec<u8>| {
            String::from_utf8(bytes)
                .unwrap()
                .replacen(from, to, 1)
                .into_bytes()
        }
    };
    check(
        "manifest.json",
        &replace("\"n_rows\": 60", "\"n_rows\": 61"),
        "not what its last line says",
    );
    check(
        "manifest.json",
        &replace("\"version\": 2", "\"version\": 9"),
        "have version 9",
    );
    fs::remove_file(case.out().join("target.bin")).unwrap();
    assert!(
        Prepared::open(&case.out())
            .unwrap_err()
            .to_string()
            .contains("missing")
    );
    assert!(
        Prepared::open(case.dir.path())
            .unwrap_err()
            .to_string()
            .contains("no prepared arrays")
    );
}

#[test]
fn concurrent_preparers_make_it_once() {
    let case = Case::new();
    let table = case.table("t", &rows(2_000));
    let recipe = recipe(vec![input("x", InputKind::Number)], TargetKind::Binary);
    let n_made = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| case.build(alone(&table), &recipe).unwrap()))
            .collect();
        all.into_iter()
            .map(|made| made.join().unwrap())
            .filter(|made| !made.reused)
            .count()
    });
    assert_eq!(n_made, 1);
}

#[test]
fn validation_and_test_tables_stand_behind_the_main_one() {
    let case = Case::new();
    let main = case.table("main", &rows(40));
    let validation = case.table(
        "validation",
        "y,x,unused\nno,100,a\nyes,101,b\n,102,c\nmaybe,103,d\n",
    );
    let test = case.table("test", "x,y\n200,yes\n");
    let mut recipe = recipe(vec![input("x", InputKind::Number)], TargetKind::Binary);
    recipe.split = SplitSpec::Random {
        shares: shares([1.0, 0.0, 0.0]),
    };
    let tables = Tables {
        main: &main,
        validation: Some(&validation),
        test: Some(&test),
    };
    let prepared = case.build(tables, &recipe).unwrap().prepared;
    assert_eq!(prepared.part(Part::Train), (0..40).collect::<Vec<_>>());
    assert_eq!(
        (prepared.part(Part::Validation), prepared.part(Part::Test)),
        (&[40, 41][..], &[44][..])
    );
    assert_eq!(
        prepared.numbers()[40..],
        [100.0, 101.0, 102.0, 103.0, 200.0]
    );
    assert_eq!(prepared.target()[40..42], [0.0, 1.0]);
    let told: Vec<String> = prepared
        .manifest()
        .findings
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "y: the table for validation: 1 row(s) have no target and are left out",
            "y: the table for validation: 1 row(s) have a target that is no class of the training table (\"maybe\") \
             and are left out",
        ]
    );
}

#[test]
fn targets_that_cannot_be_read_are_counted_and_the_first_are_named() {
    let case = Case::new();
    let main = format!("x,y\n{}", "1,2\n2,3\n3,4\n4,5\n".repeat(10));
    let main = case.table("main", &main);
    let test = case.table(
        "test",
        "x,y\n1,1\n2,low\n3,\n4,high\n5,low\n6,odd\n7,even\n",
    );
    let recipe = recipe(vec![input("x", InputKind::Number)], TargetKind::Number);
    let tables = Tables {
        test: Some(&test),
        ..alone(&main)
    };
    let prepared = case.build(tables, &recipe).unwrap().prepared;
    let told: Vec<&str> = prepared
        .manifest()
        .findings
        .iter()
        .map(|finding| finding.text.as_str())
        .collect();
    assert_eq!(
        told,
        [
            "the table for test: 1 row(s) have no target and are left out",
            "the table for test: 5 row(s) have a target that is no number (\"low\", \"high\", \"odd\", ...) and \
             are left out",
        ]
    );
}

#[test]
fn every_split_can_be_made() {
    let by = |column: &str| column.to_owned();
    let of = shares([0.6, 0.2, 0.2]);
    let specs = [
        SplitSpec::Random { shares: of },
        SplitSpec::Stratify {
            column: by("y"),
            shares: of,
        },
        SplitSpec::Datetime {
            column: by("day"),
            format: None,
            shares: of,
        },
        SplitSpec::Datetime {
            column: by("x"),
            format: None,
            shares: of,
        },
        SplitSpec::Hash {
            column: by("x"),
            shares: of,
        },
        SplitSpec::Group {
            column: by("g"),
            shares: of,
        },
        SplitSpec::Folds {
            column: by("g"),
            validation: None,
            test: TestFold::Last,
        },
    ];
    for split in specs {
        let case = Case::new();
        let table = case.table("t", &rows(200));
        let recipe = Recipe {
            split: split.clone(),
            ..recipe(vec![input("x", InputKind::Number)], TargetKind::Binary)
        };
        let prepared = case.build(alone(&table), &recipe).unwrap().prepared;
        let all: usize = Part::ALL
            .iter()
            .map(|&part| prepared.part(part).len())
            .sum();
        assert_eq!(all, 200, "{split:?}");
        assert!(
            Part::ALL
                .iter()
                .all(|&part| prepared.part(part).len() >= 20),
            "{split:?}"
        );
        assert_eq!(prepared.manifest().split.spec, split);
    }
}

#[test]
fn a_fixed_split_without_validation_takes_some_of_training() {
    let case = Case::new();
    let csv: String = (0..100)
        .map(|i| format!("{i},{},{}\n", if i < 20 { 2 } else { 0 }, i % 2))
        .collect();
    let table = case.table("t", &format!("x,s,y\n{csv}"));
    let mut recipe = recipe(vec![input("x", InputKind::Number)], TargetKind::Binary);
    recipe.split = SplitSpec::Fixed { column: "s".into() };
    let prepared = case.build(alone(&table), &recipe).unwrap().prepared;
    assert_eq!(prepared.part(Part::Test), (0..20).collect::<Vec<_>>());
    assert_eq!(
        (
            prepared.part(Part::Train).len(),
            prepared.part(Part::Validation).len()
        ),
        (64, 16)
    );
    assert_eq!(prepared.manifest().findings[0].what, What::NoValidation);
}

#[test]
fn tiny_tables_and_rare_classes_have_defined_parts() {
    let case = Case::new();
    let table = case.table("t", "x,y\n1,a\n2,b\n3,a\n4,b\n5,c\n");
    let mut recipe = recipe(vec![input("x", InputKind::Number)], TargetKind::Category);
    recipe.split = SplitSpec::Stratify {
        column: "y".into(),
        shares: shares([0.6, 0.2, 0.2]),
    };
    let prepared = case.build(alone(&table), &recipe).unwrap().prepared;
    let kept: std::collections::BTreeSet<String> = prepared
        .part(Part::Train)
        .iter()
        .map(|&row| prepared.target()[row as usize].to_string())
        .collect();
    assert_eq!(kept, ["0", "1", "2"].map(String::from).into());
    assert_eq!(
        (
            prepared.part(Part::Validation).len(),
            prepared.part(Part::Test).len()
        ),
        (1, 1)
    );
}

#[test]
fn bad_targets_groups_and_weights_are_one_clear_error() {
    let number = || vec![input("x", InputKind::Number)];
    let cases = [
        (
            errs("x,y\n1,a\n2,a\n", &recipe(number(), TargetKind::Binary)),
            "the target \"y\" cannot be learned: every row is \"a\"",
        ),
        (
            errs("x,y\n1,\n2,\n", &recipe(number(), TargetKind::Category)),
            "the target \"y\" cannot be learned: no row has a value",
        ),
        (
            errs("x,y\n1,7\n2,7\n", &recipe(number(), TargetKind::Number)),
            "the target \"y\" cannot be learned: every row is 7",
        ),
        (
            errs(
                "x,y\n1,a\n2,b\n3,c\n",
                &recipe(number(), TargetKind::Binary),
            ),
            "column \"y\" cannot be of type binary: it has 3 values",
        ),
        (
            errs("x,z\n1,a\n2,b\n", &recipe(number(), TargetKind::Binary)),
            "no column \"y\"; the columns are x, z",
        ),
        (
            errs(
                "z,y\n1,a\n2,b\n3,b\n",
                &recipe(number(), TargetKind::Binary),
            ),
            "no column \"x\"; the columns are z, y",
        ),
    ];
    for (error, expected) in cases {
        assert_eq!(error.to_string(), expected);
    }
    let grouped = Recipe {
        split: SplitSpec::Group {
            column: "g".into(),
            shares: shares([0.8, 0.2, 0.0]),
        },
        ..recipe(number(), TargetKind::Binary)
    };
    let error = errs("x,g,y\n1,a,0\n2,a,1\n3,a,0\n", &grouped);
    assert!(
        matches!(error, Error::Split(SplitError::OneValue { .. })),
        "{error}"
    );
    let hashed = Recipe {
        split: SplitSpec::Hash {
            column: "g".into(),
            shares: shares([0.7, 0.1, 0.2]),
        },
        ..recipe(number(), TargetKind::Binary)
    };
    let few: String = (0..60).map(|i| format!("{i},a,{}\n", i % 2)).collect();
    let error = errs(&format!("x,g,y\n{few}"), &hashed).to_string();
    assert!(
        error.starts_with("split column \"g\" has 1 different value(s)"),
        "{error}"
    );
    let weighted = Recipe {
        weight: Some("w".into()),
        ..recipe(number(), TargetKind::Binary)
    };
    let error = errs("x,w,y\n1,-1,0\n2,1,1\n3,1,0\n", &weighted);
    assert_eq!(
        error.to_string(),
        "column \"w\" holds 1 weight(s) below zero"
    );
}

#[test]
fn rows_are_filled_or_dropped_as_asked() {
    let case = Case::new();
    let table = case.table(
        "t",
        "f,b,d,y\n,1,1,0\n2,,,1\n,3,3,0\n5,,4,1\n,,5,0\n,,6,1\n",
    );
    let mut inputs = vec![
        input("f", InputKind::Number),
        input("b", InputKind::Number),
        input("d", InputKind::Number),
    ];
    inputs[0].missing = RowFill::Forward;
    inputs[1].missing = RowFill::Backward;
    inputs[2].missing = RowFill::Drop;
    let mut recipe = recipe(inputs, TargetKind::Binary);
    recipe.split = SplitSpec::Random {
        shares: shares([1.0, 0.0, 0.0]),
    };
    let prepared = case.build(alone(&table), &recipe).unwrap().prepared;
    let column = |at: usize| {
        prepared
            .numbers()
            .iter()
            .skip(at)
            .step_by(3)
            .copied()
            .collect::<Vec<_>>()
    };
    assert_eq!(column(0), [2.0, 2.0, 2.0, 5.0, 5.0, 5.0]);
    assert_eq!(column(1), [1.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
    assert_eq!(prepared.part(Part::Train), [0, 2, 3, 4, 5]);
}

#[test]
fn a_sample_is_drawn_and_repeats() {
    let case = Case::new();
    let table = case.table("t", &rows(300));
    let mut recipe = recipe(vec![input("x", InputKind::Number)], TargetKind::Binary);
    recipe.sample = Sample::Ratio(0.5);
    let first = case.build(alone(&table), &recipe).unwrap().prepared;
    let split = &first.manifest().split;
    assert_eq!(split.n_dropped, 150);
    fs::remove_dir_all(case.out()).unwrap();
    let second = case.build(alone(&table), &recipe).unwrap().prepared;
    assert_eq!(first.part(Part::Train), second.part(Part::Train));
}

/// A forger's manifest has the right hashes.
#[test]
fn positions_beyond_what_they_point_into_are_found_whatever_the_hashes_say() {
    let (case, prepared) = of_every_kind();
    let Slot::Category { levels, .. } = &prepared.manifest().schema.features[3].slot else {
        panic!("a category")
    };
    let n_levels = u8::try_from(levels.len()).unwrap();
    let check = |file: &str, at: usize, byte: u8, says: Option<&str>| {
        let (path, listed) = (case.out().join(file), case.out().join("manifest.json"));
        let good = [&path, &listed].map(|path| fs::read(path).unwrap());
        let mut bytes = good[0].clone();
        bytes[at] = byte;
        let mut manifest = Manifest::read(&case.out()).unwrap();
        manifest.files.get_mut(file).unwrap().xxh3 =
            format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&bytes));
        fs::write(&path, bytes).unwrap();
        fs::write(&listed, manifest.to_bytes().unwrap()).unwrap();
        let found = Prepared::open(&case.out()).unwrap().verify();
        match (found, says) {
            (Ok(()), None) => {}
            (Err(error), Some(says)) => assert!(error.to_string().contains(says), "{error}"),
            (found, says) => panic!("{file} {at}: {found:?}, not {says:?}"),
        }
        fs::write(&path, &good[0]).unwrap();
        fs::write(&listed, &good[1]).unwrap();
    };
    let first = u8::try_from(prepared.part(Part::Train)[0]).unwrap();
    check("train.idx.bin", 0, first, None);
    check("train.idx.bin", 3, 1, Some("no ascending list of rows"));
    // Row 4 has no target; it stands behind all others.
    let last = 4 * (prepared.part(Part::Train).len() - 1);
    check("train.idx.bin", last, 4, Some("a row without a target"));
    check("train.idx.bin", last, 5, Some("no ascending list of rows"));
    check("text_0.indptr.bin", 0, 1, Some("do not follow each other"));
    check("text_0.indptr.bin", 8, 9, Some("do not follow each other"));
    check("categories.bin", 0, n_levels + 1, None);
    check("categories.bin", 0, n_levels + 2, Some("no level"));
}
