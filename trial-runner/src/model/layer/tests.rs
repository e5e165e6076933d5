//! Layers against PyTorch, by loops and by tensor operations.
//!
//! Tolerance: values are sums of a few f32 products of size 1 to 100; PyTorch adds them in another order
//! and takes other approximations of the exponential, which differ by some units in the last place.

use search::config::layers::{Activation, FcLayer, FcStack, Initializer};
use serde::Deserialize;
use std::collections::BTreeMap;
use tch::{Device, Tensor};

use super::embedding::Bags;
use super::*;
use crate::model::memory::floats;
use crate::model::parameters::{Init, Layout, Parameters, Treatment};
use crate::model::pass::{Pass, Training};
use crate::model::stream::Stream;

#[derive(Deserialize)]
struct Golden {
    activations: Vec<BTreeMap<String, serde_json::Value>>,
    norms: Vec<BTreeMap<String, serde_json::Value>>,
    bag: BTreeMap<String, serde_json::Value>,
    stack: BTreeMap<String, serde_json::Value>,
    periodic: BTreeMap<String, serde_json::Value>,
}

/// A tensor as the script wrote it.
#[derive(Deserialize)]
struct Array {
    shape: Vec<i64>,
    values: Vec<f32>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../../../tests/golden/layers.json")).unwrap()
}

fn get(case: &BTreeMap<String, serde_json::Value>, name: &str) -> Tensor {
    let array: Array = serde_json::from_value(case[name].clone()).unwrap();
    Tensor::from_slice(&array.values).view(array.shape.as_slice())
}

fn close(what: &str, got: &Tensor, expected: &Tensor) {
    assert_eq!(got.size(), expected.size(), "{what}");
    let (got, expected) = (got.contiguous(), expected.contiguous());
    for (a, b) in floats(&got).iter().zip(floats(&expected)) {
        let close = (a - b).abs() <= 2e-5 * b.abs().max(1.0);
        assert!(close, "{what}: {a}, PyTorch says {b}");
    }
}

/// Sets a parameter by its name.
fn set(parameters: &mut Parameters, name: &str, value: &Tensor) {
    let mut flat = parameters.to_vec();
    let mut found = false;
    let value = value.contiguous();
    parameters.named_mut(&mut flat, |entry, values| {
        if entry.name == name {
            values.copy_from_slice(floats(&value));
            found = true;
        }
        true
    });
    assert!(found, "{name}");
    parameters.set(&flat);
}

/// The gradient of a parameter by its name.
fn gradient(parameters: &Parameters, name: &str) -> Tensor {
    let flat = floats(parameters.gradients()).to_vec();
    let (entry, values) = parameters
        .named(&flat)
        .find(|(entry, _)| entry.name == name)
        .unwrap();
    Tensor::from_slice(values).view(entry.shape.as_slice())
}

/// Runs `body` in a training pass, once by loops and once by tensor operations.
fn both_ways(mut body: impl FnMut(&str, bool)) {
    body("by loops", true);
    body("by tensors", false);
}

fn pass<'a>(parameters: &'a mut Parameters, stream: &'a mut Stream, loops: bool) -> Pass<'a> {
    Pass {
        parameters,
        stream,
        loops,
        training: Some(Training { done: 0.0 }),
    }
}

fn activation(name: &str) -> Activation {
    match name {
        "identity" => Activation::Identity,
        "relu" => Activation::Relu,
        "elu" => Activation::Elu,
        "leakyRelu" => Activation::LeakyRelu,
        "logSigmoid" => Activation::LogSigmoid,
        "sigmoid" => Activation::Sigmoid,
        "tanh" => Activation::Tanh,
        "softmax" => Activation::Softmax,
        "selu" => Activation::Selu,
        "mish" => Activation::Mish,
        other => panic!("{other}"),
    }
}

#[test]
fn a_linear_layer_with_each_activation_matches_pytorch() {
    for case in golden().activations {
        let name = case["name"].as_str().unwrap().to_owned();
        both_ways(|way, loops| {
            let what = |part: &str| format!("{name}, {part}, {way}");
            let mut layout = Layout::default();
            let init = Init::Constant(0.0);
            let mut linear = Linear::new(&mut layout, "a", 5, 7, init, Treatment::WEIGHT);
            let mut activate = Activate::plain(activation(&name), 7)
                .with_bias(&mut layout, "a", init, Treatment::BIAS)
                .times(0.5);
            let mut parameters = Parameters::new(layout, 0, Device::Cpu);
            set(&mut parameters, "a.weight", &get(&case, "w"));
            set(&mut parameters, "a.bias", &get(&case, "b"));
            let mut stream = Stream::new(0, "test", 0);
            let mut pass = pass(&mut parameters, &mut stream, loops);
            let x = linear.forward(&mut pass, &get(&case, "x"));
            let y = activate.forward(&mut pass, x);
            close(&what("y"), &y, &get(&case, "y"));
            let g = activate.backward(&mut pass, get(&case, "g"));
            let gx = linear.backward(&mut pass, &g, true).unwrap();
            close(&what("gx"), &gx, &get(&case, "gx"));
            close(
                &what("gw"),
                &gradient(&parameters, "a.weight"),
                &get(&case, "gw"),
            );
            close(
                &what("gb"),
                &gradient(&parameters, "a.bias"),
                &get(&case, "gb"),
            );
        });
    }
}

#[test]
fn batch_and_layer_norm_match_pytorch() {
    for case in golden().norms {
        let name = case["name"].as_str().unwrap().to_owned();
        let mut layout = Layout::default();
        let mut norm = match name.as_str() {
            "batch" => Norm::batch(&mut layout, "n", 5),
            "layer" => Norm::layer(&mut layout, "n", 5),
            other => panic!("{other}"),
        };
        let mut parameters = Parameters::new(layout, 0, Device::Cpu);
        set(&mut parameters, "n.weight", &get(&case, "w"));
        set(&mut parameters, "n.bias", &get(&case, "b"));
        let mut stream = Stream::new(0, "test", 0);
        let mut pass = pass(&mut parameters, &mut stream, true);
        let y = norm.forward(&mut pass, &get(&case, "x"));
        close(&name, &y, &get(&case, "y"));
        close(
            &name,
            &norm.backward(&mut pass, &get(&case, "g")),
            &get(&case, "gx"),
        );
        pass.training = None;
        let y = norm.forward(&mut pass, &get(&case, "x"));
        close(&format!("{name} after training"), &y, &get(&case, "after"));
        close(&name, &gradient(&parameters, "n.weight"), &get(&case, "gw"));
        close(&name, &gradient(&parameters, "n.bias"), &get(&case, "gb"));
    }
}

#[test]
fn weighted_sums_of_vectors_match_pytorch_and_clear_the_last_gradient() {
    let case = golden().bag;
    let codes: Vec<u32> = serde_json::from_value(case["codes"].clone()).unwrap();
    let starts: Vec<usize> = serde_json::from_value(case["starts"].clone()).unwrap();
    let weights = floats(&get(&case, "weights")).to_vec();
    both_ways(|way, loops| {
        let mut layout = Layout::default();
        let init = Init::Constant(0.0);
        let mut embedding = Embedding::new(&mut layout, "e", 9, 4, init, Treatment::WEIGHT);
        let mut parameters = Parameters::new(layout, 0, Device::Cpu);
        set(&mut parameters, "e.weight", &get(&case, "table"));
        let mut stream = Stream::new(0, "test", 0);
        let mut pass = pass(&mut parameters, &mut stream, loops);
        // Another batch first: its gradient must not be left over.
        *embedding.bags() = Bags {
            starts: vec![0, 1],
            codes: vec![5],
            weights: vec![1.0],
        };
        drop(embedding.forward(&mut pass));
        embedding.backward(&mut pass, &Tensor::ones([1, 4], tch::kind::FLOAT_CPU));
        *embedding.bags() = Bags {
            starts: starts.clone(),
            codes: codes.clone(),
            weights: weights.clone(),
        };
        close(way, &embedding.forward(&mut pass), &get(&case, "y"));
        embedding.backward(&mut pass, &get(&case, "g"));
        close(
            way,
            &gradient(&parameters, "e.weight"),
            &get(&case, "gtable"),
        );
    });
}

#[test]
fn a_stack_with_norm_and_residual_matches_pytorch() {
    let case = golden().stack;
    let as_map = |name: &str| -> BTreeMap<String, serde_json::Value> {
        serde_json::from_value(case[name].clone()).unwrap()
    };
    let layer = FcLayer {
        output_size: 5,
        activation: Activation::Selu,
        dropout: 0.0,
        norm: Some(search::config::layers::Norm::Layer),
        use_bias: true,
        weights_initializer: Initializer::XavierUniform,
        bias_initializer: Initializer::Zeros,
    };
    let config = FcStack {
        layers: vec![layer.clone(), layer],
        residual: true,
    };
    both_ways(|way, loops| {
        let mut layout = Layout::default();
        let mut stack = Stack::new(&mut layout, "s", 4, &config);
        let mut parameters = Parameters::new(layout, 0, Device::Cpu);
        for name in as_map("parameters").keys() {
            set(
                &mut parameters,
                &format!("s.{name}"),
                &get(&as_map("parameters"), name),
            );
        }
        let mut stream = Stream::new(0, "test", 0);
        let mut pass = pass(&mut parameters, &mut stream, loops);
        close(
            way,
            &stack.forward(&mut pass, &get(&case, "x")),
            &get(&case, "y"),
        );
        let gx = stack.backward(&mut pass, get(&case, "g"), true).unwrap();
        close(way, &gx, &get(&case, "gx"));
        for name in as_map("gradients").keys() {
            let got = gradient(&parameters, &format!("s.{name}"));
            close(
                &format!("{name} {way}"),
                &got,
                &get(&as_map("gradients"), name),
            );
        }
    });
}

#[test]
fn dropout_keeps_the_mean_uses_one_mask_both_ways_and_rests_outside_training() {
    let mut parameters = Parameters::new(Layout::default(), 0, Device::Cpu);
    let mut stream = Stream::new(0, "test", 0);
    let mut pass = pass(&mut parameters, &mut stream, true);
    let mut dropout = Dropout::new(0.25, dropout::Course::Flat);
    let ones = || Tensor::ones([200, 100], tch::kind::FLOAT_CPU);
    let y = dropout.forward(&mut pass, ones());
    let values = floats(&y).to_vec();
    let dropped = values.iter().filter(|v| **v <= 0.0).count() as f64 / values.len() as f64;
    assert!((dropped - 0.25).abs() < 0.02, "{dropped}");
    assert!(
        values
            .iter()
            .all(|v| *v <= 0.0 || (v - 4.0 / 3.0).abs() < 1e-6)
    );
    close("mask", &dropout.backward(ones()), &y);
    pass.training = None;
    close("at rest", &dropout.forward(&mut pass, ones()), &ones());
}

#[test]
fn flat_cosine_dropout_is_flat_then_falls_to_nothing() {
    let course = dropout::Course::FlatCosine;
    for (done, expected) in [(0.0, 1.0), (0.49, 1.0), (0.75, 0.5), (1.0, 0.0)] {
        assert!((course.at(done) - expected).abs() < 1e-9, "{done}");
    }
}

#[test]
fn periodic_embeddings_match_pytorch() {
    let case = golden().periodic;
    both_ways(|way, loops| {
        let mut layout = Layout::default();
        let mut periodic = Periodic::new(&mut layout, "p", 3, (8, 3), 0.1, 0.1);
        let mut parameters = Parameters::new(layout, 0, Device::Cpu);
        for (name, golden) in [
            ("frequency", "f"),
            ("phase", "p"),
            ("weight", "w"),
            ("bias", "b"),
        ] {
            set(&mut parameters, &format!("p.{name}"), &get(&case, golden));
        }
        let mut stream = Stream::new(0, "test", 0);
        let mut pass = pass(&mut parameters, &mut stream, loops);
        close(
            way,
            &periodic.forward(&mut pass, &get(&case, "x")),
            &get(&case, "y"),
        );
        periodic.backward(&mut pass, &get(&case, "g"));
        for (name, golden) in [
            ("frequency", "gf"),
            ("phase", "gp"),
            ("weight", "gw"),
            ("bias", "gb"),
        ] {
            let got = gradient(&parameters, &format!("p.{name}"));
            close(&format!("{name} {way}"), &got, &get(&case, golden));
        }
    });
}
