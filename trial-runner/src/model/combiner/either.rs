//! The combiner of a network, one of several kinds.

use search::config::model as config;
use tch::Tensor;

use super::Realmlp;
use crate::model::layer::Stack;
use crate::model::parameters::Layout;
use crate::model::pass::Pass;

/// From the encoded inputs, side by side, to what the decoder sees.
#[derive(Debug)]
pub enum Combiner {
    /// Fully connected layers; none of them lets the inputs pass.
    Concat(Stack),
    /// The RealMLP block.
    Realmlp(Realmlp),
}

impl Combiner {
    /// Declares the parameters of a combiner of `n_in` columns, under `combiner`.
    pub fn new(layout: &mut Layout, config: &config::Combiner, n_in: i64) -> Self {
        match config {
            config::Combiner::Concat(stack) => {
                Self::Concat(Stack::new(layout, "combiner", n_in, stack))
            }
            config::Combiner::Realmlp(realmlp) => {
                Self::Realmlp(Realmlp::new(layout, "combiner", n_in, realmlp))
            }
        }
    }

    /// The number of columns it gives.
    pub fn n_out(&self) -> i64 {
        match self {
            Self::Concat(stack) => stack.n_out(),
            Self::Realmlp(realmlp) => realmlp.n_out(),
        }
    }

    /// `[batch, n_in] -> [batch, n_out]`.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        match self {
            Self::Concat(stack) => stack.forward(pass, x),
            Self::Realmlp(realmlp) => realmlp.forward(pass, x),
        }
    }

    /// The gradients of its parameters, and that of the input where it is wanted.
    pub fn backward(
        &mut self,
        pass: &mut Pass<'_>,
        gradient: Tensor,
        wants_input: bool,
    ) -> Option<Tensor> {
        match self {
            Self::Concat(stack) => stack.backward(pass, gradient, wants_input),
            Self::Realmlp(realmlp) => realmlp.backward(pass, gradient, wants_input),
        }
    }
}
