//! Text: the weighted terms of each row, as codes of learned vectors.

use datasets::encode::TextCoding;

use crate::model::arrays::Arrays;
use crate::model::layer::embedding::Bags;

/// A text column with its fitted term weights.
#[derive(Debug)]
pub struct Text {
    /// Which text column.
    pub at: usize,
    /// The weight of each folded term.
    pub coding: TextCoding,
    terms: Vec<(u32, f32)>,
}

impl Text {
    /// A text column.
    pub fn new(at: usize, coding: TextCoding) -> Self {
        Self {
            at,
            coding,
            terms: Vec::new(),
        }
    }

    /// The terms of each row, their weights of length 1 as a vector.
    pub fn fill(&mut self, arrays: &Arrays<'_>, rows: &[u32], bags: &mut Bags) {
        bags.clear();
        for &row in rows {
            self.coding
                .apply(arrays.texts[self.at].row(row as usize), &mut self.terms);
            for &(term, weight) in &self.terms {
                bags.push(term, weight);
            }
            bags.end_row();
        }
    }
}
