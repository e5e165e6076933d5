//! Text: the weighted terms of each row, as codes of learned vectors.

use datasets::encode::TextCoding;

use crate::model::arrays::Arrays;
use crate::model::layer::embedding::Bags;
use crate::model::stream::Stream;

/// A text column with its fitted term weights.
#[derive(Debug)]
pub struct Text {
    /// Which text column.
    pub at: usize,
    /// The weight of each folded term.
    pub coding: TextCoding,
    /// Share of the terms that a training step leaves out.
    dropout: f64,
    terms: Vec<(u32, f32)>,
}

impl Text {
    /// A text column. `dropout` in [0, 1) is the share of a row's terms that each training step leaves out.
    pub fn new(at: usize, coding: TextCoding, dropout: f64) -> Self {
        Self {
            at,
            coding,
            dropout,
            terms: Vec::new(),
        }
    }

    /// The terms of each row, their weights of length 1 as a vector. In training (`stream` is there) some are
    /// left out and the others weigh more, so that the mean stays: word dropout of Iyyer et al., "Deep
    /// Unordered Composition Rivals Syntactic Methods for Text Classification", 2015, section 3.2.
    pub fn fill(
        &mut self,
        arrays: &Arrays<'_>,
        rows: &[u32],
        bags: &mut Bags,
        stream: Option<&mut Stream>,
    ) {
        bags.clear();
        let mut stream = stream.filter(|_| self.dropout > 0.0);
        #[expect(clippy::cast_possible_truncation, reason = "a factor near 1")]
        let kept = stream
            .as_ref()
            .map_or(1.0, |_| (1.0 / (1.0 - self.dropout)) as f32);
        for &row in rows {
            self.coding
                .apply(arrays.texts[self.at].row(row as usize), &mut self.terms);
            for &(term, weight) in &self.terms {
                let left_out = stream
                    .as_mut()
                    .is_some_and(|stream| stream.uniform() < self.dropout);
                if !left_out {
                    bags.push(term, kept * weight);
                }
            }
            bags.end_row();
        }
    }
}
