//! Categories: which levels are kept, as an index for each code of the prepared arrays.

use serde::{Deserialize, Serialize};

/// What is asked of a column of categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategorySpec {
    /// The most levels that are kept.
    pub most_common: usize,
    /// The fewest training rows of a level that is kept.
    pub min_rows: u64,
}

/// The fewest rows from which anything can be learned about a level; rarer ones share the slot of unseen ones.
pub const MIN_ROWS: u64 = 3;

/// A fitted column: slot 0 is missing, slots 1 to `n_kept` are levels, the last slot is for all other
/// values, rare in training or unseen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CategoryCoding {
    /// The slot of each code: of missing (0), of each level (1..), of unseen (the last).
    pub slots: Vec<u32>,
    /// How many levels have a slot of their own.
    pub n_kept: u32,
}

impl CategoryCoding {
    /// Fits a column of the row-major array `categories` of `width` columns, whose codes go up to
    /// `n_levels + 1`, on `rows`. Slots are ordered by count, most frequent first, then by code.
    pub fn fit(
        categories: &[u32],
        width: usize,
        column: usize,
        n_levels: usize,
        rows: &[u32],
        spec: CategorySpec,
    ) -> Self {
        let mut counts = vec![0_u64; n_levels + 2];
        for &row in rows {
            counts[categories[row as usize * width + column] as usize] += 1;
        }
        let mut kept: Vec<usize> = (1..=n_levels)
            .filter(|&code| counts[code] >= spec.min_rows.max(1))
            .collect();
        kept.sort_by_key(|&code| (std::cmp::Reverse(counts[code]), code));
        kept.truncate(spec.most_common);
        let other = index(kept.len() + 1);
        let mut slots = vec![other; n_levels + 2];
        slots[0] = 0;
        for (place, &code) in kept.iter().enumerate() {
            slots[code] = index(place + 1);
        }
        Self {
            slots,
            n_kept: index(kept.len()),
        }
    }

    /// Slots in all: missing, the kept levels, other.
    pub fn n_slots(&self) -> usize {
        self.n_kept as usize + 2
    }

    /// Whether every code has one of the slots. Holds for what `fit` makes; checked on what is read from disk.
    pub fn is_consistent(&self) -> bool {
        let n_slots = self.n_slots();
        u32::try_from(n_slots).is_ok() && self.slots.iter().all(|&slot| (slot as usize) < n_slots)
    }

    /// The slot of a code; a code beyond the last is one of other.
    pub fn slot(&self, code: u32) -> u32 {
        self.slots
            .get(code as usize)
            .copied()
            .unwrap_or(self.n_kept + 1)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "codes are u32, and so are their counts"
)]
fn index(n: usize) -> u32 {
    n as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(codes: &[u32], n_levels: usize, most_common: usize) -> (Vec<u32>, u32) {
        let rows: Vec<u32> = (0..).take(codes.len()).collect();
        let coding = CategoryCoding::fit(
            codes,
            1,
            0,
            n_levels,
            &rows,
            CategorySpec {
                most_common,
                min_rows: 3,
            },
        );
        (coding.slots, coding.n_kept)
    }

    #[test]
    fn rare_levels_share_the_slot_of_unseen_ones() {
        assert_eq!(
            check(&[1, 1, 1, 2, 2, 3, 3, 3, 3, 0], 3, 100),
            (vec![0, 2, 3, 1, 3], 2)
        );
    }

    #[test]
    fn only_the_most_common_are_kept() {
        assert_eq!(
            check(&[1, 1, 1, 2, 2, 2, 2, 3, 3, 3], 3, 1),
            (vec![0, 2, 1, 2, 2], 1)
        );
    }

    #[test]
    fn a_column_without_training_values_has_missing_and_other() {
        let coding = CategoryCoding::fit(
            &[0, 0, 1],
            1,
            0,
            1,
            &[0, 1],
            CategorySpec {
                most_common: 9,
                min_rows: 3,
            },
        );
        assert_eq!(
            (
                coding.n_slots(),
                coding.slot(0),
                coding.slot(1),
                coding.slot(2),
                coding.slot(77)
            ),
            (2, 0, 1, 1, 1)
        );
    }

    #[test]
    fn columns_of_a_wider_array_are_told_apart() {
        let categories = [1, 2, 1, 2, 1, 1];
        let coding = CategoryCoding::fit(
            &categories,
            2,
            1,
            2,
            &[0, 1, 2],
            CategorySpec {
                most_common: 9,
                min_rows: 1,
            },
        );
        assert_eq!(coding.slots, [0, 2, 1, 3]);
    }
}
