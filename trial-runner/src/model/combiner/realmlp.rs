//! The RealMLP block: a scaling layer and hidden layers in NTK parametrisation.
//!
//! Holzmüller, Grinsztajn, Steinwart, "Better by Default: Strong Pre-Tuned MLPs and Boosted Trees on
//! Tabular Data", 2024, section 3 and appendix A: the small variant RealMLP-TD-S with a fixed activation.
//! Its last layer is the decoder's. The dropout of the large variant follows `flat_cos`.

use search::config::model as config;
use tch::Tensor;

use crate::model::layer::dropout::Course;
use crate::model::layer::{Activate, Dropout, Linear, Scale};
use crate::model::parameters::{Init, Layout, Treatment};
use crate::model::pass::Pass;

/// The block.
#[derive(Debug)]
pub struct Realmlp {
    scale: Option<Scale>,
    layers: Vec<(Linear, Activate, Dropout)>,
    n_out: i64,
}

/// A linear layer with its bias as RealMLP has it. In NTK parametrisation weights and biases start as
/// standard normal numbers and the product is divided by the root of the input size (equation 1 of the
/// paper's appendix A.2); else both start as in PyTorch, uniform in plus or minus 1 / sqrt(n_in).
pub(in crate::model) fn dense(
    layout: &mut Layout,
    path: &str,
    (n_in, n_out): (i64, i64),
    config: &config::Realmlp,
    activate: Activate,
    zero: bool,
) -> (Linear, Activate) {
    let root = (n_in as f64).sqrt();
    let init = match (zero, config.ntk) {
        (true, _) => Init::Constant(0.0),
        (false, true) => Init::Normal(1.0),
        (false, false) => Init::Uniform(1.0 / root),
    };
    let linear = Linear::new(layout, path, n_in, n_out, init, Treatment::WEIGHT);
    let activate = activate.with_bias(
        layout,
        path,
        init,
        Treatment::BIAS.at(config.bias_lr_factor),
    );
    (
        linear,
        if config.ntk {
            activate.times(1.0 / root)
        } else {
            activate
        },
    )
}

impl Realmlp {
    /// Declares `path.scale`, `path.layer_0.weight` and so on.
    pub fn new(layout: &mut Layout, path: &str, n_in: i64, config: &config::Realmlp) -> Self {
        let scale = config
            .scale_layer
            .then(|| Scale::new(layout, path, n_in, config.scale_lr_factor));
        let mut width = n_in;
        let mut layers = Vec::with_capacity(config.hidden.len());
        for (at, &n_out) in config.hidden.iter().enumerate() {
            let activate = Activate::plain(config.activation, n_out);
            let path = format!("{path}.layer_{at}");
            let (linear, activate) = dense(layout, &path, (width, n_out), config, activate, false);
            layers.push((
                linear,
                activate,
                Dropout::new(config.dropout, Course::FlatCosine),
            ));
            width = n_out;
        }
        Self {
            scale,
            layers,
            n_out: width,
        }
    }

    /// The number of columns it gives.
    pub fn n_out(&self) -> i64 {
        self.n_out
    }

    /// `[batch, n_in] -> [batch, n_out]`.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        let mut x = match &mut self.scale {
            Some(scale) => scale.forward(pass, x),
            None => x.shallow_clone(),
        };
        for (linear, activate, dropout) in &mut self.layers {
            x = linear.forward(pass, &x);
            x = activate.forward(pass, x);
            x = dropout.forward(pass, x);
        }
        x
    }

    /// The gradients of its parameters, and that of the input where it is wanted.
    pub fn backward(
        &mut self,
        pass: &mut Pass<'_>,
        gradient: Tensor,
        wants_input: bool,
    ) -> Option<Tensor> {
        let mut gradient = gradient;
        for (at, (linear, activate, dropout)) in self.layers.iter_mut().enumerate().rev() {
            gradient = dropout.backward(gradient);
            gradient = activate.backward(pass, gradient);
            gradient = linear.backward(
                pass,
                &gradient,
                wants_input || at > 0 || self.scale.is_some(),
            )?;
        }
        match &mut self.scale {
            Some(scale) => scale.backward(pass, gradient, wants_input),
            None => Some(gradient),
        }
    }
}
