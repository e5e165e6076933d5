//! An optimizer with its state, over the flat buffer of a network.

use std::ops::Range;

use search::config::trainer::Optimizer as Rule;
use tch::{Device, Tensor};

use super::{loops, tensors};
use crate::model::Parameters;
use crate::model::memory::{floats, floats_mut};
use crate::model::parameters::Treatment;

/// Updates parameters from their gradients, as PyTorch's optimizer of the same name and parameters.
#[derive(Debug)]
pub struct Optimizer {
    rule: Rule,
    /// Steps taken.
    step: u64,
    /// Flat arrays as long as the parameters; what each holds is the rule's business.
    states: Vec<Tensor>,
    /// The product of NAdam's momenta so far; 1 for other rules.
    momentum_product: f64,
}

/// What an update needs besides the arrays.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// The learning rate of the group.
    pub lr: f64,
    /// What of a parameter is added to its gradient: penalty, and weight decay but for AdamW's.
    pub added: f64,
    /// What a parameter is multiplied by: 1 but for AdamW's decay, which is apart from the gradient.
    pub kept: f64,
    /// This step, counted from 1.
    pub step: u64,
    /// NAdam's momenta: now, next, and the product up to and with now.
    pub momenta: [f64; 3],
}

impl Optimizer {
    /// An optimizer that has not taken a step.
    pub fn new(rule: Rule, parameters: &Parameters) -> Self {
        let first = match rule {
            Rule::Adagrad {
                initial_accumulator_value,
                ..
            } => initial_accumulator_value,
            Rule::Sgd { .. }
            | Rule::Adam { .. }
            | Rule::Adamw { .. }
            | Rule::Nadam { .. }
            | Rule::Rmsprop { .. }
            | Rule::Adadelta { .. }
            | Rule::Adamax { .. } => 0.0,
        };
        let state = || parameters.values().full_like(first);
        Self {
            rule,
            step: 0,
            states: (0..n_states(rule)).map(|_| state()).collect(),
            momentum_product: 1.0,
        }
    }

    /// Takes one step at the learning rate `lr`.
    pub fn update(&mut self, parameters: &mut Parameters, lr: f64) {
        if parameters.values().device() == Device::Cpu {
            self.update_by_loops(parameters, lr);
        } else {
            self.update_by_tensors(parameters, lr);
        }
    }

    fn update_by_loops(&mut self, parameters: &mut Parameters, lr: f64) {
        let groups = self.begin(parameters, lr);
        let (values, gradients) = parameters.flat_mut();
        for (range, moment) in groups {
            let mut states = self
                .states
                .iter_mut()
                .map(|s| &mut floats_mut(s)[range.clone()]);
            let states = [(); 3].map(|()| states.next().unwrap_or_default());
            loops::update(
                self.rule,
                moment,
                &mut values[range.clone()],
                &gradients[range],
                states,
            );
        }
    }

    pub(super) fn update_by_tensors(&mut self, parameters: &mut Parameters, lr: f64) {
        for (range, moment) in self.begin(parameters, lr) {
            let at = |n: usize| i64::try_from(n).expect("sizes fit into i64");
            let cut = |flat: &Tensor| flat.narrow(0, at(range.start), at(range.len()));
            let states = self.states.iter().map(cut).collect();
            let (values, gradients) = (cut(parameters.values()), cut(parameters.gradients()));
            tensors::update(self.rule, moment, values, &gradients, states);
        }
    }

    /// Counts a step, and gives each group of parameters its place and what its update needs.
    fn begin(&mut self, parameters: &Parameters, lr: f64) -> Vec<(Range<usize>, Moment)> {
        self.step += 1;
        let momenta = self.momenta();
        self.momentum_product = momenta[2];
        let decay = weight_decay(self.rule);
        let is_apart = matches!(self.rule, Rule::Adamw { .. });
        let moment = |treatment: Treatment| {
            let lr = lr * f64::from(treatment.lr_factor);
            let decay = if treatment.decays { decay } else { 0.0 };
            let (coupled, apart) = if is_apart { (0.0, decay) } else { (decay, 0.0) };
            Moment {
                lr,
                added: coupled + f64::from(treatment.penalty),
                kept: 1.0 - lr * apart,
                step: self.step,
                momenta,
            }
        };
        parameters
            .groups()
            .iter()
            .map(|group| (group.range.clone(), moment(group.treatment)))
            .collect()
    }

    /// NAdam, Dozat (2016): momenta now and next, and their product so far.
    fn momenta(&self) -> [f64; 3] {
        let Rule::Nadam {
            betas,
            momentum_decay,
            ..
        } = self.rule
        else {
            return [0.0, 0.0, 1.0];
        };
        let at = |step: u64| betas.0 * (1.0 - 0.5 * 0.96_f64.powf(step as f64 * momentum_decay));
        let now = at(self.step);
        [now, at(self.step + 1), self.momentum_product * now]
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// The state arrays, in main memory.
    pub fn states(&self) -> Vec<Vec<f32>> {
        self.states
            .iter()
            .map(|state| floats(&state.to_device(Device::Cpu)).to_vec())
            .collect()
    }

    /// Goes back to a state that `states` and `steps` gave. False when the arrays are not this rule's.
    pub fn restore(&mut self, step: u64, states: &[&[f32]]) -> bool {
        let fits = |(mine, other): (&Tensor, &&[f32])| mine.numel() == other.len();
        if states.len() != self.states.len() || !self.states.iter().zip(states).all(fits) {
            return false;
        }
        for (mine, other) in self.states.iter_mut().zip(states) {
            mine.copy_(&Tensor::from_slice(other));
        }
        (self.step, self.momentum_product) = (0, 1.0);
        while self.step < step {
            self.step += 1;
            self.momentum_product = self.momenta()[2];
        }
        true
    }
}

fn n_states(rule: Rule) -> usize {
    match rule {
        Rule::Sgd { momentum, .. } => usize::from(momentum > 0.0),
        Rule::Adam { amsgrad, .. } | Rule::Adamw { amsgrad, .. } => 2 + usize::from(amsgrad),
        Rule::Nadam { .. } | Rule::Adadelta { .. } | Rule::Adamax { .. } => 2,
        Rule::Rmsprop { .. } => 3,
        Rule::Adagrad { .. } => 1,
    }
}

fn weight_decay(rule: Rule) -> f64 {
    match rule {
        Rule::Sgd { weight_decay, .. }
        | Rule::Adam { weight_decay, .. }
        | Rule::Adamw { weight_decay, .. }
        | Rule::Nadam { weight_decay, .. }
        | Rule::Rmsprop { weight_decay, .. }
        | Rule::Adagrad { weight_decay, .. }
        | Rule::Adadelta { weight_decay, .. }
        | Rule::Adamax { weight_decay, .. } => weight_decay,
    }
}
