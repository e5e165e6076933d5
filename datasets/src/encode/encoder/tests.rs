//! A new table gives the same arrays as the one a schema was fitted on, however it is laid out.

use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::encode::{InputKind, InputPlan, Target, TargetPlan};
use crate::source::{ReadOptions, Source};
use crate::table::IngestOptions;

const CSV: &str = "x,flag,day,colour,note,code,y\n\
                   1,yes,2024-03-04,red,one two,01,a\n\
                   2.5,no,2024-03-05,blue,two,1,b\n\
                   ,,,,,,a\n\
                   -4,yes,2024-03-06,red,three,2,b\n\
                   7,no,2024-03-07,red,one one,3,a\n";

fn table(csv: &str) -> (TempDir, Table) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.csv");
    fs::write(&path, csv).unwrap();
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    let table = Table::ingest(
        &source,
        &dir.path().join("t"),
        &IngestOptions::new(1),
        &mut |_| {},
    )
    .unwrap()
    .0;
    (dir, table)
}

fn encoder(table: &Table) -> Encoder {
    let input = |name: &str, kind| InputPlan {
        name: name.into(),
        column: name.into(),
        missing: RowFill::Keep,
        kind,
    };
    let inputs = [
        input("x", InputKind::Number),
        input("flag", InputKind::Binary { true_label: None }),
        input("day", InputKind::Date { format: None }),
        input("colour", InputKind::Category { lowercase: false }),
        input(
            "note",
            InputKind::Text {
                terms: Terms {
                    lowercase: true,
                    pairs: true,
                    characters: false,
                },
            },
        ),
        input("code", InputKind::Category { lowercase: false }),
    ];
    let plan = TargetPlan {
        name: "y".into(),
        column: "y".into(),
        kind: TargetKind::Binary,
        true_label: None,
    };
    let target = Target::fit(table, &plan).unwrap();
    Encoder::new(Schema::fit(table, &inputs, target, &[true; 5]).unwrap())
}

/// A block with NaN made equal to itself.
fn shown(block: &Block) -> String {
    format!("{block:?}")
}

#[test]
fn order_of_columns_and_extra_columns_are_of_no_account() {
    let (_dir, first) = table(CSV);
    let encoder = encoder(&first);
    let turned: String = CSV
        .lines()
        .map(|line| {
            let mut fields: Vec<&str> = line.split(',').collect();
            fields.reverse();
            format!(
                "{},{}\n",
                if line.starts_with('x') { "extra" } else { "9" },
                fields.join(",")
            )
        })
        .collect();
    let (_dir, second) = table(&turned);
    let of = |table| shown(&encoder.read(table, With::Target).unwrap().block(0..5));
    assert_eq!(of(&first), of(&second));
}

#[test]
fn all_missing_columns_are_in_one_error() {
    let (_dir, first) = table(CSV);
    let encoder = encoder(&first);
    let (_dir, second) = table("x,day,note,y\n1,2024-01-01,a,b\n");
    let error = encoder.read(&second, With::Inputs).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the table has no column flag, colour, code"
    );
    let (_dir, third) = table("x,flag,day,colour,note,code\n1,yes,2024-01-01,red,a,1\n");
    assert!(
        encoder
            .read(&third, With::Inputs)
            .unwrap()
            .block(0..1)
            .target
            .is_none()
    );
    assert_eq!(
        encoder
            .read(&third, With::Target)
            .err()
            .unwrap()
            .to_string(),
        "the table has no column y"
    );
}

#[test]
fn unseen_levels_have_a_code_and_what_cannot_be_read_is_missing_and_counted() {
    let (_dir, first) = table(CSV);
    let encoder = encoder(&first);
    let (_dir, new) = table(
        "x,flag,day,colour,note,code\nabc,maybe,soon,green,,9\n1,yes,2024-01-01,red,a,1\nq,no,2024-01-02,blue,a,2.0\n",
    );
    let reading = encoder.read(&new, With::Inputs).unwrap();
    let block = reading.block(0..3);
    let Slot::Category { levels, .. } = &encoder.schema().features[3].slot else {
        panic!("a category")
    };
    assert_eq!(levels, &["red", "blue"]);
    assert_eq!(
        block
            .categories
            .iter()
            .step_by(2)
            .copied()
            .collect::<Vec<_>>(),
        [3, 1, 2]
    );
    let width = encoder.schema().n_numbers;
    let column = |at: usize| {
        block
            .numbers
            .iter()
            .skip(at)
            .step_by(width)
            .copied()
            .collect::<Vec<_>>()
    };
    assert!(column(0)[0].is_nan() && column(1)[0].is_nan() && column(2)[0].is_nan());
    assert_eq!(
        (column(0)[1], column(1)[1], column(3)[2]),
        (1.0, 1.0, 2024.0)
    );
    let findings: Vec<String> = reading
        .findings()
        .iter()
        .map(|f| format!("{}: {}", f.column.as_deref().unwrap_or(""), f.text))
        .collect();
    assert_eq!(
        findings,
        [
            "x: 2 value(s) are no number; read as missing",
            "day: 1 value(s) are no date in the format of the column; read as missing"
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn blocks_of_any_size_make_the_same_arrays(cuts in prop::collection::vec(0_usize..=5, 0..4)) {
        let (_dir, table) = table(CSV);
        let encoder = encoder(&table);
        let reading = encoder.read(&table, With::Target).unwrap();
        let whole = reading.block(0..5);
        let mut borders = [cuts, vec![0, 5]].concat();
        borders.sort_unstable();
        let (mut numbers, mut categories, mut hashes, mut target) = (vec![], vec![], vec![], vec![]);
        for pair in borders.windows(2) {
            let block = reading.block(pair[0]..pair[1]);
            prop_assert_eq!(block.texts[0].indptr.len(), block.n_rows + 1);
            numbers.extend(block.numbers);
            categories.extend(block.categories);
            hashes.extend(block.texts[0].hash.clone());
            target.extend(block.target.unwrap());
        }
        prop_assert_eq!(format!("{numbers:?}"), format!("{:?}", whole.numbers));
        prop_assert_eq!(categories, whole.categories);
        prop_assert_eq!(hashes, whole.texts[0].hash.clone());
        prop_assert_eq!(target, whole.target.unwrap());
    }
}

#[test]
fn numbers_of_any_offset_and_magnitude_come_back() {
    let seconds = |row: u32| 1.6e9 + f64::from(row) / 4.0;
    let tiny = |row: u32| f64::from(row) * 1e-50;
    let csv: String = (0..40)
        .map(|row| {
            format!(
                "{},{:e},{:e}\n",
                seconds(row),
                tiny(row),
                1e308 * (f64::from(row) / 40.0)
            )
        })
        .collect();
    let (_dir, table) = table(&format!("x,z,y\n{csv}"));
    let input = |name: &str| InputPlan {
        name: name.into(),
        column: name.into(),
        missing: RowFill::Keep,
        kind: InputKind::Number,
    };
    let plan = TargetPlan {
        name: "y".into(),
        column: "y".into(),
        kind: TargetKind::Number,
        true_label: None,
    };
    let target = Target::fit(&table, &plan).unwrap();
    let schema = Schema::fit(&table, &[input("x"), input("z")], target, &[true; 40]).unwrap();
    let recodes: Vec<_> = schema
        .features
        .iter()
        .map(|f| f.slot.recode().unwrap())
        .collect();
    let of_target = schema.target.recode.unwrap();
    let encoder = Encoder::new(schema);
    let block = encoder.read(&table, With::Target).unwrap().block(0..40);
    let target = block.target.unwrap();
    for row in 0..40 {
        let at = row as usize;
        let back = |slot: usize| recodes[slot].restore(f64::from(block.numbers[at * 2 + slot]));
        assert!((back(0) - seconds(row)).abs() < 1e-4, "{row}");
        assert!((back(1) - tiny(row)).abs() < 1e-54, "{row}");
        let y = 1e308 * (f64::from(row) / 40.0);
        let back = of_target.restore(f64::from(target[at]));
        assert!(
            (back / 1e308 - y / 1e308).abs() < 1e-6,
            "{row}: {back} of {y}, {of_target:?}"
        );
    }
}
