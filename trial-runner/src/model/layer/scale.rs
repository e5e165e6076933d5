//! A learned factor for each column.

use tch::Tensor;

use crate::model::memory::{floats, floats_mut};
use crate::model::parameters::{Buffer, Init, Layout, Slot, Treatment};
use crate::model::pass::Pass;

/// `y = x * scale`, the scaling layer of RealMLP (Holzmüller et al., "Better by Default", 2024,
/// section 3.2): a soft choice of columns, which learns at a multiple of the rate.
#[derive(Debug)]
pub struct Scale {
    scale: Slot,
    n: usize,
    input: Option<Tensor>,
    output: Buffer,
}

impl Scale {
    /// Declares `path.scale` of shape `[n]`, all 1.
    pub fn new(layout: &mut Layout, path: &str, n: i64, lr_factor: f64) -> Self {
        Self {
            scale: layout.add(
                format!("{path}.scale"),
                &[n],
                Init::Constant(1.0),
                Treatment::BIAS.at(lr_factor),
            ),
            n: usize::try_from(n).expect("a width"),
            input: None,
            output: Buffer::default(),
        }
    }

    /// `[batch, n] -> [batch, n]`.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        self.input = Some(x.shallow_clone());
        let scale = pass.parameters.value(self.scale);
        if !pass.loops {
            return x * scale;
        }
        let y = self.output.of(&x.size(), x.device());
        let (scale, x) = (floats(scale), floats(x));
        for (y, x) in floats_mut(y)
            .chunks_exact_mut(self.n)
            .zip(x.chunks_exact(self.n))
        {
            for ((y, x), s) in y.iter_mut().zip(x).zip(scale) {
                *y = x * s;
            }
        }
        y.shallow_clone()
    }

    /// The gradient of the factors; turns the gradient of the output into that of the input, in place.
    pub fn backward(
        &mut self,
        pass: &mut Pass<'_>,
        mut gradient: Tensor,
        wants_input: bool,
    ) -> Option<Tensor> {
        let x = self.input.as_ref().expect("a forward pass came before");
        if !pass.loops {
            let sum = (&gradient * x).sum_dim_intlist(0i64, false, tch::Kind::Float);
            pass.parameters.gradient_mut(self.scale).copy_(&sum);
            return wants_input.then(|| gradient * pass.parameters.value(self.scale));
        }
        let sums = floats_mut(pass.parameters.gradient_mut(self.scale));
        sums.fill(0.0);
        for (g, x) in floats(&gradient)
            .chunks_exact(self.n)
            .zip(floats(x).chunks_exact(self.n))
        {
            for ((sum, g), x) in sums.iter_mut().zip(g).zip(x) {
                *sum += g * x;
            }
        }
        wants_input.then(|| {
            let scale = floats(pass.parameters.value(self.scale));
            for g in floats_mut(&mut gradient).chunks_exact_mut(self.n) {
                for (g, s) in g.iter_mut().zip(scale) {
                    *g *= s;
                }
            }
            gradient
        })
    }
}
