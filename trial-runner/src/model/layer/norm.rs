//! Batch and layer normalisation.

use tch::{Kind, Tensor};

use crate::model::parameters::{Init, Layout, Slot, Treatment};
use crate::model::pass::Pass;

/// Added to the variance, as in PyTorch.
const EPSILON: f64 = 1e-5;
/// Weight of a new batch in the running moments, as in PyTorch.
const MOMENTUM: f64 = 0.1;

/// Mean 0 and variance 1, then a learned scale and shift for each column.
#[derive(Debug)]
pub struct Norm {
    weight: Slot,
    bias: Slot,
    /// Running mean and variance; batch norm has them, layer norm does not.
    running: Option<(Slot, Slot)>,
    normal: Option<Tensor>,
    inverse_sd: Option<Tensor>,
    /// Whether the moments came from the last batch, so that gradients flow through them.
    from_batch: bool,
}

impl Norm {
    /// Over the columns of each row (Ba et al., "Layer Normalization", 2016).
    pub fn layer(layout: &mut Layout, path: &str, n: i64) -> Self {
        Self {
            weight: layout.add(
                format!("{path}.weight"),
                &[n],
                Init::Constant(1.0),
                Treatment::BIAS,
            ),
            bias: layout.add(
                format!("{path}.bias"),
                &[n],
                Init::Constant(0.0),
                Treatment::BIAS,
            ),
            running: None,
            normal: None,
            inverse_sd: None,
            from_batch: false,
        }
    }

    /// Over the rows of a batch for each column (Ioffe and Szegedy, "Batch Normalization", 2015).
    pub fn batch(layout: &mut Layout, path: &str, n: i64) -> Self {
        let mean = layout.add(
            format!("{path}.running_mean"),
            &[n],
            Init::Constant(0.0),
            Treatment::STATE,
        );
        let var = layout.add(
            format!("{path}.running_var"),
            &[n],
            Init::Constant(1.0),
            Treatment::STATE,
        );
        Self {
            running: Some((mean, var)),
            ..Self::layer(layout, path, n)
        }
    }

    /// The dimension that the moments are taken over.
    fn dim(&self) -> i64 {
        if self.running.is_some() { 0 } else { 1 }
    }

    /// `[batch, n] -> [batch, n]`. A batch of one row has no variance: the running one is used.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        let rows = x.size()[0];
        self.from_batch = match self.running {
            Some(_) => pass.training.is_some() && rows > 1,
            None => true,
        };
        let (mean, var) = match self.running {
            Some((mean, var)) if !self.from_batch => (
                pass.parameters.value(mean).shallow_clone(),
                pass.parameters.value(var).shallow_clone(),
            ),
            Some(_) | None => {
                let mean = x.mean_dim(self.dim(), true, Kind::Float);
                let centred = x - &mean;
                (
                    mean,
                    (&centred * &centred).mean_dim(self.dim(), true, Kind::Float),
                )
            }
        };
        if let (Some((running_mean, running_var)), true) = (self.running, self.from_batch) {
            let unbiased = rows as f64 / (rows as f64 - 1.0);
            let blend =
                |old: &Tensor, new: &Tensor| old * (1.0 - MOMENTUM) + new.view_as(old) * MOMENTUM;
            let mean = blend(pass.parameters.value(running_mean), &mean);
            let var = blend(pass.parameters.value(running_var), &(&var * unbiased));
            pass.parameters.value_mut(running_mean).copy_(&mean);
            pass.parameters.value_mut(running_var).copy_(&var);
        }
        let inverse_sd = (var + EPSILON).rsqrt();
        let normal = (x - mean) * &inverse_sd;
        let y = &normal * pass.parameters.value(self.weight) + pass.parameters.value(self.bias);
        (self.normal, self.inverse_sd) = (Some(normal), Some(inverse_sd));
        y
    }

    /// The gradients of scale and shift, and that of the input.
    pub fn backward(&mut self, pass: &mut Pass<'_>, gradient: &Tensor) -> Tensor {
        let normal = self.normal.as_ref().expect("a forward pass came before");
        let inverse_sd = self
            .inverse_sd
            .as_ref()
            .expect("a forward pass came before");
        let over_rows = |t: Tensor| t.sum_dim_intlist(0i64, false, Kind::Float);
        pass.parameters
            .gradient_mut(self.weight)
            .copy_(&over_rows(gradient * normal));
        pass.parameters
            .gradient_mut(self.bias)
            .copy_(&over_rows(gradient.shallow_clone()));
        let g = gradient * pass.parameters.value(self.weight);
        if !self.from_batch {
            return g * inverse_sd;
        }
        let mean = |t: &Tensor| t.mean_dim(self.dim(), true, Kind::Float);
        (&g - mean(&g) - normal * mean(&(&g * normal))) * inverse_sd
    }
}
