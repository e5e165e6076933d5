//! The update rules as tensor operations, for a GPU: the same terms as in `loops`.

use search::config::trainer::Optimizer as Rule;
use tch::Tensor;

use super::optimizer::Moment;

/// Updates one group; `p` and the states are views that are written in place.
pub(super) fn update(
    rule: Rule,
    m: Moment,
    mut p: Tensor,
    gradient: &Tensor,
    mut states: Vec<Tensor>,
) {
    let power = |beta: f64| beta.powf(m.step as f64);
    let decoupled = matches!(rule, Rule::Adamw { .. });
    let g = if decoupled || m.decay <= 0.0 {
        gradient.shallow_clone()
    } else {
        gradient + &p * m.decay
    };
    // Writes `keep * state + new` and gives the new state.
    let mut blend = |at: usize, keep: f64, new: Tensor| -> Tensor {
        let blended = &states[at] * keep + new;
        states[at].copy_(&blended);
        blended
    };
    match rule {
        Rule::Sgd {
            momentum,
            dampening,
            nesterov,
            ..
        } => {
            if momentum <= 0.0 {
                p -= g * m.lr;
                return;
            }
            let share = if m.step == 1 { 1.0 } else { 1.0 - dampening };
            let a = blend(0, momentum, &g * share);
            p -= (if nesterov { a * momentum + g } else { a }) * m.lr;
        }
        Rule::Adam {
            betas,
            eps,
            amsgrad,
            ..
        }
        | Rule::Adamw {
            betas,
            eps,
            amsgrad,
            ..
        } => {
            let a = blend(0, betas.0, &g * (1.0 - betas.0));
            let mut b = blend(1, betas.1, &g * &g * (1.0 - betas.1));
            if amsgrad {
                b = states[2].maximum(&b);
                states[2].copy_(&b);
            }
            if decoupled {
                p *= 1.0 - m.lr * m.decay;
            }
            let denominator = b.sqrt() / (1.0 - power(betas.1)).sqrt() + eps;
            p -= a / denominator * (m.lr / (1.0 - power(betas.0)));
        }
        Rule::Nadam { betas, eps, .. } => {
            let [now, next, product] = m.momenta;
            let a = blend(0, betas.0, &g * (1.0 - betas.0));
            let b = blend(1, betas.1, &g * &g * (1.0 - betas.1));
            let step = g * (m.lr * (1.0 - now) / (1.0 - product))
                + a * (m.lr * next / (1.0 - product * next));
            p -= step / (b.sqrt() / (1.0 - power(betas.1)).sqrt() + eps);
        }
        Rule::Rmsprop {
            alpha,
            eps,
            momentum,
            centered,
            ..
        } => {
            let mut variance = blend(0, alpha, &g * &g * (1.0 - alpha));
            if centered {
                let mean = blend(1, alpha, &g * (1.0 - alpha));
                variance -= &mean * &mean;
            }
            p -= blend(2, momentum, g / (variance.sqrt() + eps)) * m.lr;
        }
        Rule::Adagrad { lr_decay, eps, .. } => {
            let a = blend(0, 1.0, &g * &g);
            p -= g / (a.sqrt() + eps) * (m.lr / (1.0 + (m.step - 1) as f64 * lr_decay));
        }
        Rule::Adadelta { rho, eps, .. } => {
            let a = blend(0, rho, &g * &g * (1.0 - rho));
            let step = ((&states[1] + eps) / (a + eps)).sqrt() * g;
            let squares = &states[1] * rho + &step * &step * (1.0 - rho);
            states[1].copy_(&squares);
            p -= step * m.lr;
        }
        Rule::Adamax { betas, eps, .. } => {
            let a = blend(0, betas.0, &g * (1.0 - betas.0));
            let b = (&states[1] * betas.1).maximum(&(g.abs() + eps));
            states[1].copy_(&b);
            p -= a / b * (m.lr / (1.0 - power(betas.0)));
        }
    }
}
