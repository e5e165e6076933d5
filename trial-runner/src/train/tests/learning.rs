//! That networks learn what is in the table, by every kind of input, and keep their best epoch.

use datasets::store::Part;
use schedulers::protocol::TrainOn;
use search::Metric;
use search::config::model::Network;

use super::fixture::{Of, concat, data, network, options, realmlp, rows, table, train};
use crate::train::{Flow, Judged, Options, Trained, Trainer};

fn best(of: Of, network: &Network, metric: Metric) -> f64 {
    let data = table(600, of);
    let options = Options {
        full: 24,
        ..options(metric)
    };
    let mut trainer = Trainer::new(network, &data.prepared, &options).unwrap();
    train(&mut trainer, 24);
    trainer.best().unwrap().score
}

#[test]
fn networks_learn_classes_and_numbers() {
    for (of, network, metric, at_least) in [
        (Of::Two, realmlp(Of::Two), Metric::RocAuc, 0.97),
        (Of::Two, concat(), Metric::RocAuc, 0.95),
        (Of::Three, realmlp(Of::Three), Metric::Accuracy, 0.8),
        (Of::Number, realmlp(Of::Number), Metric::R2, 0.9),
    ] {
        let score = best(of, &network, metric);
        assert!(score > at_least, "{metric} {score}");
    }
}

/// A network of one input: it must do better than guessing, and cannot know it all.
#[test]
fn every_encoder_carries_its_column() {
    for input in [
        "{name: x, type: number}",
        "{name: x, type: number, encoder: {type: dense, num_layers: 1, output_size: 8}}",
        "{name: x, type: number, encoder: {type: periodic}}",
        "{name: flag, type: binary}",
        "{name: flag, type: binary, encoder: {type: dense, num_layers: 1, output_size: 8}}",
        "{name: colour, type: category, encoder: {type: onehot}}",
        "{name: colour, type: category, encoder: {type: sparse}}",
        "{name: colour, type: category, encoder: {type: passthrough}}",
        "{name: colour, type: category, encoder: {type: dense, embedding_size: 2}}",
        "{name: day, type: date, encoder: {type: embed}}",
        "{name: day, type: date, encoder: {type: wave}}",
        "{name: words, type: text, encoder: {type: tf_idf, n_features: 64, output_size: 4}}",
    ] {
        let network = network(&format!(
            "
input_features: [{input}]
output_features: [{{name: y, type: binary}}]
combiner: {{type: concat, num_fc_layers: 1, output_size: 16}}
trainer: {{batch_size: 32, learning_rate: 0.01}}
"
        ));
        let score = best(Of::Two, &network, Metric::RocAuc);
        assert!((0.55..0.99).contains(&score), "{input}: {score}");
    }
}

#[test]
fn the_best_epoch_is_kept_and_predicts() {
    let data = table(160, Of::Two);
    let mut trainer =
        Trainer::new(&realmlp(Of::Two), &data.prepared, &options(Metric::RocAuc)).unwrap();
    let mut judged: Vec<Judged> = Vec::new();
    for _ in 0..8 {
        trainer.train(&mut || Flow::GoOn).unwrap();
        judged.push(trainer.judge().unwrap());
    }
    let top = judged.iter().map(|j| j.score).fold(f64::MIN, f64::max);
    let best = trainer.best().unwrap();
    assert!((best.score - top).abs() < 1e-12);
    assert!((judged[best.epoch as usize - 1].score - top).abs() < 1e-12);
    let scores = trainer
        .evaluate(Part::Validation, &[Metric::RocAuc])
        .unwrap();
    assert!((scores["roc_auc"] - top).abs() < 1e-12, "{scores:?} {top}");
}

#[test]
fn patience_ends_after_so_many_epochs_without_gain() {
    let data = table(160, Of::Two);
    let mut network = realmlp(Of::Two);
    network.trainer.early_stop = Some(2);
    network.trainer.learning_rate = 1e-12;
    let mut trainer = Trainer::new(&network, &data.prepared, &options(Metric::LogLoss)).unwrap();
    let mut epochs = 0;
    while !trainer.is_exhausted() && epochs < 8 {
        train(&mut trainer, epochs + 1);
        epochs = trainer.epoch();
    }
    assert!((2..8).contains(&epochs), "{epochs}");
}

#[test]
fn a_refit_has_all_rows_no_scores_and_the_last_epoch() {
    let data = table(160, Of::Two);
    let options = Options {
        on: TrainOn::TrainAndValidation,
        ..options(Metric::RocAuc)
    };
    let mut network = realmlp(Of::Two);
    network.trainer.drop_last_batch = false;
    let mut trainer = Trainer::new(&network, &data.prepared, &options).unwrap();
    let trained = trainer.train(&mut || Flow::GoOn).unwrap();
    assert!(
        matches!(
            trained,
            Trained::Epoch {
                epoch: 1,
                n_rows: 160,
                ..
            }
        ),
        "{trained:?}"
    );
    let judged = trainer.judge().unwrap();
    assert!(judged.score.is_nan() && judged.scores.is_empty() && judged.improved);
    train(&mut trainer, 3);
    assert_eq!(trainer.best().unwrap().epoch, 3);
}

/// Rows of no weight may say anything: the same weights come out.
#[test]
fn rows_of_no_weight_teach_nothing() {
    let end = |flip: bool| {
        let mut csv = String::new();
        for (at, line) in rows(160, Of::Two).lines().enumerate() {
            let mut cells: Vec<&str> = line.split(',').collect();
            let n = cells.len();
            if at > 0 {
                cells[n - 2] = if at % 3 == 0 { "0" } else { "1" };
                if flip && at % 3 == 0 {
                    cells[n - 1] = if cells[n - 1] == "yes" { "no" } else { "yes" };
                }
            }
            csv += &(cells.join(",") + "\n");
        }
        let data = data(&csv, datasets::encode::TargetKind::Binary, true);
        let mut trainer =
            Trainer::new(&realmlp(Of::Two), &data.prepared, &options(Metric::RocAuc)).unwrap();
        train(&mut trainer, 3);
        (
            trainer.network().parameters().to_vec(),
            trainer.best().unwrap().score,
        )
    };
    let (first, second) = (end(false), end(true));
    assert!(first.0 == second.0);
    assert!(
        (first.1 - second.1).abs() < 1e-12,
        "the scores are weighted too"
    );
}
