//! Rows per second of the training loop on one thread: 28 numbers, two hidden layers of 256 ReLU units, one
//! logit, batches of 256, AdamW. `benches/train_speed.py` runs it beside the same loop in PyTorch.
//!
//! Time is that of the thread on a core, so that a busy machine does not spoil the comparison.

use std::fmt::Write as _;
use std::io::Write as _;

use datasets::encode::{Feature, RowFill, Schema, Slot, Target, TargetKind};
use search::config::Config;
use search::config::model::{Model, Network as NetworkConfig};
use tch::Device;
use trial_runner::model::decoder::Targets;
use trial_runner::model::pass::Training;
use trial_runner::model::stream::Stream;
use trial_runner::model::{Arrays, Codings, Network};
use trial_runner::optimizer::Optimizer;

const N_ROWS: usize = 65_536;
const N_INPUTS: usize = 28;
const BATCH: usize = 256;
/// The best of so many runs of one second each is shown.
const N_RUNS: usize = 5;

fn main() -> std::io::Result<()> {
    tch::set_num_threads(1);
    let _no_gradients = tch::no_grad_guard();
    let mut stream = Stream::new(1, "data", 0);
    #[expect(clippy::cast_possible_truncation, reason = "the arrays are f32")]
    let numbers: Vec<f32> = (0..N_ROWS * N_INPUTS)
        .map(|_| stream.normal() as f32)
        .collect();
    let target: Vec<f32> = (0..N_ROWS).map(|_| stream.below(2) as f32).collect();
    let arrays = Arrays {
        n_rows: N_ROWS,
        numbers: &numbers,
        n_numbers: N_INPUTS,
        categories: &[],
        n_categories: 0,
        texts: Vec::new(),
    };
    let config = config();
    let mut rows: Vec<u32> = (0..).take(N_ROWS).collect();
    let codings = Codings::fit(&config, &schema(), &arrays, &target, &rows).expect("numbers");
    let mut network = Network::new(&config, codings, 1, Device::Cpu).expect("a network");
    let mut optimizer = Optimizer::new(config.trainer.optimizer, network.parameters());
    let mut targets = Targets::default();
    let mut best = 0.0f64;
    for _ in 0..N_RUNS {
        let start = core_seconds();
        let mut seen = 0;
        while core_seconds() - start < 1.0 {
            stream.shuffle(&mut rows);
            for rows in rows.chunks_exact(BATCH) {
                targets.values.clear();
                targets
                    .values
                    .extend(rows.iter().map(|&row| target[row as usize]));
                let training = Training { done: 0.0 };
                network.step(&arrays, rows, &targets, training, &mut stream);
                optimizer.update(network.parameters_mut(), 1e-3);
                seen += BATCH;
            }
        }
        best = best.max(seen as f64 / (core_seconds() - start));
    }
    writeln!(std::io::stdout(), "{best:.0}")
}

/// Seconds that this thread has spent on a core.
fn core_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells it");
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|first| first.parse::<f64>().ok());
    nanoseconds.expect("the first field is a number") / 1e9
}

fn config() -> NetworkConfig {
    let mut yaml = "input_features:\n".to_owned();
    for at in 0..N_INPUTS {
        writeln!(yaml, "  - {{name: x{at}, type: number}}").expect("a text takes all");
    }
    yaml += "
output_features: [{name: y, type: binary}]
combiner: {type: concat, num_fc_layers: 2, output_size: 256}
trainer: {optimizer: {type: adamw, weight_decay: 0.01}}
";
    let (config, _) = Config::parse(&yaml, "train_speed.yaml").expect("a legal config");
    match config.model().expect("a config that can run") {
        Model::Network(network) => network,
        Model::Linear(_) => unreachable!("the config is that of a network"),
    }
}

fn schema() -> Schema {
    let feature = |at: usize| Feature {
        name: format!("x{at}"),
        column: format!("x{at}"),
        missing: RowFill::Keep,
        slot: Slot::Number { at, recode: None },
    };
    Schema {
        features: (0..N_INPUTS).map(feature).collect(),
        n_numbers: N_INPUTS,
        n_categories: 0,
        n_texts: 0,
        target: Target {
            name: "y".to_owned(),
            column: "y".to_owned(),
            kind: TargetKind::Binary,
            classes: vec!["0".to_owned(), "1".to_owned()],
            recode: None,
        },
    }
}
