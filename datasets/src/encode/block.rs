//! A block of rows of every array, in memory.

use super::TextRows;

/// Consecutive rows of a table, as they stand in the prepared arrays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    /// Rows in it.
    pub n_rows: usize,
    /// Numbers, row-major, `schema.n_numbers` a row.
    pub numbers: Vec<f32>,
    /// Codes, row-major, `schema.n_categories` a row.
    pub categories: Vec<u32>,
    /// The hashed terms of each text column.
    pub texts: Vec<TextBlock>,
    /// The target; `None` where it was not asked for.
    pub target: Option<Vec<f32>>,
}

/// The hashed terms of a block of rows of one text column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextBlock {
    /// Where each row begins in the other two; one more entry than rows.
    pub indptr: Vec<u64>,
    /// Hashes, ascending within a row, each once.
    pub hash: Vec<u32>,
    /// How often each occurs in its row.
    pub count: Vec<f32>,
}

impl TextBlock {
    /// The rows, as a coding reads them.
    pub fn as_rows(&self) -> TextRows<'_> {
        TextRows {
            indptr: &self.indptr,
            hash: &self.hash,
            count: &self.count,
        }
    }

    /// Adds a row with these terms, in any order and with repetitions; leaves `terms` empty.
    pub(super) fn push(&mut self, terms: &mut Vec<u32>) {
        if self.indptr.is_empty() {
            self.indptr.push(0);
        }
        terms.sort_unstable();
        for same in terms.chunk_by(|a, b| a == b) {
            self.hash.push(same[0]);
            self.count.push(same.len() as f32);
        }
        self.indptr.push(self.hash.len() as u64);
        terms.clear();
    }
}
