//! Rows per second of the training loop on one thread: 28 numbers, two hidden layers of 256 ReLU units, one
//! logit, batches of 256, AdamW. `benches/train_speed.py` runs it beside PyTorch.


use datasets::encode::{Feature, NumberCoding, Schema, Slot, Target, TargetKind};
use search::config::layers::{Activation, FcLayer, FcStack, Initializer};
use search::config::model as config;
use search::config::trainer::{BatchSize, GradientClipping, Optimizer as Rule, Regularization, Schedule, Trainer};
use search::Metric;
use tch::Device;
use trial_runner::model::decoder::Targets;
use trial_runner::model::encoder::Coding;
use trial_runner::model::pass::Training;
use trial_runner::model::stream::Stream;
use trial_runner::model::{Arrays, Codings, Network};
use trial_runner::optimizer::Optimizer;

fn main() {
    let realmlp = std::env::args().nth(1).is_some_and(|a| a == "realmlp");
    tch::set_num_threads(1);
    let (n_rows, n, batch) = (65_536usize, 28usize, 256usize);
    let mut stream = Stream::new(1, "data", 0);
    let numbers: Vec<f32> = (0..n_rows * n).map(|_| stream.normal() as f32).collect();
    let target: Vec<f32> = (0..n_rows).map(|_| stream.below(2) as f32).collect();
    let arrays = Arrays { n_rows, numbers: &numbers, n_numbers: n, categories: &[], n_categories: 0, texts: vec![] };
    let config = network(n, realmlp);
    let mut network = Network::new(&config, codings(n), 1, Device::Cpu).expect("network");
    let mut optimizer = Optimizer::new(config.trainer.optimizer, network.parameters());
    let _g = tch::no_grad_guard();
    let mut rows: Vec<u32> = (0..n_rows as u32).collect();
    let mut targets = Targets::default();
    let mut best = 0.0f64;
    for _ in 0..5 {
        let start = cpu_seconds();
        let mut seen = 0;
        while cpu_seconds() - start < 1.0 {
            stream.shuffle(&mut rows);
            for rows in rows.chunks_exact(batch) {
                targets.values.clear();
                targets.values.extend(rows.iter().map(|&r| target[r as usize]));
                network.step(&arrays, rows, &targets, Training { done: 0.0 }, &mut stream);
                optimizer.update(network.parameters_mut(), 1e-3);
                seen += batch;
            }
        }
        best = best.max(seen as f64 / (cpu_seconds() - start));
    }
    println!("{best:.0} rows/s");
}

/// Seconds this thread has spent on a core: comparable on a busy machine.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("schedstat");
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

fn codings(n: usize) -> Codings {
    let number = NumberCoding { fill: 0.0, log1p: false, center: 0.0, factor: 1.0, clip: false, indicator: false, quantiles: vec![] };
    Codings {
        schema: Schema {
            features: (0..n).map(|at| Feature { name: format!("x{at}"), column: format!("x{at}"), missing: datasets::encode::RowFill::Keep, slot: Slot::Number { at } }).collect(),
            n_numbers: n,
            n_categories: 0,
            n_texts: 0,
            target: Target { name: "y".into(), column: "y".into(), kind: TargetKind::Binary, classes: vec!["0".into(), "1".into()] },
        },
        inputs: (0..n).map(|at| Coding::Number { at, coding: number.clone() }).collect(),
        target: None,
    }
}

fn network(n: usize, realmlp: bool) -> config::Network {
    let layer = FcLayer {
        output_size: 256, activation: Activation::Relu, dropout: 0.0, norm: None, use_bias: true,
        weights_initializer: Initializer::XavierUniform, bias_initializer: Initializer::Zeros,
    };
    config::Network {
        inputs: (0..n).map(|at| config::Input {
            name: format!("x{at}"), column: format!("x{at}"), missing: config::Missing::Mean,
            kind: config::InputKind::Number { normalization: config::Normalization::Zscore, clip: false, missing_indicator: false, encoder: config::NumberEncoder::Passthrough },
        }).collect(),
        output: config::Output {
            name: "y".into(), column: "y".into(),
            kind: config::OutputKind::Binary { positive_class_weight: None, label_smoothing: 0.0, threshold: 0.5 },
            fc: FcStack::default(), use_bias: true,
        },
        combiner: if realmlp { config::Combiner::Realmlp(config::Realmlp { hidden: vec![256; 3], activation: Activation::Mish, dropout: 0.0, ntk: true, scale_layer: true, scale_lr_factor: 6.0, bias_lr_factor: 0.1, zero_init_last: true }) } else { config::Combiner::Concat(FcStack { layers: vec![layer.clone(), layer], residual: false }) },
        trainer: Trainer {
            epochs: 1, learning_rate: 1e-3, batch_size: BatchSize::Rows(256), eval_batch_size: None, drop_last_batch: true, should_shuffle: true,
            optimizer: Rule::Adamw { betas: (0.9, 0.999), eps: 1e-8, amsgrad: false, weight_decay: 0.01 },
            schedule: Schedule::Constant, warmup_fraction: 0.0,
            gradient_clipping: GradientClipping { global_norm: None, norm: None, value: None },
            regularization: Regularization::None, early_stop: None, validation_metric: Metric::RocAuc, evaluate_training_set: false,
        },
    }
}
