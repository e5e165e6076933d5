//! One number a row that tells rows with different inputs apart, most of the time: what has one key is kept
//! together, so that two rows which share one by chance do no harm, and half the memory is saved.

use std::convert::Infallible;

use xxhash_rust::xxh3::xxh3_64;

use super::pipeline::in_order;
use crate::table::{Column, MISSING_CODE, TextColumn, Values};

/// Rows at a time: the keys of a block and a column of it stay in the cache.
const BLOCK: usize = 1 << 14;

/// Gives a key for each row to `each`, in order, made of its values in `columns`: equal for rows that are equal there,
/// and different for others but for one pair in 2^32. Pages of the columns are given back.
pub(super) fn row_keys(
    columns: &[&Column],
    n_rows: usize,
    threads: usize,
    mut each: impl FnMut(u32),
) {
    let hashers: Vec<Hasher<'_>> = columns
        .iter()
        .map(|column| Hasher::new(column.values()))
        .collect();
    let block = |i: usize| {
        let rows = i * BLOCK..n_rows.min((i + 1) * BLOCK);
        let mut keys = vec![0; rows.len()];
        for (column, hasher) in columns.iter().zip(&hashers) {
            for (key, row) in keys.iter_mut().zip(rows.clone()) {
                *key = join(*key, hasher.hash(row));
            }
            column.release(rows.clone());
        }
        keys
    };
    let Ok(()) = in_order(n_rows.div_ceil(BLOCK), threads, block, |block| {
        block.into_iter().map(narrow).for_each(&mut each);
        Ok::<_, Infallible>(())
    });
}

/// A key for each value of one column; rows without a value have a key of their own.
pub(super) fn group_keys(column: &Column, n_rows: usize) -> Vec<u32> {
    let values = column.values();
    let hasher = Hasher::new(values);
    (0..n_rows)
        .map(|row| match values.level(row) {
            Some(_) => narrow(join(1, hasher.hash(row))),
            None => narrow(join(2, row as u64)),
        })
        .collect()
}

enum Hasher<'a> {
    Coded(&'a [u32], Vec<u64>),
    Each(Values<'a>),
}

impl<'a> Hasher<'a> {
    fn new(values: Values<'a>) -> Self {
        match values {
            Values::Text(TextColumn::Coded { codes, dictionary }) => Self::Coded(
                codes,
                dictionary
                    .iter()
                    .map(|text| xxh3_64(text.as_bytes()))
                    .collect(),
            ),
            Values::Number(_)
            | Values::Time(_)
            | Values::Bool(_)
            | Values::Text(TextColumn::Plain(_)) => Self::Each(values),
        }
    }

    fn hash(&self, row: usize) -> u64 {
        match self {
            Self::Coded(codes, of_code) => match codes[row] {
                MISSING_CODE => 0,
                code => of_code[code as usize],
            },
            // Adding zero makes -0 and 0 one number; all NaN are one missing value.
            Self::Each(Values::Number(values)) => match values[row] {
                x if x.is_nan() => u64::MAX,
                x => (x + 0.0).to_bits(),
            },
            Self::Each(Values::Time(times)) => times[row].cast_unsigned(),
            Self::Each(Values::Bool(values)) => u64::from(values[row]),
            Self::Each(Values::Text(text)) => {
                text.get(row).map_or(0, |text| xxh3_64(text.as_bytes()))
            }
        }
    }
}

/// Folds a value into a key by a full multiplication, whose halves are joined (as in wyhash).
fn join(key: u64, value: u64) -> u64 {
    let mixed = key.rotate_left(29) ^ value ^ 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(mixed) * u128::from(0xa076_1d64_78bd_642f_u64);
    low(product) ^ low(product >> 64) ^ key
}

/// The better half of a key.
fn narrow(key: u64) -> u32 {
    (key >> 32) as u32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the low half is what is wanted"
)]
fn low(x: u128) -> u64 {
    x as u64
}
