//! Periodic embeddings of numbers, in the form of RealMLP.
//!
//! PBLD of Holzmüller et al., "Better by Default", 2024, section 3.2, after Gorishniy et al., "On Embeddings
//! for Numerical Features", 2022: for each column, waves of learned frequency and phase, a linear layer of
//! its own on them, and the number itself beside: `x -> (x, W cos(2 pi (f x + p)) + b)`.

use tch::{Kind, Tensor};

use crate::model::memory::{fast, floats, floats_mut};
use crate::model::parameters::{Buffer, Init, Layout, Parameters, Slot, Treatment, to_i64};
use crate::model::pass::Pass;

/// Values in a vector register: the loops below are over so many at once.
const LANES: usize = 8;

/// Embeddings of `n` columns side by side.
#[derive(Debug)]
pub struct Periodic {
    frequency: Slot,
    phase: Slot,
    weight: Slot,
    bias: Slot,
    shape: Shape,
    input: Option<Tensor>,
    /// Cosines and sines of the last batch, `[batch, n, n_waves]` each.
    cosines: Buffer,
    sines: Buffer,
    output: Buffer,
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    n: usize,
    n_waves: usize,
    /// Columns that a number becomes, itself included.
    n_out: usize,
}

impl Periodic {
    /// Declares `path.frequency` and so on. A number becomes `n_out` columns, at least 2; `n_waves` is rounded
    /// up to a multiple of 8. Frequencies start normal with deviation `sigma`, phases anywhere.
    pub fn new(
        layout: &mut Layout,
        path: &str,
        n: usize,
        (n_waves, n_out): (usize, usize),
        sigma: f64,
        lr_factor: f64,
    ) -> Self {
        let n_waves = n_waves.max(1).next_multiple_of(LANES);
        let shape = Shape {
            n,
            n_waves,
            n_out: n_out.max(2),
        };
        let [columns, waves, outs] = [n, n_waves, shape.n_out - 1].map(to_i64);
        let linear = Init::Uniform(1.0 / (waves as f64).sqrt());
        let mut add = |name: &str, shape: &[i64], init, treatment: Treatment| {
            layout.add(
                format!("{path}.{name}"),
                shape,
                init,
                treatment.at(lr_factor),
            )
        };
        Self {
            frequency: add(
                "frequency",
                &[columns, waves],
                Init::Normal(sigma),
                Treatment::BIAS,
            ),
            phase: add(
                "phase",
                &[columns, waves],
                Init::Uniform(0.5),
                Treatment::BIAS,
            ),
            weight: add("weight", &[columns, outs, waves], linear, Treatment::WEIGHT),
            bias: add("bias", &[columns, outs], linear, Treatment::BIAS),
            shape,
            input: None,
            cosines: Buffer::default(),
            sines: Buffer::default(),
            output: Buffer::default(),
        }
    }

    /// Columns that it gives.
    pub fn n_out(&self) -> usize {
        self.shape.n * self.shape.n_out
    }

    /// `[batch, n] -> [batch, n * n_out]`.
    pub fn forward(&mut self, pass: &mut Pass<'_>, x: &Tensor) -> Tensor {
        self.input = Some(x.shallow_clone());
        let Shape { n, n_waves, n_out } = self.shape;
        let rows = x.size()[0];
        let waves = [rows, to_i64(n), to_i64(n_waves)];
        let [frequency, phase, weight, bias] = [self.frequency, self.phase, self.weight, self.bias]
            .map(|slot| pass.parameters.value(slot));
        if !pass.loops {
            let angle = (x.unsqueeze(2) * frequency + phase) * std::f64::consts::TAU;
            let cosines = self.cosines.of(&waves, pass.device());
            cosines.copy_(&angle.cos());
            self.sines.of(&waves, pass.device()).copy_(&angle.sin());
            let linear =
                (cosines.unsqueeze(2) * weight).sum_dim_intlist(3i64, false, Kind::Float) + bias;
            return Tensor::cat(&[x.unsqueeze(2), linear], 2).view([rows, to_i64(n * n_out)]);
        }
        let cosines = floats_mut(self.cosines.of(&waves, x.device()));
        let sines = floats_mut(self.sines.of(&waves, x.device()));
        let output = self.output.of(&[rows, to_i64(n * n_out)], x.device());
        let y = floats_mut(output);
        let (frequency, phase) = (floats(frequency), floats(phase));
        let (weight, bias) = (floats(weight), floats(bias));
        fast(
            #[inline(always)]
            || {
                for (at, x) in floats(x).iter().enumerate() {
                    let (column, wave) = (at % n, at * n_waves..(at + 1) * n_waves);
                    let (cosines, sines) = (&mut cosines[wave.clone()], &mut sines[wave]);
                    let own = column * n_waves..(column + 1) * n_waves;
                    turn(*x, &frequency[own.clone()], &phase[own], cosines, sines);
                    let y = &mut y[at * n_out..(at + 1) * n_out];
                    y[0] = *x;
                    for (out, y) in y[1..].iter_mut().enumerate() {
                        let out = column * (n_out - 1) + out;
                        *y = bias[out] + dot(&weight[out * n_waves..(out + 1) * n_waves], cosines);
                    }
                }
            },
        );
        output.shallow_clone()
    }

    /// The gradients of its parameters. The numbers themselves are data, and have none.
    pub fn backward(&mut self, pass: &mut Pass<'_>, gradient: &Tensor) {
        let x = self.input.as_ref().expect("a forward pass came before");
        if !pass.loops {
            self.backward_by_tensors(pass.parameters, x, gradient);
            return;
        }
        let Shape { n, n_waves, n_out } = self.shape;
        let mut sums = [self.frequency, self.phase, self.weight, self.bias]
            .map(|slot| vec![0.0f32; floats(pass.parameters.value(slot)).len()]);
        let [of_frequency, of_phase, of_weight, of_bias] = &mut sums;
        let weight = floats(pass.parameters.value(self.weight));
        let (cosines, sines) = (floats(self.cosines.get()), floats(self.sines.get()));
        let mut of_cosine = vec![0.0f32; n_waves];
        fast(
            #[inline(always)]
            || {
                for (at, (x, g)) in floats(x)
                    .iter()
                    .zip(floats(gradient).chunks_exact(n_out))
                    .enumerate()
                {
                    let (column, wave) = (at % n, at * n_waves..(at + 1) * n_waves);
                    of_cosine.fill(0.0);
                    for (out, g) in g[1..].iter().enumerate() {
                        let out = column * (n_out - 1) + out;
                        of_bias[out] += g;
                        let own = out * n_waves..(out + 1) * n_waves;
                        add_scaled(&mut of_weight[own.clone()], &cosines[wave.clone()], *g);
                        add_scaled(&mut of_cosine, &weight[own], *g);
                    }
                    let own = column * n_waves..(column + 1) * n_waves;
                    let into = of_frequency[own.clone()].iter_mut().zip(&mut of_phase[own]);
                    for ((frequency, phase), (g, sine)) in
                        into.zip(of_cosine.iter().zip(&sines[wave]))
                    {
                        let g = -std::f32::consts::TAU * sine * g;
                        *phase += g;
                        *frequency = x.mul_add(g, *frequency);
                    }
                }
            },
        );
        for (slot, sum) in [self.frequency, self.phase, self.weight, self.bias]
            .into_iter()
            .zip(&sums)
        {
            floats_mut(pass.parameters.gradient_mut(slot)).copy_from_slice(sum);
        }
    }

    fn backward_by_tensors(&self, parameters: &mut Parameters, x: &Tensor, gradient: &Tensor) {
        let Shape { n, n_out, .. } = self.shape;
        let over_rows = |t: Tensor| t.sum_dim_intlist(0i64, false, Kind::Float);
        let g = gradient
            .view([-1, to_i64(n), to_i64(n_out)])
            .narrow(2, 1, to_i64(n_out) - 1);
        let of_weight = over_rows(g.unsqueeze(3) * self.cosines.get().unsqueeze(2));
        let of_cosine = (g.unsqueeze(3) * parameters.value(self.weight)).sum_dim_intlist(
            2i64,
            false,
            Kind::Float,
        );
        let of_phase = of_cosine * self.sines.get() * -std::f64::consts::TAU;
        parameters.gradient_mut(self.weight).copy_(&of_weight);
        parameters.gradient_mut(self.bias).copy_(&over_rows(g));
        parameters
            .gradient_mut(self.frequency)
            .copy_(&over_rows(&of_phase * x.unsqueeze(2)));
        parameters
            .gradient_mut(self.phase)
            .copy_(&over_rows(of_phase));
    }
}

/// Cosine and sine of `frequency * x + phase` full turns.
#[inline(always)]
fn turn(x: f32, frequency: &[f32], phase: &[f32], cosines: &mut [f32], sines: &mut [f32]) {
    for ((f, p), (cosine, sine)) in frequency
        .iter()
        .zip(phase)
        .zip(cosines.iter_mut().zip(sines))
    {
        let turns = f.mul_add(x, *p);
        // In [-1/2, 1/2].
        let r = turns - turns.round_ties_even();
        *cosine = sine_of_turn(0.25 - r.abs());
        *sine = sine_of_turn(if r.abs() > 0.25 {
            0.5f32.copysign(r) - r
        } else {
            r
        });
    }
}

/// The sine of `t` full turns for `t` in [-1/4, 1/4], by its series: within 6e-8.
#[inline(always)]
fn sine_of_turn(t: f32) -> f32 {
    let a = t * std::f32::consts::TAU;
    let s = a * a;
    let p = (-2.505_210_8e-8f32).mul_add(s, 2.755_731_9e-6);
    let p = p.mul_add(s, -1.984_127e-4);
    let p = p.mul_add(s, 8.333_333e-3);
    let p = p.mul_add(s, -1.666_666_7e-1);
    (p * s).mul_add(a, a)
}

/// A sum of products in `LANES` partial sums; lengths are multiples of that.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = a.mul_add(*b, *sum);
        }
    }
    sums.iter().sum()
}

#[inline(always)]
fn add_scaled(to: &mut [f32], from: &[f32], factor: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = factor.mul_add(*from, *to);
    }
}
