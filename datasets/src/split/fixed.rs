//! By a column that says it: the part of each row, or the fold.

use super::{Part, Parts, SplitError, TestFold};

/// Divides `rows` by labels: 0, 1, 2 as in Ludwig, or words for training, validation and test.
///
/// `label` gives the text of a row, `None` where it is missing. Every row of `rows` needs a label.
pub fn by_label<'a>(
    column: &str,
    label: impl Fn(u32) -> Option<&'a str>,
    rows: &[u32],
) -> Result<Parts, SplitError> {
    let mut strange: Option<&str> = None;
    let mut n_rows = 0;
    let parts = Parts::assign(rows, |row| {
        let text = label(row).unwrap_or_default();
        part_of(text).unwrap_or_else(|| {
            n_rows += 1;
            strange = Some(strange.map_or(text, |known| known.min(text)));
            Part::Train
        })
    });
    match strange {
        Some(value) => Err(SplitError::Label {
            column: column.into(),
            value: value.into(),
            n_rows,
        }),
        None => Ok(parts),
    }
}

fn part_of(label: &str) -> Option<Part> {
    match label.trim().to_ascii_lowercase().as_str() {
        "0" | "0.0" | "train" | "training" => Some(Part::Train),
        "1" | "1.0" | "validation" | "valid" | "val" | "dev" => Some(Part::Validation),
        "2" | "2.0" | "test" | "testing" => Some(Part::Test),
        _ => None,
    }
}

/// Divides `rows` by folds: one validates, one may be the test, all others and rows without a fold train.
///
/// Folds stand in the order of numbers where all are numbers, else of text.
pub fn by_fold<'a>(
    column: &str,
    fold: impl Fn(u32) -> Option<&'a str>,
    rows: &[u32],
    validation: Option<&str>,
    test: &TestFold,
) -> Result<Parts, SplitError> {
    let mut folds: Vec<&str> = rows.iter().filter_map(|&row| fold(row)).collect();
    folds.sort_unstable();
    folds.dedup();
    if folds.iter().all(|fold| fold.parse::<f64>().is_ok()) {
        folds.sort_by(|a, b| {
            f64::total_cmp(
                &a.parse().unwrap_or(f64::NAN),
                &b.parse().unwrap_or(f64::NAN),
            )
        });
    }
    let last_but = |other: Option<&str>| {
        folds
            .iter()
            .rev()
            .copied()
            .find(|&fold| Some(fold) != other)
    };
    let test = match test {
        TestFold::None => None,
        TestFold::Last if folds.len() < 3 => None,
        TestFold::Last => last_but(validation),
        TestFold::Named(fold) => Some(fold.as_str()),
    };
    let validation = validation.or(last_but(test));
    for asked in validation.into_iter().chain(test) {
        if !folds.contains(&asked) {
            return Err(SplitError::NoFold {
                column: column.into(),
                fold: asked.into(),
            });
        }
    }
    let parts = Parts::assign(rows, |row| match fold(row) {
        Some(of) if Some(of) == test => Part::Test,
        Some(of) if Some(of) == validation => Part::Validation,
        _ => Part::Train,
    });
    if parts.train.is_empty() {
        return Err(SplitError::OneValue {
            column: column.into(),
            part: Part::Train,
        });
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDS: [Option<&str>; 6] = [
        Some("1"),
        Some("10"),
        Some("2"),
        Some("10"),
        None,
        Some("2"),
    ];

    fn folds(validation: Option<&str>, test: &TestFold) -> Result<Parts, SplitError> {
        by_fold(
            "f",
            |row| FOLDS[row as usize],
            &[0, 1, 2, 3, 4, 5],
            validation,
            test,
        )
    }

    #[test]
    fn numbers_and_words_name_parts() {
        let labels = ["0", "1", "2", "train", "Val", "TEST", "0.0"];
        let parts = by_label(
            "s",
            |row| Some(labels[row as usize]),
            &[0, 1, 2, 3, 4, 5, 6],
        )
        .unwrap();
        assert_eq!(
            (parts.train, parts.validation, parts.test),
            (vec![0, 3, 6], vec![1, 4], vec![2, 5])
        );
    }

    #[test]
    fn a_label_that_names_no_part_is_reported_with_its_count() {
        let labels = [Some("0"), Some("three"), None, Some("three")];
        let error = by_label("s", |row| labels[row as usize], &[0, 1, 3]).unwrap_err();
        assert!(matches!(error, SplitError::Label { value, n_rows: 2, .. } if value == "three"));
    }

    #[test]
    fn the_last_fold_validates_in_the_order_of_numbers() {
        let parts = folds(None, &TestFold::None).unwrap();
        assert_eq!(
            (parts.train, parts.validation, parts.test),
            (vec![0, 2, 4, 5], vec![1, 3], vec![])
        );
    }

    #[test]
    fn named_folds_validate_and_test() {
        let parts = folds(Some("1"), &TestFold::Named("10".into())).unwrap();
        assert_eq!(
            (parts.train, parts.validation, parts.test),
            (vec![2, 4, 5], vec![0], vec![1, 3])
        );
        let last = folds(None, &TestFold::Last).unwrap();
        assert_eq!((last.validation, last.test), (vec![2, 5], vec![1, 3]));
    }

    #[test]
    fn a_fold_that_is_not_there_is_an_error() {
        assert!(
            matches!(folds(Some("3"), &TestFold::None), Err(SplitError::NoFold { fold, .. }) if fold == "3")
        );
    }
}
