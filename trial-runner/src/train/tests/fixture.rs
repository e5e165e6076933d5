//! Small tables, prepared as those of a run.

use std::fmt::Write as _;

use datasets::encode::{InputKind, InputPlan, RowFill, TargetKind, TargetPlan, Terms};
use datasets::source::{ReadOptions, Source};
use datasets::split::SplitSpec;
use datasets::store::{Prepared, Recipe, Sample, Tables, build};
use datasets::table::{IngestOptions, Table};
use schedulers::protocol::TrainOn;
use search::Metric;
use search::config::Config;
use search::config::model::{Model, Network};
use search::config::trainer::Trainer as TrainerConfig;
use tch::Device;

use crate::model::stream::Stream;
use crate::train::{Flow, Options, Trained, Trainer};

/// Prepared arrays in a folder that is removed with them.
pub(crate) struct Data {
    pub(crate) prepared: Prepared,
    pub(crate) folder: tempfile::TempDir,
}

/// What the table of `rows` predicts.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Of {
    Two,
    Three,
    Number,
}

/// A table of every kind of input, each of which tells something of the target. The columns `part` and
/// `weight` divide and weigh it.
pub(crate) fn rows(n: usize, of: Of) -> String {
    let mut stream = Stream::new(1, "table", 0);
    let mut csv = String::from("x,spread,flag,colour,day,words,part,weight,y\n");
    for row in 0..n {
        let x = stream.normal();
        let (flag, colour, hour) = (stream.below(2), stream.below(3), stream.below(24));
        let good = stream.below(2);
        let signal =
            x + flag as f64 - colour as f64 + f64::from(u8::from(hour < 12)) + 2.0 * good as f64;
        let y = match of {
            Of::Two => ["no", "yes"][usize::from(signal > 1.0)].to_owned(),
            Of::Three => ["low", "mid", "top"]
                [usize::from(signal > 0.5) + usize::from(signal > 2.0)]
            .to_owned(),
            Of::Number => format!("{}", 100.0 + 10.0 * signal),
        };
        let missing = row % 17 == 3;
        let x = if missing {
            String::new()
        } else {
            format!("{x}")
        };
        let colour = if row % 13 == 5 {
            ""
        } else {
            ["red", "green", "blue"][colour]
        };
        let word = ["bad poor thing", "good fine thing"][good];
        let part = if row % 4 == 3 { 1 } else { 0 };
        writeln!(
            csv,
            "{x},{},{},{colour},2024-03-{:02} {hour:02}:00:00,{word},{part},{},{y}",
            1000.0 * stream.normal().exp(),
            ["false", "true"][flag],
            1 + row % 28,
            1 + row % 3,
        )
        .unwrap();
    }
    csv
}

/// Prepares a table; inputs are those of `KINDS` that it has.
pub(crate) fn data(csv: &str, target: TargetKind, weighted: bool) -> Data {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, csv).unwrap();
    let source = Source::open(&path, &ReadOptions::default()).unwrap();
    let (table, _) = Table::ingest(
        &source,
        &folder.path().join("table"),
        &IngestOptions::new(1),
        &mut |_| {},
    )
    .unwrap();
    let kinds = [
        ("x", InputKind::Number),
        ("spread", InputKind::Number),
        ("flag", InputKind::Binary { true_label: None }),
        ("colour", InputKind::Category { lowercase: false }),
        ("day", InputKind::Date { format: None }),
        (
            "words",
            InputKind::Text {
                terms: Terms {
                    lowercase: true,
                    pairs: true,
                    characters: false,
                },
            },
        ),
    ];
    let inputs = kinds
        .into_iter()
        .filter(|(name, _)| table.column(name).is_some())
        .map(|(name, kind)| InputPlan {
            name: name.to_owned(),
            column: name.to_owned(),
            missing: RowFill::Keep,
            kind,
        });
    let recipe = Recipe {
        inputs: inputs.collect(),
        target: TargetPlan {
            name: "y".into(),
            column: "y".into(),
            kind: target,
            true_label: Some("yes".into()),
        },
        weight: weighted.then(|| "weight".to_owned()),
        sample: Sample::All,
        split: SplitSpec::Fixed {
            column: "part".into(),
        },
        seed: 1,
    };
    let key = recipe.key(&[&source.fingerprint]);
    let tables = Tables {
        main: &table,
        validation: None,
        test: None,
    };
    let dir = folder.path().join("prepared");
    let prepared = build(tables, &recipe, &key, &dir, 1, &mut |_| {})
        .unwrap()
        .prepared;
    Data { prepared, folder }
}

/// The table of `rows`, prepared.
pub(crate) fn table(n: usize, of: Of) -> Data {
    let kind = match of {
        Of::Two => TargetKind::Binary,
        Of::Three => TargetKind::Category,
        Of::Number => TargetKind::Number,
    };
    data(&rows(n, of), kind, false)
}

/// A network by its YAML without the output's type, which follows the table.
pub(crate) fn network(yaml: &str) -> Network {
    let (config, _) =
        Config::parse(yaml, "test.yaml").unwrap_or_else(|errors| panic!("{errors:?}"));
    match config.model().unwrap_or_else(|errors| panic!("{errors:?}")) {
        Model::Network(network) => network,
        Model::Linear(_) => panic!("a network was asked for"),
    }
}

/// RealMLP on every input of the table.
pub(crate) fn realmlp(of: Of) -> Network {
    let (output, activation, rate) = match of {
        Of::Two => ("{name: y, type: binary}", "selu", 0.04),
        Of::Three => ("{name: y, type: category}", "selu", 0.04),
        Of::Number => (
            "{name: y, type: number, preprocessing: {normalization: zscore}}",
            "mish",
            0.07,
        ),
    };
    network(&format!(
        "
input_features:
  - {{name: x, type: number, preprocessing: {{normalization: robust, clip: true, missing_indicator: true}}, encoder: {{type: periodic}}}}
  - {{name: spread, type: number, preprocessing: {{normalization: quantile}}, encoder: {{type: periodic}}}}
  - {{name: flag, type: binary}}
  - {{name: colour, type: category, encoder: {{type: onehot}}}}
  - {{name: day, type: date, encoder: {{type: wave, num_fc_layers: 0}}}}
  - {{name: words, type: text, encoder: {{type: tf_idf, n_features: 64, output_size: 4, word_dropout: 0.2, direct: true}}}}
output_features: [{output}]
combiner: {{type: realmlp, hidden: [16, 16], activation: {activation}, dropout: 0.1}}
trainer:
  batch_size: 32
  learning_rate: {rate}
  optimizer: {{type: adam, betas: [0.9, 0.95]}}
  learning_rate_scheduler: {{decay: coslog4}}
"
    ))
}

/// A concat network that uses all the encoders that learn.
pub(crate) fn concat() -> Network {
    network(
        "
input_features:
  - {name: x, type: number, encoder: {type: dense, num_layers: 1, output_size: 4}}
  - {name: spread, type: number, preprocessing: {normalization: log1p}}
  - {name: flag, type: binary, encoder: {type: dense, num_layers: 1, output_size: 2}}
  - {name: colour, type: category, encoder: {type: dense, embedding_size: 3, dropout: 0.1}}
  - {name: day, type: date, encoder: {type: embed, embedding_size: 3}}
  - {name: words, type: text, encoder: {type: tf_idf, n_features: 64, output_size: 4}}
output_features: [{name: y, type: binary, decoder: {num_fc_layers: 1, fc_output_size: 8}}]
combiner: {type: concat, num_fc_layers: 2, output_size: 16, norm: batch, dropout: 0.1, residual: true}
trainer:
  batch_size: 32
  learning_rate: 0.01
  optimizer: {type: adamw, weight_decay: 0.01}
  regularization_lambda: 0.0001
  regularization_type: l2
  gradient_clipping: {clipglobalnorm: 1.0}
  learning_rate_scheduler: {decay: cosine, warmup_fraction: 0.1}
",
    )
}

/// The trainer section of RealMLP.
pub(crate) fn trainer() -> TrainerConfig {
    realmlp(Of::Two).trainer
}

/// A training of eight epochs.
pub(crate) fn options(metric: Metric) -> Options {
    Options {
        full: 8,
        epoch_rows: None,
        seed: 5,
        metric,
        metrics: Vec::new(),
        on: TrainOn::Train,
        device: Device::Cpu,
    }
}

/// Trains and judges epochs up to and with `to`.
pub(crate) fn train(trainer: &mut Trainer<'_>, to: u32) {
    while trainer.epoch() < to {
        let trained = trainer.train(&mut || Flow::GoOn).unwrap();
        assert!(matches!(trained, Trained::Epoch { .. }));
        trainer.judge().unwrap();
    }
}
