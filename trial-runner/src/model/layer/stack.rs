//! A stack of fully connected layers: linear, normalisation, activation, dropout.

use search::config::layers::{self as config, Activation, FcLayer, FcStack, Initializer};
use tch::Tensor;

use super::dropout::Course;
use super::{Activate, Dropout, Linear, Norm};
use crate::model::parameters::{Init, Layout, Treatment};
use crate::model::pass::Pass;

/// Fully connected layers, one after the other.
#[derive(Debug)]
pub struct Stack {
    layers: Vec<Layer>,
    n_out: i64,
}

/// One fully connected layer, in Ludwig's order.
#[derive(Debug)]
struct Layer {
    linear: Linear,
    shift: Activate,
    norm: Option<(Norm, Activate)>,
    dropout: Dropout,
    /// Whether the input is added to the output, which then has its shape.
    residual: bool,
}

impl Stack {
    /// Declares `path.layer_0.weight` and so on.
    pub fn new(layout: &mut Layout, path: &str, n_in: i64, stack: &FcStack) -> Self {
        let mut n_out = n_in;
        let mut layers = Vec::with_capacity(stack.layers.len());
        for (at, layer) in stack.layers.iter().enumerate() {
            let residual = stack.residual && n_out == layer.output_size;
            layers.push(Layer::new(
                layout,
                &format!("{path}.layer_{at}"),
                n_out,
                layer,
                residual,
            ));
            n_out = layer.output_size;
        }
        Self { layers, n_out }
    }

    /// The number of columns it gives.
    pub fn n_out(&self) -> i64 {
        self.n_out
    }

    /// `[batch, n_in] -> [batch, n_out]`.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        self.layers
            .iter_mut()
            .fold(x.shallow_clone(), |x, layer| layer.forward(pass, &x))
    }

    /// The gradients of all layers, and that of the input where it is wanted.
    pub fn backward(
        &mut self,
        pass: &mut Pass<'_>,
        gradient: Tensor,
        wants_input: bool,
    ) -> Option<Tensor> {
        let mut gradient = gradient;
        for (at, layer) in self.layers.iter_mut().enumerate().rev() {
            gradient = layer.backward(pass, gradient, wants_input || at > 0)?;
        }
        Some(gradient)
    }
}

impl Layer {
    fn new(layout: &mut Layout, path: &str, n_in: i64, layer: &FcLayer, residual: bool) -> Self {
        let n_out = layer.output_size;
        let init = start(layer.weights_initializer, n_in, n_out);
        let linear = Linear::new(layout, path, n_in, n_out, init, Treatment::WEIGHT);
        let first = if layer.norm.is_some() {
            Activation::Identity
        } else {
            layer.activation
        };
        let mut shift = Activate::plain(first, n_out);
        if layer.use_bias {
            shift = shift.with_bias(
                layout,
                path,
                start(layer.bias_initializer, n_in, n_out),
                Treatment::BIAS,
            );
        }
        let norm = layer.norm.map(|kind| {
            let path = format!("{path}.norm");
            let norm = match kind {
                config::Norm::Batch => Norm::batch(layout, &path, n_out),
                config::Norm::Layer => Norm::layer(layout, &path, n_out),
            };
            (norm, Activate::plain(layer.activation, n_out))
        });
        Self {
            linear,
            shift,
            norm,
            dropout: Dropout::new(layer.dropout, Course::Flat),
            residual,
        }
    }

    fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        let y = self.linear.forward(pass, x);
        let mut y = self.shift.forward(pass, y);
        if let Some((norm, activate)) = &mut self.norm {
            let normal = norm.forward(pass, &y);
            y = activate.forward(pass, normal);
        }
        let y = self.dropout.forward(pass, y);
        // A new tensor: the activation's slope may still need its output as it was.
        if self.residual { y + x } else { y }
    }

    fn backward(
        &mut self,
        pass: &mut Pass<'_>,
        gradient: Tensor,
        wants_input: bool,
    ) -> Option<Tensor> {
        let skip = (self.residual && wants_input).then(|| gradient.copy());
        let mut gradient = self.dropout.backward(gradient);
        if let Some((norm, activate)) = &mut self.norm {
            let inner = activate.backward(pass, gradient);
            gradient = norm.backward(pass, &inner);
        }
        let inner = self.shift.backward(pass, gradient);
        let below = self.linear.backward(pass, &inner, wants_input)?;
        Some(match skip {
            Some(skip) => below + skip,
            None => below,
        })
    }
}

/// How a parameter starts: Glorot and Bengio (2010) by both widths, He et al. (2015) by the input's.
fn start(initializer: Initializer, n_in: i64, n_out: i64) -> Init {
    let (n_in, n_out) = (n_in as f64, n_out as f64);
    match initializer {
        Initializer::XavierUniform => Init::Uniform((6.0 / (n_in + n_out)).sqrt()),
        Initializer::XavierNormal => Init::Normal((2.0 / (n_in + n_out)).sqrt()),
        Initializer::KaimingUniform => Init::Uniform((6.0 / n_in).sqrt()),
        Initializer::KaimingNormal => Init::Normal((2.0 / n_in).sqrt()),
        Initializer::Uniform => Init::Range(0.0, 1.0),
        Initializer::Normal => Init::Normal(1.0),
        Initializer::Zeros => Init::Constant(0.0),
        Initializer::Ones => Init::Constant(1.0),
    }
}
