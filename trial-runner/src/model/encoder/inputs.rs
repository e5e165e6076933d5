//! All encoders of a network side by side: from rows of the arrays to one matrix.

use search::config::model as config;
use tch::{Device, Tensor};

use super::Codings;
use super::build::Build;
use super::columns::{Columns, Sheet};
use super::learned::Learned;
use crate::error::{Error, Result};
use crate::model::arrays::Arrays;
use crate::model::memory::floats_mut;
use crate::model::parameters::{Buffer, Layout, to_i64};
use crate::model::pass::Pass;

/// What the combiner wants of its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As Ludwig: 0 and 1.
    Plain,
    /// As RealMLP: two values are -1 and +1, and a missing one is 0.
    Signed,
}

/// Plain columns first, then what is learned, each block in the order of the config.
#[derive(Debug)]
pub struct Inputs {
    plain: Vec<Box<dyn Columns>>,
    n_plain: usize,
    learned: Vec<Learned>,
    n_out: usize,
    sheet: Buffer,
    output: Buffer,
}

impl Inputs {
    /// Declares the encoders of `inputs`, whose codings are in the same order. Parameters are named after
    /// the feature: `age.encoder.layer_0.weight`. What goes past the combiner has `n_outputs` columns,
    /// as the decoder's output.
    pub fn new(
        layout: &mut Layout,
        inputs: &[config::Input],
        codings: &Codings,
        style: Style,
        n_outputs: i64,
    ) -> Result<Self> {
        if inputs.len() != codings.inputs.len() {
            return Err(Error::Config(format!(
                "the config has {} input features, and the encodings {}",
                inputs.len(),
                codings.inputs.len()
            )));
        }
        let mut build = Build::new(layout, style, n_outputs);
        for (input, coding) in inputs.iter().zip(&codings.inputs) {
            build.add(input, coding)?;
        }
        let (plain, learned) = build.finish();
        let n_plain = plain.iter().map(|columns| columns.width()).sum();
        let n_out = n_plain + learned.iter().map(|learned| learned.n_out).sum::<usize>();
        if n_out == 0 {
            return Err(Error::data(
                "no input feature has anything to learn from: each is constant or missing",
            ));
        }
        Ok(Self {
            plain,
            n_plain,
            learned,
            n_out,
            sheet: Buffer::default(),
            output: Buffer::default(),
        })
    }

    /// Columns that the combiner sees.
    pub fn n_out(&self) -> i64 {
        to_i64(self.n_out)
    }

    /// Whether the combiner's gradient is of use here.
    pub fn is_learned(&self) -> bool {
        !self.learned.is_empty()
    }

    /// `rows -> [rows, n_out]`.
    pub fn forward(&mut self, pass: &mut Pass<'_>, arrays: &Arrays<'_>, rows: &[u32]) -> Tensor {
        let plain = sheet(&mut self.sheet, self.n_plain, &self.plain, arrays, rows)
            .to_device(pass.device());
        if self.learned.is_empty() {
            return plain;
        }
        let output = self
            .output
            .of(&[to_i64(rows.len()), to_i64(self.n_out)], pass.device());
        output.narrow(1, 0, to_i64(self.n_plain)).copy_(&plain);
        let mut at = self.n_plain;
        for learned in &mut self.learned {
            let block = learned.kind.forward(pass, arrays, rows);
            output
                .narrow(1, to_i64(at), to_i64(learned.n_out))
                .copy_(&block);
            at += learned.n_out;
        }
        output.shallow_clone()
    }

    /// Adds what goes past the combiner to the decoder's outputs, `[rows, n_outputs]`.
    pub fn add_direct(
        &mut self,
        pass: &mut Pass<'_>,
        arrays: &Arrays<'_>,
        rows: &[u32],
        outputs: Tensor,
    ) -> Tensor {
        let mut outputs = outputs;
        for learned in &mut self.learned {
            if let Some(direct) = learned.kind.direct(pass, arrays, rows) {
                // Not in place: the output's own layer keeps its buffer.
                outputs = outputs.g_add(&direct);
            }
        }
        outputs
    }

    /// The gradients of what goes past the combiner, from that of the output.
    pub fn direct_backward(&mut self, pass: &mut Pass<'_>, gradient: &Tensor) {
        for learned in &mut self.learned {
            learned.kind.direct_backward(pass, gradient);
        }
    }

    /// The gradients of what is learned.
    pub fn backward(&mut self, pass: &mut Pass<'_>, gradient: &Tensor) {
        let mut at = self.n_plain;
        for learned in &mut self.learned {
            // A copy: layers change their gradient in place, and this one is a view.
            let block = gradient.narrow(1, to_i64(at), to_i64(learned.n_out)).copy();
            learned.kind.backward(pass, block);
            at += learned.n_out;
        }
    }
}

/// Fills a buffer in main memory with plain columns.
fn sheet<'a>(
    buffer: &'a mut Buffer,
    width: usize,
    columns: &[Box<dyn Columns>],
    arrays: &Arrays<'_>,
    rows: &[u32],
) -> &'a Tensor {
    let tensor = buffer.of(&[to_i64(rows.len()), to_i64(width)], Device::Cpu);
    let mut at = 0;
    for block in columns {
        block.write(
            arrays,
            rows,
            Sheet {
                values: floats_mut(tensor),
                width,
                at,
            },
        );
        at += block.width();
    }
    tensor
}
