//! The update rules as one pass each over flat slices, compiled to vector instructions.
//!
//! PyTorch's documentation states each rule as an algorithm; these follow it term by term. `p` is a
//! parameter, `g` its gradient, `a`, `b`, `c` its states.

use search::config::trainer::Optimizer as Rule;

use super::state::Moment;
use crate::model::memory::fast;
use crate::precision::narrow;

/// Updates one group.
pub(super) fn update(
    rule: Rule,
    moment: Moment,
    p: &mut [f32],
    g: &[f32],
    states: [&mut [f32]; 3],
) {
    fast(
        #[inline(always)]
        || match rule {
            Rule::Sgd {
                momentum,
                dampening,
                nesterov,
                ..
            } => {
                sgd(
                    moment,
                    [momentum, dampening].map(narrow),
                    nesterov,
                    p,
                    g,
                    states,
                );
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
            } => adam(moment, betas, eps, amsgrad, p, g, states),
            Rule::Nadam { betas, eps, .. } => nadam(moment, betas, eps, p, g, states),
            Rule::Rmsprop {
                alpha,
                eps,
                momentum,
                centered,
                ..
            } => {
                rmsprop(
                    moment,
                    [alpha, eps, momentum].map(narrow),
                    centered,
                    p,
                    g,
                    states,
                );
            }
            Rule::Adagrad { lr_decay, eps, .. } => adagrad(moment, lr_decay, eps, p, g, states),
            Rule::Adadelta { rho, eps, .. } => {
                adadelta(moment, [rho, eps].map(narrow), p, g, states)
            }
            Rule::Adamax { betas, eps, .. } => adamax(moment, betas, eps, p, g, states),
        },
    );
}

/// `beta ^ step`, for bias corrections.
#[inline(always)]
fn power(beta: f64, step: u64) -> f64 {
    beta.powf(step as f64)
}

#[inline(always)]
fn each1(p: &mut [f32], g: &[f32], a: &mut [f32], body: impl Fn(&mut f32, f32, &mut f32)) {
    for ((p, g), a) in p.iter_mut().zip(g).zip(a) {
        body(p, *g, a);
    }
}

#[inline(always)]
fn each2(
    p: &mut [f32],
    g: &[f32],
    a: &mut [f32],
    b: &mut [f32],
    body: impl Fn(&mut f32, f32, &mut f32, &mut f32),
) {
    for (((p, g), a), b) in p.iter_mut().zip(g).zip(a).zip(b) {
        body(p, *g, a, b);
    }
}

#[inline(always)]
fn each3(
    p: &mut [f32],
    g: &[f32],
    [a, b, c]: [&mut [f32]; 3],
    body: impl Fn(&mut f32, f32, &mut f32, &mut f32, &mut f32),
) {
    for ((((p, g), a), b), c) in p.iter_mut().zip(g).zip(a).zip(b).zip(c) {
        body(p, *g, a, b, c);
    }
}

#[inline(always)]
fn sgd(
    m: Moment,
    [momentum, dampening]: [f32; 2],
    nesterov: bool,
    p: &mut [f32],
    g: &[f32],
    [a, ..]: [&mut [f32]; 3],
) {
    let (lr, added) = (narrow(m.lr), narrow(m.added));
    if a.is_empty() {
        for (p, g) in p.iter_mut().zip(g) {
            *p -= lr * added.mul_add(*p, *g);
        }
        return;
    }
    // The first step takes the gradient undamped.
    let share = if m.step == 1 { 1.0 } else { 1.0 - dampening };
    each1(p, g, a, |p, g, a| {
        let g = added.mul_add(*p, g);
        *a = momentum.mul_add(*a, share * g);
        *p -= lr
            * if nesterov {
                momentum.mul_add(*a, g)
            } else {
                *a
            };
    });
}

/// Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), which differ in `kept` and `added`.
#[inline(always)]
fn adam(
    m: Moment,
    betas: (f64, f64),
    eps: f64,
    amsgrad: bool,
    p: &mut [f32],
    g: &[f32],
    [a, b, c]: [&mut [f32]; 3],
) {
    let (keep1, keep2) = (narrow(betas.0), narrow(betas.1));
    let (new1, new2) = (narrow(1.0 - betas.0), narrow(1.0 - betas.1));
    let rate = narrow(m.lr / (1.0 - power(betas.0, m.step)));
    let unbias = narrow(1.0 / (1.0 - power(betas.1, m.step)).sqrt());
    let eps = narrow(eps);
    let (kept, added) = (narrow(m.kept), narrow(m.added));
    if amsgrad {
        each3(p, g, [a, b, c], |p, g, a, b, c| {
            let g = added.mul_add(*p, g);
            *a = keep1.mul_add(*a, new1 * g);
            *b = keep2.mul_add(*b, new2 * g * g);
            *c = c.max(*b);
            *p = kept * *p - rate * *a / unbias.mul_add(c.sqrt(), eps);
        });
        return;
    }
    each2(p, g, a, b, |p, g, a, b| {
        let g = added.mul_add(*p, g);
        *a = keep1.mul_add(*a, new1 * g);
        *b = keep2.mul_add(*b, new2 * g * g);
        *p = kept * *p - rate * *a / unbias.mul_add(b.sqrt(), eps);
    });
}

#[inline(always)]
fn nadam(
    m: Moment,
    betas: (f64, f64),
    eps: f64,
    p: &mut [f32],
    g: &[f32],
    [a, b, _]: [&mut [f32]; 3],
) {
    let (keep1, keep2) = (narrow(betas.0), narrow(betas.1));
    let (new1, new2) = (narrow(1.0 - betas.0), narrow(1.0 - betas.1));
    let [now, next, product] = m.momenta;
    let from_gradient = narrow(m.lr * (1.0 - now) / (1.0 - product));
    let from_momentum = narrow(m.lr * next / (1.0 - product * next));
    let unbias = narrow(1.0 / (1.0 - power(betas.1, m.step)).sqrt());
    let (eps, added) = (narrow(eps), narrow(m.added));
    each2(p, g, a, b, |p, g, a, b| {
        let g = added.mul_add(*p, g);
        *a = keep1.mul_add(*a, new1 * g);
        *b = keep2.mul_add(*b, new2 * g * g);
        *p -= from_gradient.mul_add(g, from_momentum * *a) / unbias.mul_add(b.sqrt(), eps);
    });
}

#[inline(always)]
fn rmsprop(
    m: Moment,
    [alpha, eps, momentum]: [f32; 3],
    centered: bool,
    p: &mut [f32],
    g: &[f32],
    states: [&mut [f32]; 3],
) {
    let (lr, added) = (narrow(m.lr), narrow(m.added));
    each3(p, g, states, |p, g, a, b, c| {
        let g = added.mul_add(*p, g);
        *a = alpha.mul_add(*a, (1.0 - alpha) * g * g);
        let variance = if centered {
            *b = alpha.mul_add(*b, (1.0 - alpha) * g);
            *a - *b * *b
        } else {
            *a
        };
        let step = g / (variance.sqrt() + eps);
        *c = momentum.mul_add(*c, step);
        *p -= lr * *c;
    });
}

#[inline(always)]
fn adagrad(m: Moment, lr_decay: f64, eps: f64, p: &mut [f32], g: &[f32], [a, ..]: [&mut [f32]; 3]) {
    let lr = narrow(m.lr / (1.0 + (m.step - 1) as f64 * lr_decay));
    let (eps, added) = (narrow(eps), narrow(m.added));
    each1(p, g, a, |p, g, a| {
        let g = added.mul_add(*p, g);
        *a = g.mul_add(g, *a);
        *p -= lr * g / (a.sqrt() + eps);
    });
}

#[inline(always)]
fn adadelta(m: Moment, [rho, eps]: [f32; 2], p: &mut [f32], g: &[f32], [a, b, _]: [&mut [f32]; 3]) {
    let (lr, added) = (narrow(m.lr), narrow(m.added));
    each2(p, g, a, b, |p, g, a, b| {
        let g = added.mul_add(*p, g);
        *a = rho.mul_add(*a, (1.0 - rho) * g * g);
        let step = ((*b + eps) / (*a + eps)).sqrt() * g;
        *b = rho.mul_add(*b, (1.0 - rho) * step * step);
        *p -= lr * step;
    });
}

#[inline(always)]
fn adamax(
    m: Moment,
    betas: (f64, f64),
    eps: f64,
    p: &mut [f32],
    g: &[f32],
    [a, b, _]: [&mut [f32]; 3],
) {
    let (keep1, keep2, new1) = (narrow(betas.0), narrow(betas.1), narrow(1.0 - betas.0));
    let rate = narrow(m.lr / (1.0 - power(betas.0, m.step)));
    let (eps, added) = (narrow(eps), narrow(m.added));
    each2(p, g, a, b, |p, g, a, b| {
        let g = added.mul_add(*p, g);
        *a = keep1.mul_add(*a, new1 * g);
        *b = (keep2 * *b).max(g.abs() + eps);
        *p -= rate * *a / *b;
    });
}
