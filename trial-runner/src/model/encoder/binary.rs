//! Two values as one number.

use super::columns::{Columns, Sheet};
use crate::model::arrays::Arrays;

/// A binary column: what stands for the first value, for the second, and for a missing one.
#[derive(Debug)]
pub struct Binary {
    /// Where it stands in the array of numbers.
    pub at: usize,
    /// For false, true and missing.
    pub values: [f32; 3],
}

impl Columns for Binary {
    fn width(&self) -> usize {
        1
    }

    fn write(&self, arrays: &Arrays<'_>, rows: &[u32], mut sheet: Sheet<'_>) {
        let [low, high, missing] = self.values;
        for (out, &row) in sheet.rows(1).zip(rows) {
            let x = arrays.numbers_of(row)[self.at];
            out[0] = if !x.is_finite() {
                missing
            } else if x > 0.5 {
                high
            } else {
                low
            };
        }
    }
}
