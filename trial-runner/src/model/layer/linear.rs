//! A matrix product with learned weights.

use tch::Tensor;

use crate::model::parameters::{Buffer, Init, Layout, Slot, Treatment};
use crate::model::pass::Pass;

/// `y = x W^T`. A bias and a factor belong to the [`Activate`](super::Activate) that follows.
#[derive(Debug)]
pub struct Linear {
    weight: Slot,
    n_in: i64,
    n_out: i64,
    input: Option<Tensor>,
    output: Buffer,
    input_gradient: Buffer,
}

impl Linear {
    /// Declares `path.weight` of shape `[n_out, n_in]`.
    pub fn new(
        layout: &mut Layout,
        path: &str,
        n_in: i64,
        n_out: i64,
        init: Init,
        treatment: Treatment,
    ) -> Self {
        Self {
            weight: layout.add(format!("{path}.weight"), &[n_out, n_in], init, treatment),
            n_in,
            n_out,
            input: None,
            output: Buffer::default(),
            input_gradient: Buffer::default(),
        }
    }

    /// `[batch, n_in] -> [batch, n_out]`.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        assert_eq!(x.size()[1], self.n_in, "the input has the declared width");
        let y = self.output.of(&[x.size()[0], self.n_out], pass.device());
        let _ = x.mm_out(y, &pass.parameters.value(self.weight).tr());
        self.input = Some(x.shallow_clone());
        y.shallow_clone()
    }

    /// The gradient of the weights, and that of the input where it is wanted.
    pub fn backward(
        &mut self,
        pass: &mut Pass<'_>,
        gradient: &Tensor,
        wants_input: bool,
    ) -> Option<Tensor> {
        let x = self.input.as_ref().expect("a forward pass came before");
        let _ = gradient
            .tr()
            .mm_out(pass.parameters.gradient(self.weight), x);
        wants_input.then(|| {
            let out = self
                .input_gradient
                .of(&[gradient.size()[0], self.n_in], pass.device());
            let _ = gradient.mm_out(out, pass.parameters.value(self.weight));
            out.shallow_clone()
        })
    }
}
