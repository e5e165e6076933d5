//! Numbers: filled, scaled and clipped as their codings say, many columns in one loop.

use datasets::encode::NumberCoding;

use super::columns::{Columns, Sheet};
use crate::model::arrays::Arrays;
use crate::model::memory::fast;

/// Number columns side by side: first all values, then the indicators of missing ones.
#[derive(Debug, Default)]
pub struct Numbers {
    /// Where each value stands in the array of numbers.
    at: Vec<usize>,
    fill: Vec<f32>,
    center: Vec<f32>,
    factor: Vec<f32>,
    /// 1/9 where the smooth clip `x / sqrt(1 + x^2 / 9)` applies, 0 where it does not.
    clip: Vec<f32>,
    /// Columns whose coding is more than a shift and a factor, with their place here.
    special: Vec<(usize, NumberCoding)>,
    /// Where the values with an indicator stand in the array of numbers.
    indicators: Vec<usize>,
}

impl Numbers {
    /// Adds a column of the array of numbers.
    pub fn push(&mut self, at: usize, coding: &NumberCoding) {
        if coding.log1p || !coding.quantiles.is_empty() {
            self.special.push((self.at.len(), coding.clone()));
        }
        self.at.push(at);
        self.fill.push(coding.fill);
        self.center.push(coding.center);
        self.factor.push(coding.factor);
        self.clip.push(if coding.clip { 1.0 / 9.0 } else { 0.0 });
        if coding.indicator {
            self.indicators.push(at);
        }
    }

    /// Adds the indicator of a column alone.
    pub fn push_indicator(&mut self, at: usize) {
        self.indicators.push(at);
    }

    fn scale(&self, row: &mut [f32]) {
        let constants = self
            .fill
            .iter()
            .zip(&self.center)
            .zip(self.factor.iter().zip(&self.clip));
        for (x, ((fill, center), (factor, clip))) in row.iter_mut().zip(constants) {
            let known = if x.is_finite() { *x } else { *fill };
            let scaled = (known - center) * factor;
            *x = scaled / (1.0 + clip * scaled * scaled).sqrt();
        }
    }
}

impl Columns for Numbers {
    fn width(&self) -> usize {
        self.at.len() + self.indicators.len()
    }

    fn write(&self, arrays: &Arrays<'_>, rows: &[u32], mut sheet: Sheet<'_>) {
        let n = self.at.len();
        fast(
            #[inline(always)]
            || {
                for (out, &row) in sheet.rows(self.width()).zip(rows) {
                    let source = arrays.numbers_of(row);
                    let (values, indicators) = out.split_at_mut(n);
                    for (value, &at) in values.iter_mut().zip(&self.at) {
                        *value = source[at];
                    }
                    self.scale(values);
                    for (place, coding) in &self.special {
                        values[*place] = coding.apply(source[self.at[*place]]);
                    }
                    for (indicator, &at) in indicators.iter_mut().zip(&self.indicators) {
                        *indicator = if source[at].is_finite() { 0.0 } else { 1.0 };
                    }
                }
            },
        );
    }
}
