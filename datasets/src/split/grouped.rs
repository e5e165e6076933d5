//! By group: all rows of a group are on one side.

use super::shuffled::{deal, order_by};
use super::{Part, Parts, Shares, Shuffle, SplitError};

/// Divides `rows` so that rows with the same key share a part. Rows of groups are dealt out as units of
/// their size, so that small tables of few large groups may miss their shares; none of the parts asked for
/// is empty while there are groups enough.
///
/// `keys` and `classes` have an entry for every row of the table; training keeps a row of each class where
/// its groups allow.
pub fn by_group(
    column: &str,
    keys: &[u32],
    classes: Option<&[u32]>,
    rows: &[u32],
    shares: Shares,
    seed: u64,
) -> Result<Parts, SplitError> {
    let group = |row: u32| keys[row as usize];
    let mut parts = deal(
        &order_by(rows, group, seed),
        Shuffle {
            strata: None,
            classes,
        },
        shares,
    );
    let [_, validation, test] = shares.to_array();
    for (part, share) in [(Part::Validation, validation), (Part::Test, test)] {
        if share == 0.0 || !parts.part(part).is_empty() {
            continue;
        }
        let smallest = smallest_group(&parts.train, group).ok_or_else(|| SplitError::OneValue {
            column: column.into(),
            part,
        })?;
        let (moved, kept) = std::mem::take(&mut parts.train)
            .into_iter()
            .partition(|&row| group(row) == smallest);
        *parts.part_mut(part) = moved;
        parts.train = kept;
    }
    Ok(parts)
}

/// The smallest group of `rows`, if there is another one beside it.
fn smallest_group(rows: &[u32], group: impl Fn(u32) -> u32) -> Option<u32> {
    let mut groups: Vec<u32> = rows.iter().map(|&row| group(row)).collect();
    groups.sort_unstable();
    let runs = || groups.chunk_by(|a, b| a == b);
    if runs().count() < 2 {
        return None;
    }
    runs().min_by_key(|run| run.len()).map(|run| run[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(groups: &[u32], shares: [f64; 3]) -> Result<Parts, SplitError> {
        let rows: Vec<u32> = (0..).take(groups.len()).collect();
        by_group("g", groups, None, &rows, Shares::new(shares).unwrap(), 7)
    }

    #[test]
    fn a_group_is_on_one_side() {
        let groups: Vec<u32> = (0..900).map(|row| row * row % 31).collect();
        let parts = check(&groups, [0.7, 0.1, 0.2]).unwrap();
        let sides = |part: &[u32]| {
            part.iter()
                .map(|&row| groups[row as usize])
                .collect::<std::collections::BTreeSet<_>>()
        };
        let [train, validation, test] = Part::ALL.map(|part| sides(parts.part(part)));
        assert!(
            train.is_disjoint(&validation)
                && train.is_disjoint(&test)
                && validation.is_disjoint(&test)
        );
        assert!(
            [&train, &validation, &test]
                .iter()
                .all(|part| !part.is_empty())
        );
    }

    #[test]
    fn two_large_groups_leave_one_for_validation() {
        let parts = check(&[1, 1, 1, 1, 2, 2, 2], [0.8, 0.2, 0.0]).unwrap();
        assert_eq!(
            (parts.train, parts.validation, parts.test),
            (vec![0, 1, 2, 3], vec![4, 5, 6], vec![])
        );
    }

    #[test]
    fn one_group_cannot_be_split() {
        let error = check(&[5; 10], [0.7, 0.1, 0.2]).unwrap_err();
        assert!(
            matches!(
                error,
                SplitError::OneValue {
                    part: Part::Validation,
                    ..
                }
            ),
            "{error}"
        );
    }
}
