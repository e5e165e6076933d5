//! Whole networks: RealMLP against the published formulas, weights in and out, odd inputs.

use std::collections::BTreeMap;

use datasets::encode::{
    Feature, NumberCoding, RowFill, Schema, Slot, Target, TargetKind, TargetScale,
};
use search::config::layers::{Activation, FcStack};
use search::config::model::{self as config, OutputKind};
use search::config::trainer::{Optimizer as Rule, Schedule};
use serde::Deserialize;
use tch::Device;

use super::decoder::Targets;
use super::encoder::Coding;
use super::pass::Training;
use super::stream::Stream;
use super::{Arrays, Codings, Network, weights};
use crate::error::Error;
use crate::optimizer::Optimizer;
use crate::train::Rate;

#[derive(Deserialize)]
struct Golden {
    realmlp: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    full: u64,
    base: f64,
    targets: Vec<f32>,
    losses: Vec<f64>,
    start: Vec<Array>,
    x: Array,
    predictions: Array,
}

#[derive(Deserialize)]
struct Array {
    shape: Vec<usize>,
    values: Vec<f32>,
}

/// `n` number inputs that pass as they are.
fn inputs(n: usize) -> Vec<config::Input> {
    let kind = config::InputKind::Number {
        normalization: config::Normalization::None,
        clip: false,
        missing_indicator: false,
        encoder: config::NumberEncoder::Passthrough,
    };
    let input = |at: usize| config::Input {
        name: format!("x{at}"),
        column: format!("x{at}"),
        missing: config::Missing::Mean,
        kind: kind.clone(),
    };
    (0..n).map(input).collect()
}

fn codings(n: usize, kind: TargetKind, n_classes: usize, target: Option<TargetScale>) -> Codings {
    let number = NumberCoding {
        fill: 0.0,
        log1p: false,
        center: 0.0,
        factor: 1.0,
        clip: false,
        indicator: false,
        quantiles: Vec::new(),
    };
    let feature = |at: usize| Feature {
        name: format!("x{at}"),
        column: format!("x{at}"),
        missing: RowFill::Keep,
        slot: Slot::Number { at, recode: None },
    };
    Codings {
        schema: Schema {
            features: (0..n).map(feature).collect(),
            n_numbers: n,
            n_categories: 0,
            n_texts: 0,
            target: Target {
                name: "y".into(),
                column: "y".into(),
                kind,
                classes: (0..n_classes).map(|class| class.to_string()).collect(),
                recode: None,
            },
        },
        inputs: (0..n)
            .map(|at| Coding::Number {
                at,
                coding: number.clone(),
            })
            .collect(),
        target,
    }
}

fn realmlp(n: usize, width: i64, output: OutputKind) -> config::Network {
    let activation = match output {
        OutputKind::Number { .. } => Activation::Mish,
        OutputKind::Binary { .. } | OutputKind::Category { .. } => Activation::Selu,
    };
    config::Network {
        inputs: inputs(n),
        output: config::Output {
            name: "y".into(),
            column: "y".into(),
            kind: output,
            fc: FcStack::default(),
            use_bias: true,
        },
        combiner: config::Combiner::Realmlp(config::Realmlp {
            hidden: vec![width, width],
            activation,
            dropout: 0.0,
            ntk: true,
            scale_layer: true,
            scale_lr_factor: 6.0,
            bias_lr_factor: 0.1,
            zero_init_last: true,
        }),
        trainer: crate::train::tests::trainer(),
    }
}

/// The case's network with its first weights.
fn start(case: &Case) -> Network {
    let n = case.x.shape[1];
    let width = i64::try_from(case.start[1].shape[0]).unwrap();
    let n_classes = case.start[5].shape[0];
    let (output, codings) = match case.name.as_str() {
        "binary" => (
            OutputKind::Binary {
                positive_class_weight: None,
                label_smoothing: 0.1,
                threshold: 0.5,
            },
            codings(n, TargetKind::Binary, 2, None),
        ),
        "category" => (
            OutputKind::Category {
                class_weights: config::ClassWeights::Equal,
                label_smoothing: 0.1,
            },
            codings(n, TargetKind::Category, n_classes, None),
        ),
        "number" => {
            let scale = TargetScale::fit(&case.targets, &(0..24).collect::<Vec<u32>>());
            let loss = config::NumberLoss::MeanSquaredError;
            let normalization = config::Normalization::Zscore;
            let output = OutputKind::Number {
                loss,
                normalization,
                clip: None,
            };
            (output, codings(n, TargetKind::Number, 0, Some(scale)))
        }
        other => panic!("{other}"),
    };
    let mut network = Network::new(&realmlp(n, width, output), codings, 0, Device::Cpu).unwrap();
    let names = [
        "combiner.scale",
        "combiner.layer_0.weight",
        "combiner.layer_0.bias",
        "combiner.layer_1.weight",
        "combiner.layer_1.bias",
        "y.decoder.projection.weight",
        "y.decoder.projection.bias",
    ];
    let golden: BTreeMap<&str, &Array> = names.into_iter().zip(&case.start).collect();
    let mut flat = network.parameters().to_vec();
    network.parameters().named_mut(&mut flat, |entry, values| {
        // Of the two logits of the published network we have one.
        values.copy_from_slice(&golden[entry.name.as_str()].values[..values.len()]);
        true
    });
    network.parameters_mut().set(&flat);
    network
}

/// Six steps of Adam from the published formulas: the loss before each, and the predictions after all.
#[test]
fn realmlp_trains_as_published() {
    let golden: Golden =
        serde_json::from_str(include_str!("../../tests/golden/layers.json")).unwrap();
    for case in golden.realmlp {
        let mut network = start(&case);
        let rule = Rule::Adam {
            betas: (0.9, 0.95),
            eps: 1e-8,
            amsgrad: false,
            weight_decay: 0.0,
        };
        let mut optimizer = Optimizer::new(rule, network.parameters());
        let rate = Rate {
            peak: case.base,
            schedule: Schedule::Coslog4,
            warmup_fraction: 0.0,
            full: case.full,
            epoch: 1,
        };
        let arrays = Arrays {
            n_rows: case.x.shape[0],
            numbers: &case.x.values,
            n_numbers: case.x.shape[1],
            categories: &[],
            n_categories: 0,
            texts: Vec::new(),
        };
        let rows: Vec<u32> = (0..).take(arrays.n_rows).collect();
        let targets = Targets {
            values: case.targets.clone(),
            weights: Vec::new(),
        };
        let mut stream = Stream::new(0, "test", 0);
        for (step, expected) in (0..).zip(&case.losses) {
            let training = Training {
                done: rate.done(step),
            };
            let loss = network.step(&arrays, &rows, &targets, training, &mut stream);
            assert!(
                (loss - expected).abs() < 1e-4,
                "{} step {step}: {loss} {expected}",
                case.name
            );
            optimizer.update(network.parameters_mut(), rate.at(step));
        }
        let predictions = network.predict(&arrays, &rows);
        for (got, expected) in predictions.values().iter().zip(&case.predictions.values) {
            let close = (got - expected).abs() < 1e-4 * expected.abs().max(1.0);
            assert!(
                close,
                "{}: prediction {got}, PyTorch says {expected}",
                case.name
            );
        }
    }
}

fn small() -> (config::Network, Codings) {
    let output = OutputKind::Binary {
        positive_class_weight: None,
        label_smoothing: 0.0,
        threshold: 0.5,
    };
    (
        realmlp(3, 4, output),
        codings(3, TargetKind::Binary, 2, None),
    )
}

#[test]
fn weights_come_back_from_their_file_under_dotted_names() {
    let (config, codings) = small();
    let network = Network::new(&config, codings.clone(), 1, Device::Cpu).unwrap();
    let flat = network.parameters().to_vec();
    let bytes = weights::save(network.parameters(), &flat).unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(
        file.tensor("combiner.layer_0.weight").unwrap().shape(),
        [4, 3]
    );
    let again = Network::load(&config, codings, &bytes, Device::Cpu).unwrap();
    assert_eq!(again.parameters().to_vec(), flat);
}

#[test]
fn weights_of_another_network_are_refused_by_name() {
    let (config, codings) = small();
    let check = |change: &dyn Fn(&mut config::Network), expected: &str| {
        let mut other = config.clone();
        change(&mut other);
        let network = Network::new(&other, codings.clone(), 1, Device::Cpu).unwrap();
        let bytes = weights::save(network.parameters(), &network.parameters().to_vec()).unwrap();
        let error = Network::load(&config, codings.clone(), &bytes, Device::Cpu).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(matches!(error, Error::Data { .. }) && error.hint().is_some());
    };
    let block = |change: fn(&mut config::Realmlp)| {
        move |network: &mut config::Network| match &mut network.combiner {
            config::Combiner::Realmlp(realmlp) => change(realmlp),
            config::Combiner::Concat(_) => {}
        }
    };
    check(
        &block(|r| r.hidden = vec![4, 5]),
        "\"combiner.layer_1.weight\" has shape [5, 4], not [4, 4]",
    );
    check(
        &block(|r| r.scale_layer = false),
        "there is no \"combiner.scale\"",
    );
    check(
        &block(|r| r.hidden = vec![4, 4, 4]),
        "the network has no \"combiner.layer_2",
    );
    check(
        &|network| network.output.name = "z".into(),
        "there is no \"y.decoder",
    );
    let garbage = Network::load(&config, codings.clone(), b"nothing", Device::Cpu).unwrap_err();
    assert!(
        garbage.to_string().contains("no safetensors file"),
        "{garbage}"
    );
}
