//! Plain columns and codes, value by value.

use datasets::encode::{CategoryCoding, NumberCoding, TextCoding, TextRows};

use super::binary::Binary;
use super::category::{Category, Index, Onehot};
use super::columns::{Columns, Sheet};
use super::date;
use super::number::Numbers;
use super::text::Text;
use crate::model::arrays::Arrays;
use crate::model::layer::embedding::Bags;
use crate::model::stream::Stream;

const NONE: f32 = f32::NAN;

fn arrays<'a>(numbers: &'a [f32], categories: &'a [u32], width: usize) -> Arrays<'a> {
    Arrays {
        n_rows: (numbers.len() + categories.len()) / width,
        numbers,
        n_numbers: if numbers.is_empty() { 0 } else { width },
        categories,
        n_categories: if categories.is_empty() { 0 } else { width },
        texts: Vec::new(),
    }
}

/// What the columns write for rows, between other columns that they must leave alone.
fn written(columns: &dyn Columns, arrays: &Arrays<'_>, rows: &[u32]) -> Vec<Vec<f32>> {
    let (n, width) = (columns.width(), columns.width() + 2);
    let mut values = vec![7.0; rows.len() * width];
    columns.write(
        arrays,
        rows,
        Sheet {
            values: &mut values,
            width,
            at: 1,
        },
    );
    values
        .chunks_exact(width)
        .map(|row| {
            assert!((row[0] - 7.0).abs() < 1e-9 && (row[n + 1] - 7.0).abs() < 1e-9);
            row[1..=n].to_vec()
        })
        .collect()
}

#[test]
fn numbers_are_those_of_their_codings_with_indicators_behind() {
    let plain = NumberCoding {
        fill: 3.0,
        log1p: false,
        center: 1.0,
        factor: 2.0,
        clip: false,
        indicator: true,
        quantiles: Vec::new(),
    };
    let codings = [
        plain.clone(),
        NumberCoding {
            clip: true,
            indicator: false,
            ..plain.clone()
        },
        NumberCoding {
            log1p: true,
            indicator: false,
            ..plain.clone()
        },
        NumberCoding {
            quantiles: vec![0.0, 1.0, 5.0],
            ..plain
        },
    ];
    let values = [
        [1.0, 10.0, 7.0, 1.0],
        [NONE, f32::INFINITY, NONE, NONE],
        [-4.0, -100.0, 0.0, 9.0],
    ];
    let flat = values.concat();
    let arrays = arrays(&flat, &[], 4);
    let mut numbers = Numbers::default();
    for (at, coding) in codings.iter().enumerate() {
        numbers.push(at, coding);
    }
    for (row, out) in [2, 0, 1]
        .into_iter()
        .zip(written(&numbers, &arrays, &[2, 0, 1]))
    {
        let source: [f32; 4] = values[row];
        for (at, coding) in codings.iter().enumerate() {
            let expected = coding.apply(source[at]);
            assert!(
                (out[at] - expected).abs() < 1e-6,
                "row {row} column {at}: {} {expected}",
                out[at]
            );
        }
        let missing = [source[0], source[3]].map(|x| if x.is_nan() { 1.0 } else { 0.0 });
        assert_eq!(out[4..], missing, "row {row}");
    }
}

#[test]
fn a_binary_has_a_value_for_each_of_its_two_and_for_neither() {
    let arrays = arrays(&[0.0, 1.0, NONE], &[], 1);
    let column = Binary {
        at: 0,
        values: [-1.0, 1.0, 0.0],
    };
    assert_eq!(
        written(&column, &arrays, &[0, 1, 2]),
        [[-1.0], [1.0], [0.0]]
    );
}

/// Levels 1 and 3 of three are kept; 2 is rare; 4 is unseen.
fn category(missing: u32) -> Category {
    Category {
        at: 0,
        coding: CategoryCoding {
            slots: vec![0, 2, 3, 1, 3],
            n_kept: 2,
        },
        missing,
    }
}

#[test]
fn one_hot_columns_are_for_what_occurs() {
    let codes = [0, 1, 2, 3, 4];
    let arrays = arrays(&[], &codes, 1);
    let check = |occurs: [bool; 4], signed: bool, missing: u32, expected: &[&[f32]]| {
        let onehot = Onehot::new(category(missing), &occurs, signed);
        assert_eq!(
            written(&onehot, &arrays, &[0, 1, 2, 3, 4]),
            expected,
            "{occurs:?} {signed}"
        );
    };
    let (o, l) = (0.0, 1.0);
    check(
        [true; 4],
        false,
        0,
        &[
            &[l, o, o, o],
            &[o, o, l, o],
            &[o, o, o, l],
            &[o, l, o, o],
            &[o, o, o, l],
        ],
    );
    check(
        [false, true, true, false],
        false,
        0,
        &[&[o, o], &[o, l], &[o, o], &[l, o], &[o, o]],
    );
    // RealMLP: a missing value is all 0; two levels alone are one column.
    check(
        [true; 4],
        true,
        0,
        &[&[o, o, o], &[o, l, o], &[o, o, l], &[l, o, o], &[o, o, l]],
    );
    check(
        [true, true, true, false],
        true,
        0,
        &[&[o], &[-1.0], &[o], &[l], &[o]],
    );
    // A missing value that is filled by the first level.
    check(
        [false, true, true, false],
        false,
        1,
        &[&[l, o], &[o, l], &[o, o], &[l, o], &[o, o]],
    );
}

#[test]
fn a_category_is_a_code_of_weight_one() {
    let codes = [0, 1, 2, 3, 4];
    let arrays = arrays(&[], &codes, 1);
    let mut bags = Bags::default();
    category(0).fill(&arrays, &[4, 3, 0], &mut bags);
    assert_eq!((bags.codes, bags.starts), (vec![3, 1, 0], vec![0, 1, 2, 3]));
    assert_eq!(
        written(&Index(category(0)), &arrays, &[4, 3, 0]),
        [[3.0], [1.0], [0.0]]
    );
}

#[test]
fn every_part_of_a_time_has_a_code_of_its_own_and_one_for_missing() {
    let time = datasets::encode::date::parts(1_711_979_999_000_000); // 2024-04-01 13:59:59 UTC, a Monday
    let flat = [time, datasets::encode::date::MISSING].concat();
    let arrays = arrays(&flat, &[], time.len());
    let mut bags = Bags::default();
    date::fill(0, &arrays, &[0, 1], &mut bags);
    // month 1 to 12, day 1 to 31, weekday 0 to 6, hour 0 to 23, minute 0 to 59, each after a slot for missing.
    let first = [0, 13, 13 + 32, 13 + 32 + 8, 13 + 32 + 8 + 25];
    let expected = [4, first[1] + 1, first[2] + 1, first[3] + 14, first[4] + 60];
    assert_eq!(bags.codes[..5], expected);
    assert_eq!(bags.codes[5..], first);
    assert_eq!(bags.n_rows(), 2 * date::N_VECTORS);
    assert_eq!(date::n_codes(), first[4] + 61);
}

#[test]
fn in_training_some_terms_are_left_out_and_the_others_weigh_more() {
    const N: u32 = 1_000;
    let (hash, count): (Vec<u32>, Vec<f32>) = (0..N).map(|term| (term, 1.0)).unzip();
    let rows = TextRows {
        indptr: &[0, u64::from(N), u64::from(N)],
        hash: &hash,
        count: &count,
    };
    let mut arrays = arrays(&[NONE, NONE], &[], 1);
    arrays.texts = vec![rows];
    let coding = TextCoding::fit(rows, &[0, 1], 1024);
    let mut text = Text::new(0, coding.clone(), 0.25);
    let filled = |text: &mut Text, stream: Option<&mut Stream>| {
        let mut bags = Bags::default();
        text.fill(&arrays, &[0, 1, 0], &mut bags, stream);
        assert_eq!(bags.n_rows(), 3);
        bags
    };
    let all = filled(&mut text, None);
    assert_eq!(all.codes.len(), 2_000, "predictions see every term");

    let mut stream = Stream::new(1, "dropout", 1);
    let some = filled(&mut text, Some(&mut stream));
    // 1,500 of 2,000 are expected, with a deviation of 19.
    assert!(
        (1_400..1_600).contains(&some.codes.len()),
        "{}",
        some.codes.len()
    );
    assert!(
        some.codes[..some.starts[1]] != some.codes[some.starts[2]..],
        "others each time"
    );
    for (code, weight) in some.codes.iter().zip(&some.weights) {
        let full = all.weights[*code as usize];
        assert!(
            (weight * 0.75 - full).abs() < 1e-6,
            "{code}: {weight} {full}"
        );
    }

    let untouched = stream.clone().next_u64();
    let plain = filled(&mut Text::new(0, coding, 0.0), Some(&mut stream));
    assert_eq!(plain.codes, all.codes);
    assert_eq!(
        stream.next_u64(),
        untouched,
        "nothing is drawn where nothing is left out"
    );
}
