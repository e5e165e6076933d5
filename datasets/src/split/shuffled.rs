//! At random, also within classes: rows are ordered by a seeded hash and dealt out.
//!
//! Rows that share a key (identical features) are one unit and stay on one side.
//! A unit goes to a part while the part is nearer to its quota with it than
//! without it, and never when it holds the last training row of a class.

use super::spec::Quota;
use super::{Part, Parts, Shares};

/// What a random split looks at.
#[derive(Debug, Clone, Copy)]
pub struct Shuffle<'a> {
    /// One key a row of the table; rows with the same key stay together.
    pub keys: &'a [u64],
    /// The class of each row of the table, whose shares are kept; `None`: shares of rows.
    pub strata: Option<&'a [u32]>,
    /// The class of each row, none of which training may lose.
    pub classes: Option<&'a [u32]>,
}

/// A random split, and whether identical rows could be kept together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shuffled {
    /// The parts.
    pub parts: Parts,
    /// False when so many rows are identical that a part would have missed its
    /// share by half, and they were divided row by row instead.
    pub duplicates_together: bool,
}

/// Divides `rows` at random. Deterministic in its arguments; the order of `rows` is of no account
/// where keys are distinct.
pub fn shuffled(rows: &[u32], how: Shuffle<'_>, shares: Shares, seed: u64) -> Shuffled {
    let order = |key: &dyn Fn(u32) -> u64| {
        let mut order: Vec<(u64, u32)> = rows.iter().map(|&row| (key(row), row)).collect();
        order.sort_unstable();
        order
    };
    let together = deal(
        &order(&|row| mix(how.keys[row as usize], seed)),
        how,
        shares,
    );
    let whole = shares.quota(rows.len());
    let short = |part: &[u32], quota: usize| part.len() < quota.div_ceil(2);
    if !short(&together.validation, whole.validation) && !short(&together.test, whole.test) {
        return Shuffled {
            parts: together,
            duplicates_together: true,
        };
    }
    let apart = deal(&order(&|row| mix(u64::from(row), seed)), how, shares);
    Shuffled {
        parts: apart,
        duplicates_together: false,
    }
}

/// Deals units (runs of equal keys) in order to validation, test and, for all that is left, training.
pub(super) fn deal(order: &[(u64, u32)], how: Shuffle<'_>, shares: Shares) -> Parts {
    let stratum = |row: u32| how.strata.map_or(0, |s| s[row as usize] as usize);
    let class = |row: u32| how.classes.map_or(0, |c| c[row as usize] as usize);
    let sizes = count(order, stratum);
    let mut open: [Vec<Room>; 2] = quotas(&sizes, shares);
    let mut in_training = count(order, class);

    let mut parts = Parts::default();
    for unit in order.chunk_by(|a, b| a.0 == b.0) {
        let rows = || unit.iter().map(|&(_, row)| row);
        let at = if unit.len() == 1 {
            stratum(unit[0].1)
        } else {
            most_common(rows().map(stratum))
        };
        let to = [Part::Validation, Part::Test]
            .into_iter()
            .zip(&mut open)
            .find(|(_, rooms)| rooms[at].is_nearer_with(unit.len()))
            .filter(|_| leaves_one_of_each(rows().map(class), &in_training));
        let Some((part, rooms)) = to else {
            parts.train.extend(rows());
            continue;
        };
        rooms[at].taken += unit.len();
        rows().for_each(|row| in_training[class(row)] -= 1);
        parts.part_mut(part).extend(rows());
    }
    parts.sorted()
}

/// The room of one class in one part.
#[derive(Debug, Clone, Copy, Default)]
struct Room {
    quota: usize,
    taken: usize,
}

impl Room {
    fn is_nearer_with(self, n: usize) -> bool {
        let with = self.taken + n;
        self.taken < self.quota && with.abs_diff(self.quota) <= self.quota - self.taken
    }
}

/// Quotas of validation and test for each class: within one row of its share, and their sums as near to
/// the shares of the whole as that allows. Training keeps a row of each class; a class with a row for
/// every part is in every part.
fn quotas(sizes: &[usize], shares: Shares) -> [Vec<Room>; 2] {
    let n_rows = sizes.iter().sum();
    let Quota { validation, test } = shares.quota(n_rows);
    let n_parts = 1 + usize::from(validation > 0) + usize::from(test > 0);
    let keeps = |size: usize| 1 + usize::from(test > 0 && size >= n_parts);
    let room: Vec<usize> = sizes
        .iter()
        .map(|&size| size.saturating_sub(keeps(size)))
        .collect();
    let validation = apportion(sizes, &room, validation, n_parts);
    let room: Vec<usize> = sizes
        .iter()
        .zip(&validation)
        .map(|(&size, &v)| size.saturating_sub(1 + v))
        .collect();
    let test = apportion(sizes, &room, test, n_parts);
    [validation, test].map(|quotas| {
        quotas
            .into_iter()
            .map(|quota| Room { quota, taken: 0 })
            .collect()
    })
}

/// `total` divided in proportion to `sizes` by largest remainders, none above its `room`; a class of at
/// least `n_parts` rows gets one row at least.
fn apportion(sizes: &[usize], room: &[usize], total: usize, n_parts: usize) -> Vec<usize> {
    let n_rows = sizes.iter().sum::<usize>().max(1) as u128;
    let mut rest: Vec<(u128, usize)> = Vec::new();
    let mut quotas = Vec::with_capacity(sizes.len());
    for (class, (&size, &room)) in sizes.iter().zip(room).enumerate() {
        let exact = size as u128 * total as u128;
        let whole = usize::try_from(exact / n_rows).unwrap_or(total);
        let needs_one = whole == 0 && total > 0 && size >= n_parts;
        let quota = if needs_one { 1 } else { whole }.min(room);
        quotas.push(quota);
        if !needs_one && quota < room && !exact.is_multiple_of(n_rows) {
            rest.push((exact % n_rows, class));
        }
    }
    rest.sort_unstable_by_key(|&(remainder, class)| (std::cmp::Reverse(remainder), class));
    let missing = total.saturating_sub(quotas.iter().sum());
    for (_, class) in rest.into_iter().take(missing) {
        quotas[class] += 1;
    }
    quotas
}

/// Whether training still has a row of each class when these leave it.
fn leaves_one_of_each(classes: impl Iterator<Item = usize>, in_training: &[usize]) -> bool {
    let mut leaving: Vec<usize> = classes.collect();
    leaving.sort_unstable();
    leaving
        .chunk_by(|a, b| a == b)
        .all(|same| in_training[same[0]] > same.len())
}

fn count(order: &[(u64, u32)], class: impl Fn(u32) -> usize) -> Vec<usize> {
    let mut counts = Vec::new();
    for &(_, row) in order {
        let class = class(row);
        if class >= counts.len() {
            counts.resize(class + 1, 0);
        }
        counts[class] += 1;
    }
    counts
}

/// The class most rows of a unit are of; the lowest among equals.
fn most_common(classes: impl Iterator<Item = usize>) -> usize {
    let mut classes: Vec<usize> = classes.collect();
    classes.sort_unstable();
    let longest = classes
        .chunk_by(|a, b| a == b)
        .rev()
        .max_by_key(|same| same.len());
    longest.map_or(0, |same| same[0])
}

/// A well-spread number from a key and a seed (the finaliser of SplitMix64, twice).
pub(crate) fn mix(key: u64, seed: u64) -> u64 {
    let spread = |mut z: u64| {
        z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    spread(key ^ spread(seed))
}

#[cfg(test)]
mod tests;
