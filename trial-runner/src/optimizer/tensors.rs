//! The update rules as tensor operations, for a GPU: the same terms as in `loops`.

use search::config::trainer::Optimizer as Rule;
use tch::Tensor;

use super::state::Moment;

/// Updates one group; `p` and the states are views that are written in place.
pub(super) fn update(rule: Rule, m: Moment, mut p: Tensor, g: &Tensor, states: Vec<Tensor>) {
    if m.kept < 1.0 {
        p *= m.kept;
    }
    let g = if m.added > 0.0 {
        g + &p * m.added
    } else {
        g.shallow_clone()
    };
    p -= step(rule, m, &g, States(states));
}

struct States(Vec<Tensor>);

impl States {
    /// Writes `keep * state + new`, and gives it.
    fn blend(&mut self, at: usize, keep: f64, new: &Tensor) -> Tensor {
        let blended = &self.0[at] * keep + new;
        self.0[at].copy_(&blended);
        blended
    }

    /// The same with `new` weighing what `keep` leaves of 1: a running mean.
    fn mean(&mut self, at: usize, keep: f64, new: &Tensor) -> Tensor {
        self.blend(at, keep, &(new * (1.0 - keep)))
    }

    /// Writes the greater of the state and `new`, and gives it.
    fn greatest(&mut self, at: usize, new: &Tensor) -> Tensor {
        let greatest = self.0[at].maximum(new);
        self.0[at].copy_(&greatest);
        greatest
    }
}

/// What is subtracted from the parameters.
fn step(rule: Rule, m: Moment, g: &Tensor, mut states: States) -> Tensor {
    let unbias = |beta: f64| 1.0 - beta.powf(m.step as f64);
    let squares = || g * g;
    match rule {
        Rule::Sgd { momentum, .. } if momentum <= 0.0 => g * m.lr,
        Rule::Sgd {
            momentum,
            dampening,
            nesterov,
            ..
        } => {
            let share = if m.step == 1 { 1.0 } else { 1.0 - dampening };
            let a = states.blend(0, momentum, &(g * share));
            (if nesterov { a * momentum + g } else { a }) * m.lr
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
            let a = states.mean(0, betas.0, g);
            let b = states.mean(1, betas.1, &squares());
            let b = if amsgrad { states.greatest(2, &b) } else { b };
            a / (b.sqrt() / unbias(betas.1).sqrt() + eps) * (m.lr / unbias(betas.0))
        }
        Rule::Nadam { betas, eps, .. } => {
            let [now, next, product] = m.momenta;
            let a = states.mean(0, betas.0, g) * (m.lr * next / (1.0 - product * next));
            let b = states.mean(1, betas.1, &squares());
            (g * (m.lr * (1.0 - now) / (1.0 - product)) + a)
                / (b.sqrt() / unbias(betas.1).sqrt() + eps)
        }
        Rule::Rmsprop {
            alpha,
            eps,
            momentum,
            centered,
            ..
        } => {
            let mut variance = states.mean(0, alpha, &squares());
            if centered {
                let mean = states.mean(1, alpha, g);
                variance -= &mean * &mean;
            }
            states.blend(2, momentum, &(g / (variance.sqrt() + eps))) * m.lr
        }
        Rule::Adagrad { lr_decay, eps, .. } => {
            let a = states.blend(0, 1.0, &squares());
            g / (a.sqrt() + eps) * (m.lr / (1.0 + (m.step - 1) as f64 * lr_decay))
        }
        Rule::Adadelta { rho, eps, .. } => {
            let a = states.mean(0, rho, &squares());
            let step = ((&states.0[1] + eps) / (a + eps)).sqrt() * g;
            let _ = states.mean(1, rho, &(&step * &step));
            step * m.lr
        }
        Rule::Adamax { betas, eps, .. } => {
            let a = states.mean(0, betas.0, g);
            let b = (&states.0[1] * betas.1).maximum(&(g.abs() + eps));
            states.0[1].copy_(&b);
            a / b * (m.lr / unbias(betas.0))
        }
    }
}
