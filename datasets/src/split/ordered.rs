//! In time order: training before validation before test, equal times in one part.

use super::{Part, Parts, Shares, SplitError};

/// Divides `rows` by time. `times` has an entry for every row of the table; a row without a time trains.
pub fn by_time(
    column: &str,
    times: &[Option<i64>],
    rows: &[u32],
    shares: Shares,
) -> Result<Parts, SplitError> {
    let mut order: Vec<(i64, u32)> = rows
        .iter()
        .filter_map(|&row| times[row as usize].map(|time| (time, row)))
        .collect();
    if order.is_empty() {
        return Err(SplitError::NoTimes {
            column: column.into(),
        });
    }
    order.sort_unstable();
    let quota = shares.quota(order.len());
    let test_from = cut(&order, order.len() - quota.test);
    let validation_from = cut(
        &order[..test_from],
        test_from.saturating_sub(quota.validation),
    );

    let empty = |part| SplitError::OneValue {
        column: column.into(),
        part,
    };
    if validation_from == 0 {
        return Err(empty(Part::Train));
    }
    if quota.validation > 0 && validation_from == test_from {
        return Err(empty(Part::Validation));
    }
    let of = |range: &[(i64, u32)]| range.iter().map(|&(_, row)| row).collect::<Vec<_>>();
    let undated = rows
        .iter()
        .copied()
        .filter(|&row| times[row as usize].is_none());
    let mut train = of(&order[..validation_from]);
    train.extend(undated);
    Ok(Parts {
        train,
        validation: of(&order[validation_from..test_from]),
        test: of(&order[test_from..]),
    }
    .sorted())
}

/// The border between two times nearest to `at`, of those that leave rows on both sides; the later of two
/// that are equally near. `at` itself where it is an end, or where all times are equal: then nothing is cut off.
fn cut(order: &[(i64, u32)], at: usize) -> usize {
    if at == 0 || at >= order.len() {
        return at;
    }
    let is_border = |&i: &usize| order[i - 1].0 != order[i].0;
    let before = (1..=at).rev().find(is_border);
    let after = (at..order.len()).find(is_border);
    match (before, after) {
        (Some(before), Some(after)) if at - before < after - at => before,
        (_, Some(after)) => after,
        (Some(before), None) => before,
        (None, None) => order.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(times: &[i64], shares: [f64; 3]) -> Result<[Vec<i64>; 3], SplitError> {
        let rows: Vec<u32> = (0..).take(times.len()).collect();
        let all: Vec<Option<i64>> = times.iter().copied().map(Some).collect();
        let parts = by_time("t", &all, &rows, Shares::new(shares).unwrap())?;
        Ok(Part::ALL.map(|part| {
            let mut of: Vec<i64> = parts
                .part(part)
                .iter()
                .map(|&row| times[row as usize])
                .collect();
            of.sort_unstable();
            of
        }))
    }

    #[test]
    fn the_newest_rows_are_the_test_in_any_order_of_rows() {
        let [train, validation, test] =
            check(&[9, 3, 1, 7, 5, 2, 8, 4, 6, 0, 10, 11], [0.5, 0.25, 0.25]).unwrap();
        assert_eq!(
            (train, validation, test),
            ((0..6).collect(), vec![6, 7, 8], vec![9, 10, 11])
        );
    }

    #[test]
    fn equal_times_are_not_cut() {
        let [train, validation, test] =
            check(&[1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3], [0.6, 0.2, 0.2]).unwrap();
        assert_eq!(
            (train, validation, test),
            (vec![1; 4], vec![2; 4], vec![3; 4])
        );
    }

    #[test]
    fn one_time_cannot_be_cut() {
        assert!(matches!(
            check(&[4; 20], [0.7, 0.1, 0.2]),
            Err(SplitError::OneValue { .. })
        ));
    }

    #[test]
    fn a_row_without_a_time_trains() {
        let parts = by_time(
            "t",
            &[None, Some(1), Some(2), None],
            &[0, 1, 2, 3],
            Shares::new([0.5, 0.5, 0.0]).unwrap(),
        )
        .unwrap();
        assert_eq!((parts.train, parts.validation), (vec![0, 1, 3], vec![2]));
    }
}
