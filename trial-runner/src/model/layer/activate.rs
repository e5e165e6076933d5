//! Factor, bias and activation in one pass over the batch.
//!
//! On the CPU these are loops over slices: a matrix product apart, a layer then costs one pass forward
//! and one backward, where the same as tensor operations takes ten.

use tch::{Kind, Tensor};

use super::activation::{
    self, Activation, Curve, Elu, Identity, LeakyRelu, LogSigmoid, Mish, Relu, Selu, Sigmoid, Tanh,
};
use crate::model::memory::{fast, floats, floats_mut};
use crate::model::parameters::{Buffer, Init, Layout, Slot, Treatment};
use crate::model::pass::Pass;

/// `y = f(gain * x + bias)`, row by row.
#[derive(Debug)]
pub struct Activate {
    bias: Option<Slot>,
    gain: f32,
    activation: Activation,
    n: i64,
    /// The input of `f`: it takes the place of `x`, which is a buffer of the layer before.
    inner: Option<Tensor>,
    output: Buffer,
}

/// Calls `$run::<Curve>` with the arguments, as a loop for each curve.
macro_rules! by_curve {
    ($activation:expr, $run:ident ( $($argument:expr),* )) => {
        match $activation {
            Activation::Identity | Activation::Softmax => $run::<Identity>($($argument),*),
            Activation::Relu => $run::<Relu>($($argument),*),
            Activation::LeakyRelu => $run::<LeakyRelu>($($argument),*),
            Activation::Elu => $run::<Elu>($($argument),*),
            Activation::Selu => $run::<Selu>($($argument),*),
            Activation::Sigmoid => $run::<Sigmoid>($($argument),*),
            Activation::Tanh => $run::<Tanh>($($argument),*),
            Activation::Mish => $run::<Mish>($($argument),*),
            Activation::LogSigmoid => $run::<LogSigmoid>($($argument),*),
        }
    };
}

impl Activate {
    /// An activation of `n` columns without factor or bias.
    pub fn plain(activation: Activation, n: i64) -> Self {
        Self {
            bias: None,
            gain: 1.0,
            activation,
            n,
            inner: None,
            output: Buffer::default(),
        }
    }

    /// With a learned bias, declared as `path.bias`.
    #[must_use]
    pub fn with_bias(
        mut self,
        layout: &mut Layout,
        path: &str,
        init: Init,
        treatment: Treatment,
    ) -> Self {
        self.bias = Some(layout.add(format!("{path}.bias"), &[self.n], init, treatment));
        self
    }

    /// With a fixed factor on the input, times the one it has.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "arithmetic is in f32")]
        let gain = (f64::from(self.gain) * factor) as f32;
        self.gain = gain;
        self
    }

    /// `[batch, n] -> [batch, n]`. Overwrites `x`, a buffer nobody reads again.
    pub fn forward(&mut self, pass: &mut Pass<'_>, mut x: Tensor) -> Tensor {
        let has_loop = self.has_loop(pass);
        let y = self.output.of(&x.size(), pass.device());
        let bias = self.bias.map(|slot| pass.parameters.value(slot));
        if has_loop {
            let (bias, u, y) = (bias.map(floats), floats_mut(&mut x), floats_mut(y));
            by_curve!(self.activation, run_forward(self.gain, bias, u, y));
        } else {
            let _ = x.g_mul_scalar_(f64::from(self.gain));
            if let Some(bias) = bias {
                let _ = x.g_add_(bias);
            }
            y.copy_(&activation::value(self.activation, &x));
        }
        let y = y.shallow_clone();
        self.inner = Some(x);
        y
    }

    /// Turns the gradient of the output into that of the input, in place, and writes the bias's.
    pub fn backward(&mut self, pass: &mut Pass<'_>, mut gradient: Tensor) -> Tensor {
        let u = self.inner.as_ref().expect("a forward pass came before");
        let y = self.output.get();
        if self.has_loop(pass) {
            let bias = self
                .bias
                .map(|slot| floats_mut(pass.parameters.gradient_mut(slot)));
            let n = usize::try_from(self.n).expect("a width");
            let g = floats_mut(&mut gradient);
            by_curve!(
                self.activation,
                run_backward(self.gain, bias, g, floats(u), floats(y), n)
            );
            return gradient;
        }
        let gradient = activation::pull_back(self.activation, &gradient, u, y);
        if let Some(slot) = self.bias {
            let sum = gradient.sum_dim_intlist(0i64, false, Kind::Float);
            pass.parameters.gradient_mut(slot).copy_(&sum);
        }
        gradient * f64::from(self.gain)
    }

    /// Whether the loops over slices apply: on the CPU, and for what acts on each number by itself.
    fn has_loop(&self, pass: &Pass<'_>) -> bool {
        pass.loops && self.activation != Activation::Softmax
    }
}

fn run_forward<C: Curve>(gain: f32, bias: Option<&[f32]>, u: &mut [f32], y: &mut [f32]) {
    fast(
        #[inline(always)]
        || match bias {
            Some(bias) => {
                let n = bias.len();
                for (u, y) in u.chunks_exact_mut(n).zip(y.chunks_exact_mut(n)) {
                    for ((u, y), b) in u.iter_mut().zip(y).zip(bias) {
                        *u = gain.mul_add(*u, *b);
                        *y = C::value(*u);
                    }
                }
            }
            None => {
                for (u, y) in u.iter_mut().zip(y) {
                    *u *= gain;
                    *y = C::value(*u);
                }
            }
        },
    );
}

fn run_backward<C: Curve>(
    gain: f32,
    bias: Option<&mut [f32]>,
    g: &mut [f32],
    u: &[f32],
    y: &[f32],
    n: usize,
) {
    fast(
        #[inline(always)]
        || {
            for ((g, u), y) in g.iter_mut().zip(u).zip(y) {
                *g *= C::slope(*u, *y);
            }
            if let Some(bias) = bias {
                bias.fill(0.0);
                for g in g.chunks_exact(n) {
                    for (b, g) in bias.iter_mut().zip(g) {
                        *b += *g;
                    }
                }
            }
            // Exact: a factor of 1 is the rule outside NTK parametrisation, and costs nothing then.
            if (gain - 1.0).abs() > 0.0 {
                for g in g.iter_mut() {
                    *g *= gain;
                }
            }
        },
    );
}
