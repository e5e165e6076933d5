//! Plain columns: values that are computed from the arrays and never learned.

use crate::model::arrays::Arrays;

/// A row-major matrix being filled, of which a writer sees a few columns.
pub struct Sheet<'a> {
    /// All values.
    pub values: &'a mut [f32],
    /// Columns of the matrix.
    pub width: usize,
    /// The first column of this writer.
    pub at: usize,
}

impl Sheet<'_> {
    /// This writer's part of each row, the first `n` columns of it.
    pub fn rows(&mut self, n: usize) -> impl Iterator<Item = &mut [f32]> {
        let at = self.at;
        self.values
            .chunks_exact_mut(self.width.max(1))
            .map(move |row| &mut row[at..at + n])
    }
}

/// Writes columns for the rows of a batch.
pub trait Columns: std::fmt::Debug {
    /// How many columns it writes.
    fn width(&self) -> usize;
    /// Writes them all; `sheet` has one row for each of `rows`.
    fn write(&self, arrays: &Arrays<'_>, rows: &[u32], sheet: Sheet<'_>);
}
