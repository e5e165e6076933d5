//! What inputs are read from: the prepared arrays of a run, or those of a new table.

use datasets::encode::TextRows;
use datasets::store::Prepared;

/// Plain arrays, all with the same rows, laid out by one `Schema`. Borrowed: a trial never copies them.
#[derive(Debug, Clone)]
pub struct Arrays<'a> {
    /// Rows of each array.
    pub n_rows: usize,
    /// Row-major; NaN is missing.
    pub numbers: &'a [f32],
    /// Columns of `numbers`.
    pub n_numbers: usize,
    /// Row-major codes; 0 is missing.
    pub categories: &'a [u32],
    /// Columns of `categories`.
    pub n_categories: usize,
    /// The hashed terms of each text column.
    pub texts: Vec<TextRows<'a>>,
}

impl Arrays<'_> {
    /// The numbers of a row.
    pub fn numbers_of(&self, row: u32) -> &[f32] {
        &self.numbers[row as usize * self.n_numbers..][..self.n_numbers]
    }

    /// A code of a row.
    pub fn code(&self, row: u32, column: usize) -> u32 {
        self.categories[row as usize * self.n_categories + column]
    }
}

impl<'a> From<&'a Prepared> for Arrays<'a> {
    fn from(prepared: &'a Prepared) -> Self {
        let schema = &prepared.manifest().schema;
        Self {
            n_rows: prepared.n_rows(),
            numbers: prepared.numbers(),
            n_numbers: schema.n_numbers,
            categories: prepared.categories(),
            n_categories: schema.n_categories,
            texts: (0..schema.n_texts).map(|k| prepared.text(k)).collect(),
        }
    }
}
