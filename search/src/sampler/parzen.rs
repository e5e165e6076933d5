//! Mixtures of product kernels over the unit cube, one kernel a trial and a flat one: the densities of a
//! tree-structured Parzen estimator.
//!
//! Bergstra et al., "Algorithms for Hyper-Parameter Optimization" (NeurIPS 2011), section 4; multivariate
//! kernels after Falkner et al., "BOHB" (ICML 2018), section 3.2. Weights of old trials and the
//! share of the flat kernel are those of Optuna 5 (`_tpe/parzen_estimator.py`), widths of kernels its "magic
//! clip", but narrower. Ours, too: a parameter that does not exist for a trial has a flat kernel there, so that one mixture
//! holds all branches of a space (Optuna: one mixture a group); and steps are told apart only up to 64.

use statrs::function::erf::erfc;

use crate::seed;
use crate::space::{Domain, Space};

/// Domains with more values than this are treated as if they had no steps.
const MAX_STEPS: u64 = 64;

/// Kernels of the newest trials weigh fully; older ones less and less (Optuna's `default_weights`).
const N_FRESH: usize = 25;

/// The least width of a kernel as a share of Optuna's, which is 1 / (kernels + 1). Measured over four functions
/// by `benches/sampler_quality.py`: at 1 the regret on a mixed space is four times that at a third.
const NARROW: f64 = 0.35;

/// The deviation of a mutation, as a share of the range.
const STEP: f64 = 0.1;

/// Past so many deviations a normal distribution has nothing left that matters: 6e-7.
const EDGE: f64 = 5.0;

const SQRT_2_PI: f64 = 2.506_628_274_631_000_5;

/// How an axis is modelled.
#[derive(Clone, Debug)]
pub(super) enum Axis {
    /// Normal kernels, cut off at 0 and 1.
    Smooth,
    /// Normal kernels, cut off at 0 and 1, summed over the share of each value; the ends of the shares.
    Steps(Vec<f64>),
    /// One value as likely as all others together, and the rest alike; so many values.
    Category(usize),
}

impl Axis {
    /// How each axis of a space is modelled. Numbers that are listed in ascending order are steps.
    pub(super) fn of(space: &Space) -> Vec<Self> {
        let axis = |domain: &Domain| match domain.listed() {
            Some(values) => {
                let numbers: Option<Vec<f64>> =
                    values.iter().map(serde_json::Value::as_f64).collect();
                let shares = domain.shares(MAX_STEPS);
                match (numbers, shares) {
                    (Some(numbers), Some(shares))
                        if numbers.len() > 2 && is_ascending(&numbers) =>
                    {
                        Self::Steps(shares)
                    }
                    (Some(_) | None, _) => Self::Category(values.len()),
                }
            }
            None => domain.shares(MAX_STEPS).map_or(Self::Smooth, Self::Steps),
        };
        let parameters = space.parameters().iter();
        parameters
            .map(|parameter| axis(&parameter.domain))
            .collect()
    }

    /// Which value a coordinate stands for.
    fn index(&self, u: f64) -> usize {
        match self {
            Self::Smooth => 0,
            Self::Steps(ends) => ends.partition_point(|end| *end <= u).min(ends.len() - 1),
            Self::Category(n) => place(u, *n),
        }
    }

    /// A coordinate a step from another, or the same; any one where there is none to step from.
    pub(super) fn step(&self, from: Option<f64>, change: bool, rng: &mut impl rand::Rng) -> f64 {
        let Some(from) = from else {
            return seed::unit(rng);
        };
        if !change {
            return from;
        }
        match self {
            Self::Smooth | Self::Steps(_) => draw_within(from, STEP, rng),
            Self::Category(_) => seed::unit(rng),
        }
    }

    /// The middle of the share of a value.
    fn middle(&self, index: usize) -> f64 {
        match self {
            Self::Smooth => 0.5,
            Self::Steps(ends) => {
                let from = index.checked_sub(1).map_or(0.0, |before| ends[before]);
                f64::midpoint(from, ends[index])
            }
            Self::Category(n) => (count(index) + 0.5) / count(*n),
        }
    }
}

fn is_ascending(numbers: &[f64]) -> bool {
    numbers.windows(2).all(|pair| pair[0] < pair[1])
}

/// A point that is asked about: a coordinate for each axis, nothing where the parameter does not exist.
pub(super) type Point = Vec<Option<f64>>;

/// The kernels on one axis.
#[derive(Clone, Debug)]
enum Column {
    /// ln density of kernel k at x: `norm[k] - (x * scale[k] - shift[k])^2`.
    Smooth {
        mu: Vec<f64>,
        sigma: Vec<f64>,
        scale: Vec<f64>,
        shift: Vec<f64>,
        norm: Vec<f64>,
    },
    /// ln mass of value v under kernel k: `rows[row[k] * n + v]`, and what draws of it need.
    Table {
        n: usize,
        row: Vec<usize>,
        rows: Vec<f64>,
    },
}

/// A mixture.
#[derive(Clone, Debug)]
pub(super) struct Mixture<'a> {
    axes: &'a [Axis],
    ln_weights: Vec<f64>,
    /// Sums of weights up to each kernel; the last one is 1.
    cumulated: Vec<f64>,
    columns: Vec<Column>,
}

impl<'a> Mixture<'a> {
    /// The mixture over these points, oldest first, and a flat kernel.
    pub(super) fn new(axes: &'a [Axis], points: &[&[Option<f64>]]) -> Self {
        let mut weights = ramp(points.len());
        weights.push(1.0);
        let total: f64 = weights.iter().sum();
        let mut sum = 0.0;
        let cumulated = weights
            .iter()
            .map(|weight| {
                sum += weight / total;
                sum
            })
            .collect();
        let columns = axes.iter().enumerate();
        Self {
            axes,
            ln_weights: weights.iter().map(|weight| (weight / total).ln()).collect(),
            cumulated,
            columns: columns
                .map(|(i, axis)| {
                    let at: Vec<Option<f64>> = points.iter().map(|point| point[i]).collect();
                    Column::new(axis, &at)
                })
                .collect(),
        }
    }

    /// A draw: a kernel, then each axis from it. `is_active` says which axes exist beside those before.
    pub(super) fn draw(
        &self,
        rng: &mut impl rand::Rng,
        is_active: impl Fn(usize, &[Option<f64>]) -> bool,
    ) -> Point {
        let u = seed::unit(rng);
        let last = self.cumulated.len() - 1;
        let kernel = self.cumulated.partition_point(|sum| *sum <= u).min(last);
        let mut point = Vec::with_capacity(self.axes.len());
        for (i, (axis, column)) in self.axes.iter().zip(&self.columns).enumerate() {
            let x = is_active(i, &point).then(|| column.draw(axis, kernel, rng));
            point.push(x);
        }
        point
    }

    /// The logarithm of the density at a point, over the axes that exist there.
    pub(super) fn ln_density(&self, point: &[Option<f64>], scratch: &mut Vec<f64>) -> f64 {
        scratch.clear();
        scratch.extend_from_slice(&self.ln_weights);
        for ((axis, column), x) in self.axes.iter().zip(&self.columns).zip(point) {
            let Some(x) = *x else { continue };
            match column {
                Column::Smooth {
                    scale, shift, norm, ..
                } => {
                    let kernels = scale.iter().zip(shift).zip(norm);
                    for (sum, ((scale, shift), norm)) in scratch.iter_mut().zip(kernels) {
                        let z = x * scale - shift;
                        *sum += norm - z * z;
                    }
                }
                Column::Table { n, row, rows } => {
                    let value = axis.index(x);
                    for (sum, row) in scratch.iter_mut().zip(row) {
                        *sum += rows[row * n + value];
                    }
                }
            }
        }
        ln_sum_exp(scratch)
    }
}

/// The logarithm of a sum of exponentials.
fn ln_sum_exp(terms: &[f64]) -> f64 {
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // What is e^-40 of the largest is lost in rounding.
    let near = terms.iter().filter(|term| **term > most - 40.0);
    most + near.map(|term| (term - most).exp()).sum::<f64>().ln()
}

/// Weights of trials, oldest first: even for 25; of more, the newest 25 fully, the others rising from 1 / n.
fn ramp(n: usize) -> Vec<f64> {
    let old = n.saturating_sub(N_FRESH);
    let rise = |i: usize| {
        let first = 1.0 / count(n);
        if old < 2 {
            first
        } else {
            first + (1.0 - first) * count(i) / count(old - 1)
        }
    };
    (0..n)
        .map(|i| if i < old { rise(i) } else { 1.0 })
        .collect()
}

impl Column {
    /// The kernels of these coordinates, and the flat one at the end.
    fn new(axis: &Axis, at: &[Option<f64>]) -> Self {
        match axis {
            Axis::Smooth => Self::smooth(at),
            Axis::Steps(ends) => Self::steps(axis, ends, at),
            Axis::Category(n) => Self::category(axis, *n, at),
        }
    }

    fn smooth(at: &[Option<f64>]) -> Self {
        let sigmas = widths(at);
        let n = at.len() + 1;
        let [mut mu, mut sigma, mut scale, mut shift, mut norm] =
            std::array::from_fn(|_| Vec::with_capacity(n));
        for (x, width) in at.iter().zip(sigmas).chain([(&Some(0.5), 1.0)]) {
            let Some(x) = *x else {
                // Flat: density 1 everywhere.
                mu.push(f64::NAN);
                for flat in [&mut sigma, &mut scale, &mut shift, &mut norm] {
                    flat.push(0.0);
                }
                continue;
            };
            let per = 1.0 / (width * std::f64::consts::SQRT_2);
            mu.push(x);
            sigma.push(width);
            scale.push(per);
            shift.push(x * per);
            norm.push(-(SQRT_2_PI * width * inner_mass(x, width)).ln());
        }
        Self::Smooth {
            mu,
            sigma,
            scale,
            shift,
            norm,
        }
    }

    fn steps(axis: &Axis, ends: &[f64], at: &[Option<f64>]) -> Self {
        let n = ends.len();
        let middles: Vec<Option<f64>> = at
            .iter()
            .map(|x| x.map(|x| axis.middle(axis.index(x))))
            .collect();
        let sigmas = widths(&middles);
        // Kernels that share centre and width share a row; row 0 is flat.
        let mut known: std::collections::BTreeMap<(u64, u64), usize> =
            std::collections::BTreeMap::new();
        let mut rows: Vec<f64> = shares(ends).map(f64::ln).collect();
        let mut row = Vec::with_capacity(at.len() + 1);
        for (x, width) in middles.iter().zip(sigmas).chain([(&Some(0.5), 1.0)]) {
            let Some(x) = *x else {
                row.push(0);
                continue;
            };
            let next = rows.len() / n;
            let place = *known.entry((x.to_bits(), width.to_bits())).or_insert(next);
            if place == next {
                let total = inner_mass(x, width);
                let mut from = 0.0;
                rows.extend(ends.iter().map(|end| {
                    let mass = mass(from, *end, x, width) / total;
                    from = *end;
                    mass.max(f64::MIN_POSITIVE).ln()
                }));
            }
            row.push(place);
        }
        Self::Table { n, row, rows }
    }

    /// Optuna's kernel of a category: `1 + 1 / kernels` for the value, `1 / kernels` for the others.
    fn category(axis: &Axis, n: usize, at: &[Option<f64>]) -> Self {
        let share = 1.0 / count(at.len() + 1);
        let total = 1.0 + share * count(n);
        let (own, other) = (((1.0 + share) / total).ln(), (share / total).ln());
        // Row 0 is flat; row v + 1 belongs to value v.
        let mut rows = vec![-count(n).ln(); n];
        for value in 0..n {
            rows.extend((0..n).map(|v| if v == value { own } else { other }));
        }
        let row = at
            .iter()
            .map(|x| x.map_or(0, |x| axis.index(x) + 1))
            .chain([0])
            .collect();
        Self::Table { n, row, rows }
    }

    fn draw(&self, axis: &Axis, kernel: usize, rng: &mut impl rand::Rng) -> f64 {
        match self {
            Self::Smooth { mu, sigma, .. } if sigma[kernel] > 0.0 => {
                draw_within(mu[kernel], sigma[kernel], rng)
            }
            Self::Smooth { .. } => seed::unit(rng),
            Self::Table { n, row, rows } => {
                let mut u = seed::unit(rng);
                let masses = &rows[row[kernel] * n..(row[kernel] + 1) * n];
                let mut value = 0;
                for (i, mass) in masses.iter().enumerate() {
                    value = i;
                    u -= mass.exp();
                    if u < 0.0 {
                        break;
                    }
                }
                axis.middle(value)
            }
        }
    }
}

/// The width of each kernel: the larger distance to its neighbours, at least a share of the range that falls
/// with the number of kernels ("magic clip"), at most the range. 1 where there is none.
fn widths(at: &[Option<f64>]) -> Vec<f64> {
    let mut order: Vec<(f64, usize)> = at
        .iter()
        .enumerate()
        .filter_map(|(i, x)| x.map(|x| (x, i)))
        .collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let last = order.len().wrapping_sub(1);
    let least = (NARROW / (count(order.len()) + 2.0)).max(0.01);
    let mut widths = vec![1.0; at.len()];
    for (place, (x, i)) in order.iter().enumerate() {
        let below = place.checked_sub(1).map(|below| x - order[below].0);
        let above = order.get(place + 1).map(|above| above.0 - x);
        let width = match (below, above) {
            (Some(below), Some(above)) => below.max(above),
            (Some(gap), None) | (None, Some(gap)) => gap,
            (None, None) => x.max(1.0 - x),
        };
        debug_assert!(place <= last, "each has a place");
        widths[*i] = width.clamp(least, 1.0);
    }
    widths
}

/// Sizes of the shares that end here.
fn shares(ends: &[f64]) -> impl Iterator<Item = f64> {
    let mut from = 0.0;
    ends.iter().map(move |end| {
        let share = end - from;
        from = *end;
        share.max(f64::MIN_POSITIVE)
    })
}

/// The mass of a normal kernel between two points.
fn mass(from: f64, to: f64, mu: f64, sigma: f64) -> f64 {
    let (a, b) = ((from - mu) / sigma, (to - mu) / sigma);
    // Of the two tails the one without cancellation.
    let tail = |z: f64| 0.5 * erfc(z * std::f64::consts::FRAC_1_SQRT_2);
    if a > 0.0 {
        tail(a) - tail(b)
    } else {
        tail(-b) - tail(-a)
    }
}

/// The mass of a normal kernel within the cube.
fn inner_mass(mu: f64, sigma: f64) -> f64 {
    if mu.min(1.0 - mu) > EDGE * sigma {
        1.0
    } else {
        mass(0.0, 1.0, mu, sigma)
    }
}

/// A draw from a normal kernel, cut off at 0 and 1. Drawn until it lies within: at least 34 % do, as the
/// centre lies within and the width is at most 1.
fn draw_within(mu: f64, sigma: f64, rng: &mut impl rand::Rng) -> f64 {
    loop {
        let radius = (-2.0 * (1.0 - seed::unit(rng)).ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * seed::unit(rng)).sin_cos();
        for z in [radius * cos, radius * sin] {
            let x = mu + sigma * z;
            if (0.0..1.0).contains(&x) {
                return x;
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of trials and values")]
fn count(n: usize) -> f64 {
    n as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "u lies in [0, 1], so the product lies in the list but for 1 itself"
)]
pub(super) fn place(u: f64, n: usize) -> usize {
    ((u * count(n)) as usize).min(n - 1)
}
