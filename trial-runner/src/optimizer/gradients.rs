//! What happens to gradients between the backward pass and the update: penalties and bounds.

use search::config::trainer::{GradientClipping, Regularization};
use tch::{Kind, Tensor};

use crate::model::Parameters;

/// Adds the penalty's gradient, then applies the bounds in Ludwig's order. Nothing is touched when neither
/// is asked for.
pub fn prepare(parameters: &mut Parameters, penalty: Regularization, bounds: GradientClipping) {
    let _no_gradients = tch::no_grad_guard();
    let mut all = parameters.gradients().shallow_clone();
    match penalty {
        Regularization::None => {}
        Regularization::L1(lambda) => add(&mut all, &(parameters.values().sign() * lambda)),
        Regularization::L2(lambda) => add(&mut all, &(parameters.values() * lambda)),
        Regularization::L1L2(lambda) => {
            add(
                &mut all,
                &((parameters.values().sign() + parameters.values()) * lambda),
            );
        }
    }
    if let Some(bound) = bounds.global_norm {
        shrink(&mut all, bound);
    }
    if let Some(bound) = bounds.norm {
        parameters.each_gradient(|gradient| shrink(gradient, bound));
    }
    if let Some(bound) = bounds.value {
        let _ = all.clamp_(-bound, bound);
    }
}

fn add(gradient: &mut Tensor, more: &Tensor) {
    *gradient += more;
}

/// Scales to a norm of at most `bound`, as `torch.nn.utils.clip_grad_norm_`: by a tensor, so that a GPU
/// need not be waited for.
fn shrink(gradient: &mut Tensor, bound: f64) {
    let norm = (&*gradient * &*gradient).sum(Kind::Float).sqrt();
    let factor = ((norm + 1e-6).reciprocal() * bound).clamp_max(1.0);
    let _ = gradient.g_mul_(&factor);
}
