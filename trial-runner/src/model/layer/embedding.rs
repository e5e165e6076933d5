//! Learned vectors, looked up by code, and weighted sums of them.

use tch::{Kind, Tensor};

use crate::model::memory::{fast, floats, floats_mut};
use crate::model::parameters::{Buffer, Init, Layout, Slot, Treatment};
use crate::model::pass::Pass;

/// The codes of a batch: row `r` holds `codes[starts[r]..starts[r + 1]]`, each with a weight.
#[derive(Debug, Default, Clone)]
pub struct Bags {
    /// One more than rows.
    pub starts: Vec<usize>,
    /// Positions in the table of vectors.
    pub codes: Vec<u32>,
    /// One a code.
    pub weights: Vec<f32>,
}

impl Bags {
    /// Empties it for the next batch.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.codes.clear();
        self.weights.clear();
    }

    /// Adds one code to the row being filled.
    pub fn push(&mut self, code: u32, weight: f32) {
        self.codes.push(code);
        self.weights.push(weight);
    }

    /// Ends the row being filled.
    pub fn end_row(&mut self) {
        self.starts.push(self.codes.len());
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}

/// For each row the weighted sum of its vectors. One code of weight 1 a row is a plain embedding.
#[derive(Debug)]
pub struct Embedding {
    weight: Slot,
    size: i64,
    bags: Bags,
    /// Rows of the gradient that the last backward pass has written, to be cleared by the next.
    dirty: Vec<u32>,
    output: Buffer,
}

impl Embedding {
    /// Declares `path.weight` of shape `[n_codes, size]`.
    pub fn new(
        layout: &mut Layout,
        path: &str,
        n_codes: i64,
        size: i64,
        init: Init,
        treatment: Treatment,
    ) -> Self {
        Self {
            weight: layout.add(format!("{path}.weight"), &[n_codes, size], init, treatment),
            size,
            bags: Bags::default(),
            dirty: Vec::new(),
            output: Buffer::default(),
        }
    }

    /// The bags to fill before `forward`.
    pub fn bags(&mut self) -> &mut Bags {
        &mut self.bags
    }

    /// `-> [batch, size]`.
    ///
    /// # Panics
    /// When a code is beyond the table.
    pub fn forward(&mut self, pass: &mut Pass<'_>) -> Tensor {
        let rows = i64::try_from(self.bags.n_rows()).expect("a batch");
        let table = pass.parameters.value(self.weight);
        if !pass.loops {
            let (codes, rows_of, weights) = self.flat(table);
            let vectors = table.index_select(0, &codes) * weights;
            return Tensor::zeros([rows, self.size], (Kind::Float, table.device()))
                .index_add(0, &rows_of, &vectors);
        }
        let size = self.width();
        let y = self.output.of(&[rows, self.size], pass.device());
        let (bags, table) = (&self.bags, floats(table));
        let y_rows = floats_mut(y);
        fast(
            #[inline(always)]
            || {
                for (row, y) in y_rows.chunks_exact_mut(size).enumerate() {
                    y.fill(0.0);
                    for at in bags.starts[row]..bags.starts[row + 1] {
                        let from = bags.codes[at] as usize * size;
                        add_scaled(y, &table[from..from + size], bags.weights[at]);
                    }
                }
            },
        );
        y.shallow_clone()
    }

    /// The gradient of the vectors that were looked up.
    pub fn backward(&mut self, pass: &mut Pass<'_>, gradient: &Tensor) {
        if !pass.loops {
            let (codes, rows_of, weights) = self.flat(gradient);
            let each = gradient.index_select(0, &rows_of) * weights;
            let out = pass.parameters.gradient_mut(self.weight);
            let _ = out.zero_();
            let _ = out.index_add_(0, &codes, &each);
            return;
        }
        let size = self.width();
        let gradient = gradient.contiguous();
        let (g, out) = (
            floats(&gradient),
            floats_mut(pass.parameters.gradient_mut(self.weight)),
        );
        for &code in &self.dirty {
            out[code as usize * size..(code as usize + 1) * size].fill(0.0);
        }
        let bags = &self.bags;
        fast(
            #[inline(always)]
            || {
                for (row, g) in g.chunks_exact(size).enumerate() {
                    for at in bags.starts[row]..bags.starts[row + 1] {
                        let to = bags.codes[at] as usize * size;
                        add_scaled(&mut out[to..to + size], g, bags.weights[at]);
                    }
                }
            },
        );
        self.dirty.clone_from(&self.bags.codes);
    }

    fn width(&self) -> usize {
        usize::try_from(self.size).expect("a width")
    }

    /// Codes, their rows and their weights (as a column) as tensors beside `like`.
    fn flat(&self, like: &Tensor) -> (Tensor, Tensor, Tensor) {
        let codes: Vec<i64> = self.bags.codes.iter().map(|&c| i64::from(c)).collect();
        let mut rows = Vec::with_capacity(codes.len());
        for (row, ends) in self.bags.starts.windows(2).enumerate() {
            rows.resize(ends[1], i64::try_from(row).expect("a batch"));
        }
        let device = like.device();
        (
            Tensor::from_slice(&codes).to_device(device),
            Tensor::from_slice(&rows).to_device(device),
            Tensor::from_slice(&self.bags.weights)
                .to_device(device)
                .unsqueeze(1),
        )
    }
}

#[inline(always)]
fn add_scaled(to: &mut [f32], from: &[f32], factor: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = factor.mul_add(*from, *to);
    }
}
