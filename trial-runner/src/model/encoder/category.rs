//! Categories: one-hot columns, the index as a number, or codes of learned vectors.

use datasets::encode::CategoryCoding;

use super::columns::{Columns, Sheet};
use crate::model::arrays::Arrays;
use crate::model::layer::embedding::Bags;

/// A category column with its fitted coding.
#[derive(Debug, Clone)]
pub struct Category {
    /// Where it stands in the array of categories.
    pub at: usize,
    /// The slot of each code.
    pub coding: CategoryCoding,
    /// The slot that stands for a missing value.
    pub missing: u32,
}

impl Category {
    fn slot(&self, arrays: &Arrays<'_>, row: u32) -> u32 {
        match self.coding.slot(arrays.code(row, self.at)) {
            0 => self.missing,
            slot => slot,
        }
    }

    /// One code a row, of weight 1.
    pub fn fill(&self, arrays: &Arrays<'_>, rows: &[u32], bags: &mut Bags) {
        bags.clear();
        for &row in rows {
            bags.push(self.slot(arrays, row), 1.0);
            bags.end_row();
        }
    }
}

/// What a slot becomes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mark {
    /// All columns 0.
    Nothing,
    /// This column has this value.
    At(usize, f32),
}

/// One-hot columns for the slots that occur in training; any other is all 0.
#[derive(Debug)]
pub struct Onehot {
    category: Category,
    marks: Vec<Mark>,
    width: usize,
}

impl Onehot {
    /// `occurs` says for each slot whether training has it. In RealMLP's manner (`signed`) a missing
    /// value is all 0, and a column of two levels only is one number, -1 or +1.
    pub fn new(category: Category, occurs: &[bool], signed: bool) -> Self {
        let n_kept = category.coding.n_kept as usize;
        let other = occurs.get(n_kept + 1).copied().unwrap_or(false);
        if signed && n_kept == 2 && !other {
            let marks = vec![
                Mark::Nothing,
                Mark::At(0, 1.0),
                Mark::At(0, -1.0),
                Mark::Nothing,
            ];
            return Self {
                category,
                marks,
                width: 1,
            };
        }
        let mut width = 0;
        let mut marks = Vec::with_capacity(n_kept + 2);
        for (slot, &occurs) in occurs.iter().enumerate() {
            marks.push(if occurs && !(signed && slot == 0) {
                width += 1;
                Mark::At(width - 1, 1.0)
            } else {
                Mark::Nothing
            });
        }
        Self {
            category,
            marks,
            width,
        }
    }
}

impl Columns for Onehot {
    fn width(&self) -> usize {
        self.width
    }

    fn write(&self, arrays: &Arrays<'_>, rows: &[u32], mut sheet: Sheet<'_>) {
        for (out, &row) in sheet.rows(self.width).zip(rows) {
            out.fill(0.0);
            if let Mark::At(column, value) = self.marks[self.category.slot(arrays, row) as usize] {
                out[column] = value;
            }
        }
    }
}

/// The slot as a number.
#[derive(Debug)]
pub struct Index(pub Category);

impl Columns for Index {
    fn width(&self) -> usize {
        1
    }

    fn write(&self, arrays: &Arrays<'_>, rows: &[u32], mut sheet: Sheet<'_>) {
        for (out, &row) in sheet.rows(1).zip(rows) {
            out[0] = self.0.slot(arrays, row) as f32;
        }
    }
}
