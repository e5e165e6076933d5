//! Columns of numbers, typed times and typed booleans.

use xxhash_rust::xxh3::Xxh3;

use super::distinct::{Counter, mix, settle};
use super::summary::{ColumnProfile, DateSummary, Distinct, NumberSummary, Storage};
use crate::mapped::bytes_of;
use crate::table::{Column, MISSING_TIME, bool_level, number_level, time_level};

/// Values between two releases of memory: 2 MB.
const PIECE: usize = 1 << 18;
/// Rows that quantiles are taken from.
const SAMPLE: usize = 100_000;
/// Values shown.
const TOP: usize = 64;
/// The largest whole number below which every whole number is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// The quantiles of a summary.
const QUANTILES: [f64; 7] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];

/// Looks at a column of numbers.
pub(super) fn look(column: &Column, values: &[f64]) -> ColumnProfile {
    let mut counter = Counter::new();
    let mut hash = Xxh3::with_seed(Storage::Number as u64);
    let mut sums = Sums::new(values.len());
    for (piece, from) in values.chunks(PIECE).zip((0..).step_by(PIECE)) {
        hash.update(bytes_of(piece));
        sums.add(piece, from);
        piece
            .iter()
            .filter(|value| !value.is_nan())
            .for_each(|value| counter.add((value + 0.0).to_bits()));
        column.release(from..from + piece.len());
    }
    let present = sums.n_finite + sums.n_infinite;
    let (n_distinct, unique) = settle(counter.distinct(), present, sums.all_integer, |each| {
        for (piece, from) in values.chunks(PIECE).zip((0..).step_by(PIECE)) {
            piece
                .iter()
                .filter(|value| !value.is_nan())
                .for_each(|value| each((value + 0.0).to_bits()));
            column.release(from..from + piece.len());
        }
    });
    let mut counts: Vec<(f64, u64)> = counter
        .counts()
        .unwrap_or_default()
        .into_iter()
        .map(|(bits, times)| (f64::from_bits(bits), times))
        .collect();
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.total_cmp(&b.0)));
    let named = |(value, times): &(f64, u64)| (number_level(*value).unwrap_or_default(), *times);
    ColumnProfile {
        name: column.name().to_owned(),
        storage: Storage::Number,
        n_rows: values.len() as u64,
        n_missing: values.len() as u64 - present,
        n_distinct,
        unique,
        top_values: counts.iter().take(TOP).map(named).collect(),
        rarest: counts.last().map(named),
        number: sums.summary(),
        text: None,
        date: None,
        content_hash: hash.digest(),
    }
}

/// What one pass over numbers adds up.
struct Sums {
    n_finite: u64,
    n_infinite: u64,
    n_inexact: u64,
    min: f64,
    max: f64,
    /// Sums of what lies above the first value, which keeps them exact for large values of little spread.
    origin: Option<f64>,
    sum: f64,
    squares: f64,
    all_integer: bool,
    ascending: bool,
    last: f64,
    sample: Vec<f64>,
    stride: usize,
    next: usize,
}

impl Sums {
    fn new(n: usize) -> Self {
        Self {
            n_finite: 0,
            n_infinite: 0,
            n_inexact: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            origin: None,
            sum: 0.0,
            squares: 0.0,
            all_integer: true,
            ascending: true,
            last: f64::NEG_INFINITY,
            sample: Vec::with_capacity(n.min(SAMPLE)),
            stride: n.div_ceil(SAMPLE).max(1),
            next: 0,
        }
    }

    /// Adds the rows from `from` on.
    fn add(&mut self, piece: &[f64], from: usize) {
        if self.origin.is_none() {
            self.origin = piece.iter().copied().find(|value| value.is_finite());
        }
        let origin = self.origin.unwrap_or(0.0);
        for &value in piece {
            if value.is_finite() {
                self.n_finite += 1;
                self.min = self.min.min(value);
                self.max = self.max.max(value);
                let above = value - origin;
                self.sum += above;
                self.squares += above * above;
                self.all_integer &= is_whole(value);
                self.n_inexact += u64::from(value.abs() > EXACT);
                self.ascending &= value >= self.last;
                self.last = value;
            } else if !value.is_nan() {
                self.n_infinite += 1;
            }
        }
        while self.next < from + piece.len() {
            let value = piece[self.next - from];
            if value.is_finite() {
                self.sample.push(value);
            }
            self.next = self.following();
        }
    }

    /// The next row of the sample: one of each stretch of `stride` rows, at a place that follows no period.
    fn following(&self) -> usize {
        let stretch = self.next / self.stride + 1;
        let stride = self.stride as u64;
        stretch * self.stride + usize::try_from(mix(stretch as u64) % stride).unwrap_or(0)
    }

    fn summary(mut self) -> Option<NumberSummary> {
        if self.n_finite == 0 {
            return None;
        }
        self.sample.sort_unstable_by(f64::total_cmp);
        let n = self.n_finite as f64;
        let mean_above = self.sum / n;
        // Overflow of the squares is the only way to leave the finite numbers; JSON has no other.
        let finite = |value: f64| value.clamp(f64::MIN, f64::MAX);
        Some(NumberSummary {
            min: self.min,
            max: self.max,
            mean: finite(self.origin.unwrap_or(0.0) + mean_above),
            sd: finite((self.squares / n - mean_above * mean_above).max(0.0).sqrt()),
            quantiles: QUANTILES.map(|q| quantile(&self.sample, q).unwrap_or(self.min)),
            n_infinite: self.n_infinite,
            all_integer: self.all_integer && self.n_infinite == 0,
            n_inexact: if self.all_integer { self.n_inexact } else { 0 },
            ascending: self.ascending,
        })
    }
}

/// Whether a finite number is whole; without the call of the system's `trunc`.
fn is_whole(value: f64) -> bool {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::float_cmp,
        reason = "saturates beyond what has fractions; exact"
    )]
    let whole = value.abs() >= EXACT || value as i64 as f64 == value;
    whole
}

/// The value at a quantile of sorted values, between two of them by their distance.
fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = q * last as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the last place"
    )]
    let below = place.floor() as usize;
    let (a, b) = (sorted[below], sorted[(below + 1).min(last)]);
    Some(a + (b - a) * (place - below as f64))
}

/// Looks at a column of typed times.
pub(super) fn look_at_times(column: &Column, values: &[i64]) -> ColumnProfile {
    let mut counter = Counter::new();
    let mut hash = Xxh3::with_seed(Storage::Time as u64);
    let mut dates = Order::default();
    for (piece, from) in values.chunks(PIECE).zip((0..).step_by(PIECE)) {
        hash.update(bytes_of(piece));
        for &time in piece.iter().filter(|&&time| time != MISSING_TIME) {
            counter.add(time.cast_unsigned());
            dates.add(time);
        }
        column.release(from..from + piece.len());
    }
    let present = values.len() as u64 - column.n_missing();
    let (n_distinct, unique) = settle(counter.distinct(), present, false, |_| {});
    let mut counts: Vec<(i64, u64)> = counter
        .counts()
        .unwrap_or_default()
        .into_iter()
        .map(|(bits, times)| (bits.cast_signed(), times))
        .collect();
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let named = |(time, times): &(i64, u64)| (time_level(*time).unwrap_or_default(), *times);
    ColumnProfile {
        name: column.name().to_owned(),
        storage: Storage::Time,
        n_rows: values.len() as u64,
        n_missing: column.n_missing(),
        n_distinct,
        unique,
        top_values: counts.iter().take(TOP).map(named).collect(),
        rarest: counts.last().map(named),
        number: None,
        text: None,
        date: dates.summary(None, present),
        content_hash: hash.digest(),
    }
}

/// First, last, and the steps back of a series of times.
#[derive(Debug, Default)]
pub(super) struct Order {
    first: Option<i64>,
    last: Option<i64>,
    before: Option<i64>,
    n_back: u64,
}

impl Order {
    /// Adds the next time.
    pub(super) fn add(&mut self, time: i64) {
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
        self.n_back += u64::from(self.before.is_some_and(|before| time < before));
        self.before = Some(time);
    }

    /// The summary of dates read by a format from `n_read` rows; `None` for no dates.
    pub(super) fn summary(&self, format: Option<&str>, n_read: u64) -> Option<DateSummary> {
        Some(DateSummary {
            format: format.map(str::to_owned),
            n_read,
            others: Vec::new(),
            ambiguous_with: None,
            first: time_level(self.first?).unwrap_or_default(),
            last: time_level(self.last?).unwrap_or_default(),
            n_back: self.n_back,
        })
    }
}

/// Looks at a column of typed booleans.
pub(super) fn look_at_bools(column: &Column, values: &[u8]) -> ColumnProfile {
    let mut hash = Xxh3::with_seed(Storage::Bool as u64);
    hash.update(values);
    let mut counts: Vec<(u8, u64)> = [0, 1]
        .map(|value| {
            (
                value,
                values.iter().filter(|&&found| found == value).count() as u64,
            )
        })
        .to_vec();
    column.release(0..values.len());
    counts.retain(|&(_, times)| times > 0);
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let named =
        |(value, times): &(u8, u64)| (bool_level(*value).unwrap_or_default().to_owned(), *times);
    ColumnProfile {
        name: column.name().to_owned(),
        storage: Storage::Bool,
        n_rows: values.len() as u64,
        n_missing: column.n_missing(),
        n_distinct: Distinct::Exact(counts.len() as u64),
        unique: counts.iter().all(|&(_, times)| times == 1),
        top_values: counts.iter().map(named).collect(),
        rarest: counts.last().map(named),
        number: None,
        text: None,
        date: None,
        content_hash: hash.digest(),
    }
}
