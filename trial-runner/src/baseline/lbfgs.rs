//! Minimisation of a smooth convex function by limited-memory BFGS with a preconditioner.
//!
//! Nocedal and Wright, "Numerical Optimization", algorithms 7.4 and 7.5; the initial inverse Hessian is the
//! caller's, scaled as in their equation 7.20.

use std::collections::VecDeque;

use super::solve::dot;

/// Pairs that are kept.
const MEMORY: usize = 10;

/// A function to minimise.
pub(super) trait Objective {
    /// The value at `x`, and the gradient there.
    fn value(&self, x: &[f64], gradient: &mut [f64]) -> f64;

    /// Applies an approximate inverse of the Hessian to a vector.
    fn precondition(&self, vector: &mut [f64]);
}

/// Begins at `x`, ends after `max_steps` or when a step lowers the value by less than `tolerance` of itself.
pub(super) fn minimise(
    objective: &impl Objective,
    mut x: Vec<f64>,
    max_steps: usize,
    tolerance: f64,
) -> Vec<f64> {
    let mut gradient = vec![0.0; x.len()];
    let mut value = objective.value(&x, &mut gradient);
    let mut pairs: VecDeque<Pair> = VecDeque::new();
    for _ in 0..max_steps {
        let direction = direction(objective, &pairs, &gradient);
        let slope = dot(&direction, &gradient);
        if slope >= 0.0 || !value.is_finite() {
            break;
        }
        let Some((next, next_value, next_gradient)) =
            line_search(objective, &x, value, &direction, slope)
        else {
            break;
        };
        let step: Vec<f64> = next.iter().zip(&x).map(|(a, b)| a - b).collect();
        let change: Vec<f64> = next_gradient
            .iter()
            .zip(&gradient)
            .map(|(a, b)| a - b)
            .collect();
        let gain = value - next_value;
        (x, value, gradient) = (next, next_value, next_gradient);
        if gain < tolerance * value.abs() {
            break;
        }
        let curvature = dot(&step, &change);
        if curvature > 1e-300 {
            if pairs.len() == MEMORY {
                pairs.pop_front();
            }
            pairs.push_back(Pair {
                step,
                change,
                curvature,
            });
        }
    }
    x
}

struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    curvature: f64,
}

/// Minus the approximate inverse Hessian times the gradient: the two-loop recursion.
fn direction(objective: &impl Objective, pairs: &VecDeque<Pair>, gradient: &[f64]) -> Vec<f64> {
    let mut q = gradient.to_vec();
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = dot(&pair.step, &q) / pair.curvature;
        add(&mut q, -share, &pair.change);
        shares.push(share);
    }
    objective.precondition(&mut q);
    if let Some(pair) = pairs.back() {
        let mut change = pair.change.clone();
        objective.precondition(&mut change);
        let scale = pair.curvature / dot(&pair.change, &change);
        q.iter_mut().for_each(|x| *x *= scale);
    }
    for (pair, share) in pairs.iter().zip(shares.into_iter().rev()) {
        let other = dot(&pair.change, &q) / pair.curvature;
        add(&mut q, share - other, &pair.step);
    }
    q.iter_mut().for_each(|x| *x = -*x);
    q
}

/// The first of the step and its halves that lowers the value enough.
fn line_search(
    objective: &impl Objective,
    x: &[f64],
    value: f64,
    direction: &[f64],
    slope: f64,
) -> Option<(Vec<f64>, f64, Vec<f64>)> {
    let mut gradient = vec![0.0; x.len()];
    let mut length = 1.0;
    for _ in 0..20 {
        let mut next = x.to_vec();
        add(&mut next, length, direction);
        let next_value = objective.value(&next, &mut gradient);
        if next_value <= value + 1e-4 * length * slope {
            return Some((next, next_value, gradient));
        }
        length *= 0.5;
    }
    None
}

fn add(to: &mut [f64], factor: f64, other: &[f64]) {
    to.iter_mut().zip(other).for_each(|(a, b)| *a += factor * b);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sum of (x_i - i)^4 + scale_i (x_i - i)^2, badly scaled.
    struct Bowl;

    impl Objective for Bowl {
        fn value(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
            let mut sum = 0.0;
            for (i, (x, g)) in (0..).zip(x.iter().zip(gradient)) {
                let (d, scale) = (x - f64::from(i), 10_f64.powi(i));
                sum += d.powi(4) + scale * d * d;
                *g = 4.0 * d.powi(3) + 2.0 * scale * d;
            }
            sum
        }

        fn precondition(&self, vector: &mut [f64]) {
            vector.iter_mut().for_each(|x| *x *= 0.1);
        }
    }

    #[test]
    fn a_badly_scaled_bowl_is_descended_to_its_bottom() {
        let x = minimise(&Bowl, vec![5.0; 5], 200, 1e-14);
        assert!(
            x.iter()
                .enumerate()
                .all(|(i, x)| (x - i as f64).abs() < 1e-4),
            "{x:?}"
        );
    }
}
