//! Columns of text: by their distinct values where they are coded, row by row where they are not.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::dates;
use super::distinct::{Counter, settle};
use super::summary::{ColumnProfile, Distinct, Storage, TextSummary};
use crate::mapped::bytes_of;
use crate::table::{Column, Dictionary, MISSING_CODE, TextColumn, has_leading_zero, number};

/// Values shown.
const TOP: usize = 64;
/// Rows between two releases of memory.
const PIECE: usize = 1 << 16;

/// Looks at a column of text.
pub(super) fn look(column: &Column, text: TextColumn<'_>) -> ColumnProfile {
    let mut profile = ColumnProfile {
        name: column.name().to_owned(),
        storage: Storage::Text,
        n_rows: text.len() as u64,
        n_missing: column.n_missing(),
        n_distinct: Distinct::Exact(0),
        unique: false,
        top_values: Vec::new(),
        rarest: None,
        number: None,
        text: None,
        date: None,
        content_hash: 0,
    };
    match text {
        TextColumn::Coded { codes, dictionary } => coded(&mut profile, codes, dictionary),
        TextColumn::Plain(rows) => plain(&mut profile, column, rows),
    }
    column.release(0..text.len());
    profile
}

fn coded(profile: &mut ColumnProfile, codes: &[u32], dictionary: Dictionary<'_>) {
    let mut counts = vec![0u64; dictionary.len()];
    for &code in codes.iter().filter(|&&code| code != MISSING_CODE) {
        counts[code as usize] += 1;
    }
    let mut hash = Xxh3::with_seed(Storage::Text as u64);
    hash.update(bytes_of(codes));
    let mut words = Words::default();
    for (text, &times) in dictionary.iter().zip(&counts) {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
        words.add(text, times);
    }
    let mut order: Vec<usize> = (0..dictionary.len()).collect();
    order.sort_unstable_by(|&a, &b| {
        counts[b]
            .cmp(&counts[a])
            .then_with(|| dictionary.get(a).cmp(dictionary.get(b)))
    });
    let named = |&code: &usize| (dictionary.get(code).to_owned(), counts[code]);
    let present = profile.n_present();
    profile.n_distinct = Distinct::Exact(dictionary.len() as u64);
    profile.unique = dictionary.len() as u64 == present;
    profile.top_values = order.iter().take(TOP).map(named).collect();
    profile.rarest = order.last().map(named);
    profile.text = words.summary(present);
    profile.date = dates::of_levels(codes, dictionary, &counts, present);
    profile.content_hash = hash.digest();
}

fn plain(profile: &mut ColumnProfile, column: &Column, rows: Dictionary<'_>) {
    let mut counter = Counter::new();
    let mut hash = Xxh3::with_seed(Storage::Text as u64);
    let mut words = Words::default();
    for from in (0..rows.len()).step_by(PIECE) {
        let to = (from + PIECE).min(rows.len());
        for row in from..to {
            let text = rows.get(row);
            let of_text = xxh3_64(text.as_bytes());
            hash.update(&of_text.to_le_bytes());
            if !text.is_empty() {
                counter.add(of_text);
                words.add(text, 1);
            }
        }
        column.release(from..to);
    }
    let present = profile.n_present();
    (profile.n_distinct, profile.unique) = settle(counter.distinct(), present, true, |each| {
        for from in (0..rows.len()).step_by(PIECE) {
            let to = (from + PIECE).min(rows.len());
            (from..to)
                .map(|row| rows.get(row))
                .filter(|text| !text.is_empty())
                .for_each(|text| each(xxh3_64(text.as_bytes())));
            column.release(from..to);
        }
    });
    profile.text = words.summary(present);
    profile.date = dates::of_rows(rows, present);
    profile.content_hash = hash.digest();
}

/// What texts are made of, added up.
#[derive(Debug, Default)]
struct Words {
    words: u64,
    most: u64,
    bytes: u64,
    n_numeric: u64,
    leading_zeros: bool,
    length: Option<usize>,
    uneven: bool,
}

impl Words {
    fn add(&mut self, text: &str, times: u64) {
        let words = text.split_ascii_whitespace().count() as u64;
        self.words += words * times;
        self.most = self.most.max(words);
        self.bytes += text.len() as u64 * times;
        if number(text.as_bytes()).is_some() {
            self.n_numeric += times;
            self.leading_zeros |= has_leading_zero(text.as_bytes());
        }
        self.uneven |= words > 1 || *self.length.get_or_insert(text.len()) != text.len();
    }

    fn summary(&self, present: u64) -> Option<TextSummary> {
        let n = present as f64;
        (present > 0).then(|| TextSummary {
            avg_words: self.words as f64 / n,
            max_words: self.most,
            avg_chars: self.bytes as f64 / n,
            n_numeric: self.n_numeric,
            leading_zeros: self.leading_zeros,
            same_length: !self.uneven,
        })
    }
}
