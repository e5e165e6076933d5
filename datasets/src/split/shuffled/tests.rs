//! What every random split keeps: properties over generated tables, and the small cases by hand.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn shares() -> impl Strategy<Value = Shares> {
    prop_oneof![
        Just([0.7, 0.1, 0.2]),
        Just([0.8, 0.2, 0.0]),
        Just([0.5, 0.25, 0.25]),
        Just([0.9, 0.0, 0.1])
    ]
    .prop_map(|given| Shares::new(given).unwrap())
}

fn rows(n: usize) -> Vec<u32> {
    (0..).take(n).collect()
}

fn shuffled(rows: &[u32], keys: &[u32], how: Shuffle<'_>, shares: Shares, seed: u64) -> Shuffled {
    let mut units = Units::new(rows.len(), seed);
    rows.iter()
        .for_each(|&row| units.push(row, keys[row as usize]));
    units.divide(how, shares)
}

fn distinct(n: usize) -> Vec<u32> {
    (0..).take(n).collect()
}

fn stratified(classes: &[u32], given: [f64; 3]) -> [Vec<usize>; 3] {
    let keys = distinct(classes.len());
    let how = Shuffle {
        strata: Some(classes),
        classes: Some(classes),
    };
    let split = shuffled(
        &rows(classes.len()),
        &keys,
        how,
        Shares::new(given).unwrap(),
        3,
    )
    .parts;
    let n_classes = classes.iter().max().map_or(0, |&c| c as usize + 1);
    Part::ALL.map(|part| {
        let mut counts = vec![0; n_classes];
        split
            .part(part)
            .iter()
            .for_each(|&row| counts[classes[row as usize] as usize] += 1);
        counts
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn parts_are_disjoint_cover_all_rows_and_repeat_with_their_seed(n in 0_usize..300, n_keys in 1_u32..300, seed: u64, shares in shares()) {
        let keys: Vec<u32> = distinct(n).iter().map(|row| row * row % n_keys).collect();
        let how = Shuffle { strata: None, classes: None };
        let split = shuffled(&rows(n), &keys, how, shares, seed);
        let mut all: Vec<u32> = Part::ALL.iter().flat_map(|&part| split.parts.part(part).iter().copied()).collect();
        all.sort_unstable();
        prop_assert_eq!(all, rows(n));
        prop_assert_eq!(shuffled(&rows(n), &keys, how, shares, seed), split);
    }

    #[test]
    fn class_shares_are_kept_within_one_row(classes in prop::collection::vec(0_u32..5, 12..400), shares in shares(), seed: u64) {
        let keys = distinct(classes.len());
        let how = Shuffle { strata: Some(&classes), classes: Some(&classes) };
        let parts = shuffled(&rows(classes.len()), &keys, how, shares, seed).parts;
        let whole = shares.quota(classes.len());
        for (part, total) in [(Part::Validation, whole.validation), (Part::Test, whole.test)] {
            for class in 0..5 {
                let size = classes.iter().filter(|&&c| c == class).count();
                let got = parts.part(part).iter().filter(|&&row| classes[row as usize] == class).count();
                let exact = size as f64 * total as f64 / classes.len() as f64;
                // Training keeps one row of a class, which may cost a class of two or three rows one more.
                let slack = if size < 4 { 2.0 } else { 1.0 };
                prop_assert!((got as f64 - exact).abs() <= slack, "{} of {}: {} rows for {}", class, part.name(), got, exact);
            }
        }
    }

    #[test]
    fn identical_rows_are_on_one_side(n in 60_usize..400, seed: u64, shares in shares()) {
        let keys: Vec<u32> = distinct(n).iter().map(|row| row % 50).collect();
        let classes: Vec<u32> = rows(n).iter().map(|row| row % 3).collect();
        let split = shuffled(&rows(n), &keys, Shuffle { strata: Some(&classes), classes: Some(&classes) }, shares, seed);
        prop_assume!(split.duplicates_together);
        let sides = Part::ALL.map(|part| split.parts.part(part).iter().map(|&row| keys[row as usize]).collect::<BTreeSet<_>>());
        prop_assert!(sides[0].is_disjoint(&sides[1]) && sides[0].is_disjoint(&sides[2]) && sides[1].is_disjoint(&sides[2]));
    }

    #[test]
    fn training_never_loses_a_class(classes in prop::collection::vec(0_u32..40, 1..200), n_keys in 1_u32..200, seed: u64, strata: bool) {
        let keys: Vec<u32> = distinct(classes.len()).iter().map(|row| row * 7 % n_keys).collect();
        let how = Shuffle { strata: strata.then_some(&classes[..]), classes: Some(&classes) };
        let parts = shuffled(&rows(classes.len()), &keys, how, Shares::new([0.4, 0.3, 0.3]).unwrap(), seed).parts;
        let kept: BTreeSet<u32> = parts.train.iter().map(|&row| classes[row as usize]).collect();
        prop_assert_eq!(kept, classes.iter().copied().collect::<BTreeSet<_>>());
    }
}

#[test]
fn a_class_is_in_every_part_where_it_has_the_rows() {
    let classes: Vec<u32> = [vec![0; 990], vec![1; 6], vec![2; 3], vec![3]].concat();
    let [train, validation, test] = stratified(&classes, [0.7, 0.1, 0.2]);
    assert_eq!((train[1], validation[1], test[1]), (4, 1, 1));
    assert_eq!((train[2], validation[2], test[2]), (1, 1, 1));
    assert_eq!((train[3], validation[3], test[3]), (1, 0, 0));
    assert!(
        validation.iter().sum::<usize>().abs_diff(100) <= 1
            && test.iter().sum::<usize>().abs_diff(200) <= 1
    );
}

#[test]
fn many_small_classes_still_fill_validation() {
    let classes: Vec<u32> = (0..500).flat_map(|class| [class, class]).collect();
    let [_, validation, test] = stratified(&classes, [0.7, 0.1, 0.2]);
    assert_eq!(
        (validation.iter().sum::<usize>(), test.iter().sum::<usize>()),
        (100, 200)
    );
}

#[test]
fn tiny_tables_have_defined_parts() {
    for (n, expected) in [
        (0, (0, 0, 0)),
        (1, (1, 0, 0)),
        (2, (1, 1, 0)),
        (3, (1, 1, 1)),
        (5, (3, 1, 1)),
        (16, (10, 3, 3)),
    ] {
        let keys = distinct(n);
        let how = Shuffle {
            strata: None,
            classes: None,
        };
        let parts = shuffled(
            &rows(n),
            &keys,
            how,
            Shares::new([0.7, 0.1, 0.2]).unwrap(),
            0,
        )
        .parts;
        assert_eq!(
            (parts.train.len(), parts.validation.len(), parts.test.len()),
            expected,
            "{n} rows"
        );
    }
}

#[test]
fn a_table_of_one_repeated_row_is_divided_all_the_same() {
    let how = Shuffle {
        strata: None,
        classes: None,
    };
    let split = shuffled(
        &rows(40),
        &[9; 40],
        how,
        Shares::new([0.7, 0.1, 0.2]).unwrap(),
        0,
    );
    assert!(!split.duplicates_together);
    assert_eq!(
        (split.parts.validation.len(), split.parts.test.len()),
        (4, 8)
    );
}

#[test]
fn another_seed_gives_another_split() {
    let keys = distinct(500);
    let of = |seed| {
        shuffled(
            &rows(500),
            &keys,
            Shuffle {
                strata: None,
                classes: None,
            },
            Shares::new([0.8, 0.2, 0.0]).unwrap(),
            seed,
        )
    };
    assert_ne!(of(1), of(2));
}

#[test]
fn shares_are_checked() {
    for bad in [
        [0.0, 0.5, 0.5],
        [-0.1, 0.5, 0.6],
        [f64::NAN, 0.1, 0.2],
        [f64::INFINITY, 0.1, 0.1],
    ] {
        assert!(Shares::new(bad).is_err(), "{bad:?}");
    }
    let scaled = Shares::new([7.0, 1.0, 2.0]).unwrap().to_array();
    assert!(
        scaled
            .iter()
            .zip([0.7, 0.1, 0.2])
            .all(|(a, b)| (a - b).abs() < 1e-12)
    );
}
