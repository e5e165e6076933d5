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

/// Rows that are to be divided at random. Those with the same key stay together; keys are hashes, and two units that
/// share one by chance are dealt as one, which does no harm. The order in which rows are added is of no account.
///
/// Of a large table little else is in memory: eight bytes a row.
#[derive(Debug)]
pub struct Units {
    order: Vec<Place>,
    seed: u64,
}

impl Units {
    /// Room for `n_rows`, shuffled by `seed`.
    pub fn new(n_rows: usize, seed: u64) -> Self {
        Self {
            order: Vec::with_capacity(n_rows),
            seed,
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: u32, key: u32) {
        self.order.push(Place::of(row, key, self.seed));
    }

    /// Deals them out.
    pub fn divide(self, how: Shuffle<'_>, shares: Shares) -> Shuffled {
        let Self { mut order, seed } = self;
        order.sort_unstable();
        let together = deal(&order, how, shares);
        let whole = shares.quota(order.len());
        let short = |part: &[u32], quota: usize| part.len() < quota.div_ceil(2);
        if !short(&together.validation, whole.validation) && !short(&together.test, whole.test) {
            return Shuffled {
                parts: together,
                duplicates_together: true,
            };
        }
        let rows: Vec<u32> = order.iter().map(|place| place.row()).collect();
        let apart = deal(&order_by(&rows, |row| row, seed), how, shares);
        Shuffled {
            parts: apart,
            duplicates_together: false,
        }
    }
}

/// A row with the place of its unit in the shuffle above it, in one number: half the memory of a pair, and
/// quicker to sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

impl Place {
    const LOW: u64 = 0xffff_ffff;

    fn of(row: u32, key: u32, seed: u64) -> Self {
        Self(mix(u64::from(key), seed) & !Self::LOW | u64::from(row))
    }

    fn row(self) -> u32 {
        (self.0 & Self::LOW) as u32
    }

    fn is_beside(&self, other: &Self) -> bool {
        self.0 >> 32 == other.0 >> 32
    }
}

/// Shuffles `rows`; those with the same key are beside each other.
pub(super) fn order_by(rows: &[u32], key: impl Fn(u32) -> u32, seed: u64) -> Vec<Place> {
    let place = |&row: &u32| Place::of(row, key(row), seed);
    let mut order: Vec<Place> = rows.iter().map(place).collect();
    order.sort_unstable();
    order
}

/// Deals units (runs of equal keys) in order to validation, test and, for all that is left, training.
pub(super) fn deal(order: &[Place], how: Shuffle<'_>, shares: Shares) -> Parts {
    let stratum = |row: u32| how.strata.map_or(0, |s| s[row as usize] as usize);
    let class = |row: u32| how.classes.map_or(0, |c| c[row as usize] as usize);
    let sizes = count(order, stratum);
    let mut open: [Vec<Room>; 2] = quotas(&sizes, shares);
    let mut in_training = count(order, class);

    let leaving: usize = open.iter().flatten().map(|room| room.quota).sum();
    let mut parts = Parts::default();
    parts.train.reserve(order.len().saturating_sub(leaving));
    for unit in order.chunk_by(Place::is_beside) {
        let rows = || unit.iter().map(|place| place.row());
        let at = if unit.len() == 1 {
            stratum(unit[0].row())
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
fn leaves_one_of_each(
    mut classes: impl ExactSizeIterator<Item = usize>,
    in_training: &[usize],
) -> bool {
    if classes.len() == 1 {
        return classes.next().is_some_and(|class| in_training[class] > 1);
    }
    let mut leaving: Vec<usize> = classes.collect();
    leaving.sort_unstable();
    leaving
        .chunk_by(|a, b| a == b)
        .all(|same| in_training[same[0]] > same.len())
}

fn count(order: &[Place], class: impl Fn(u32) -> usize) -> Vec<usize> {
    let mut counts = Vec::new();
    for place in order {
        let class = class(place.row());
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
