//! Optimizers against PyTorch, by loops and by tensor operations; bounds on gradients.
//!
//! Tolerance: twelve steps of f32 arithmetic, in another order than PyTorch's.

use search::config::trainer::{GradientClipping, Optimizer as Rule, Regularization};
use serde::Deserialize;
use serde_json::Value;
use tch::{Device, Tensor};

use super::*;
use crate::model::Parameters;
use crate::model::memory::{floats, floats_mut};
use crate::model::parameters::{Init, Layout, Treatment};

#[derive(Deserialize)]
struct Golden {
    start: Vec<f32>,
    gradients: Vec<Vec<f32>>,
    optimizers: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    options: Value,
    end: Vec<f32>,
}

impl Case {
    fn rule(&self) -> Rule {
        let number = |key: &str| self.options[key].as_f64().unwrap();
        let flag = |key: &str| self.options[key].as_bool().unwrap();
        let betas = || {
            let betas = self.options["betas"].as_array().unwrap();
            (betas[0].as_f64().unwrap(), betas[1].as_f64().unwrap())
        };
        let weight_decay = number("weight_decay");
        match self.name.as_str() {
            "sgd" => Rule::Sgd {
                momentum: number("momentum"),
                dampening: number("dampening"),
                nesterov: flag("nesterov"),
                weight_decay,
            },
            "adam" => Rule::Adam {
                betas: betas(),
                eps: number("eps"),
                amsgrad: flag("amsgrad"),
                weight_decay,
            },
            "adamw" => Rule::Adamw {
                betas: betas(),
                eps: number("eps"),
                amsgrad: flag("amsgrad"),
                weight_decay,
            },
            "nadam" => Rule::Nadam {
                betas: betas(),
                eps: number("eps"),
                momentum_decay: number("momentum_decay"),
                weight_decay,
            },
            "rmsprop" => Rule::Rmsprop {
                alpha: number("alpha"),
                eps: number("eps"),
                momentum: number("momentum"),
                centered: flag("centered"),
                weight_decay,
            },
            "adagrad" => Rule::Adagrad {
                initial_accumulator_value: number("initial_accumulator_value"),
                lr_decay: number("lr_decay"),
                eps: number("eps"),
                weight_decay,
            },
            "adadelta" => Rule::Adadelta {
                rho: number("rho"),
                eps: number("eps"),
                weight_decay,
            },
            "adamax" => Rule::Adamax {
                betas: betas(),
                eps: number("eps"),
                weight_decay,
            },
            other => panic!("{other}"),
        }
    }
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../tests/golden/optimizers.json")).unwrap()
}

fn parameters(start: &[f32]) -> Parameters {
    let mut layout = Layout::default();
    let n = i64::try_from(start.len()).unwrap();
    layout.add("p", &[n], Init::Constant(0.0), Treatment::WEIGHT);
    let mut parameters = Parameters::new(layout, 0, Device::Cpu);
    set(&mut parameters, start);
    parameters
}

fn set(parameters: &mut Parameters, start: &[f32]) {
    let mut flat = parameters.to_vec();
    flat[..start.len()].copy_from_slice(start);
    parameters.set(&flat);
}

fn set_gradient(parameters: &Parameters, gradient: &[f32]) {
    floats_mut(&mut parameters.gradients().shallow_clone())[..gradient.len()]
        .copy_from_slice(gradient);
}

fn close(what: &str, got: &[f32], expected: &[f32]) {
    for (a, b) in got.iter().zip(expected) {
        assert!(
            (a - b).abs() <= 1e-5 * b.abs().max(1.0),
            "{what}: {a}, PyTorch says {b}"
        );
    }
}

#[test]
fn every_optimizer_takes_pytorchs_steps() {
    let golden = golden();
    for case in &golden.optimizers {
        let rule = case.rule();
        let mut parameters = parameters(&golden.start);
        let mut optimizer = Optimizer::new(rule, &parameters);
        for gradient in &golden.gradients {
            set_gradient(&parameters, gradient);
            optimizer.update(&mut parameters, 0.05);
        }
        close(&format!("{rule:?}"), &parameters.to_vec(), &case.end);
    }
}

#[test]
fn tensor_operations_take_the_same_steps_as_loops() {
    let golden = golden();
    for case in &golden.optimizers {
        let rule = case.rule();
        let mut parameters = parameters(&golden.start);
        let mut optimizer = Optimizer::new(rule, &parameters);
        for gradient in &golden.gradients {
            set_gradient(&parameters, gradient);
            optimizer.update_by_tensors(&mut parameters, 0.05);
        }
        close(&format!("{rule:?}"), &parameters.to_vec(), &case.end);
    }
}

#[test]
fn a_restored_optimizer_goes_on_bit_for_bit() {
    let golden = golden();
    for case in &golden.optimizers {
        let rule = case.rule();
        let mut uncut = parameters(&golden.start);
        let mut optimizer = Optimizer::new(rule, &uncut);
        let mut half = None;
        for (at, gradient) in golden.gradients.iter().enumerate() {
            if at == 5 {
                half = Some((uncut.to_vec(), optimizer.steps(), optimizer.states()));
            }
            set_gradient(&uncut, gradient);
            optimizer.update(&mut uncut, 0.05);
        }
        let (values, step, states) = half.unwrap();
        let mut resumed = parameters(&values[..golden.start.len()]);
        let mut optimizer = Optimizer::new(rule, &resumed);
        let states: Vec<&[f32]> = states.iter().map(Vec::as_slice).collect();
        assert!(optimizer.restore(step, &states));
        for gradient in &golden.gradients[5..] {
            set_gradient(&resumed, gradient);
            optimizer.update(&mut resumed, 0.05);
        }
        assert_eq!(uncut.to_vec(), resumed.to_vec(), "{rule:?}");
        assert!(
            !optimizer.restore(step, &[&[0.0]]),
            "states of another size are refused"
        );
    }
}

#[test]
fn groups_have_their_own_rate_and_decay_and_what_is_not_learned_stays() {
    let mut layout = Layout::default();
    let one = Init::Constant(1.0);
    layout.add("weight", &[1], one, Treatment::WEIGHT);
    layout.add("bias", &[1], one, Treatment::BIAS.at(0.1));
    layout.add("running", &[1], one, Treatment::STATE);
    layout.add(
        "text",
        &[1],
        one,
        Treatment {
            penalty: 2.0,
            ..Treatment::BIAS
        },
    );
    let mut parameters = Parameters::new(layout, 0, Device::Cpu);
    let rule = Rule::Sgd {
        momentum: 0.0,
        dampening: 0.0,
        nesterov: false,
        weight_decay: 0.5,
    };
    let mut optimizer = Optimizer::new(rule, &parameters);
    let _ = parameters.gradients().shallow_clone().fill_(1.0);
    optimizer.update(&mut parameters, 0.2);
    let flat = parameters.to_vec();
    let values: Vec<f32> = parameters.named(&flat).map(|(_, v)| v[0]).collect();
    // 1 - .2 (1 + .5), 1 - .02 x 1, 1, 1 - .2 (1 + 2).
    close("groups", &values, &[0.7, 0.98, 1.0, 0.4]);
    assert_eq!(parameters.n_learned(), 3);
}

#[test]
fn gradients_are_penalised_then_bounded() {
    let none = GradientClipping {
        global_norm: None,
        norm: None,
        value: None,
    };
    let check = |penalty, bounds, expected: &[f32]| {
        let mut parameters = parameters(&[2.0, -1.0]);
        set_gradient(&parameters, &[3.0, -4.0]);
        prepare(&mut parameters, penalty, bounds);
        close(
            &format!("{penalty:?} {bounds:?}"),
            &floats(parameters.gradients())[..2],
            expected,
        );
    };
    check(Regularization::None, none, &[3.0, -4.0]);
    check(Regularization::L1(0.5), none, &[3.5, -4.5]);
    check(Regularization::L2(0.5), none, &[4.0, -4.5]);
    check(Regularization::L1L2(0.5), none, &[4.5, -5.0]);
    check(
        Regularization::None,
        GradientClipping {
            global_norm: Some(1.0),
            ..none
        },
        &[0.6, -0.8],
    );
    check(
        Regularization::None,
        GradientClipping {
            norm: Some(10.0),
            ..none
        },
        &[3.0, -4.0],
    );
    check(
        Regularization::None,
        GradientClipping {
            value: Some(3.5),
            ..none
        },
        &[3.0, -3.5],
    );
}

#[test]
fn a_network_without_parameters_is_no_fault() {
    let mut parameters = Parameters::new(Layout::default(), 0, Device::Cpu);
    let rule = Rule::Adadelta {
        rho: 0.9,
        eps: 1e-6,
        weight_decay: 0.0,
    };
    Optimizer::new(rule, &parameters).update(&mut parameters, 1.0);
    assert_eq!(parameters.to_vec(), Vec::<f32>::new());
    let _: Tensor = parameters.values().shallow_clone();
}
