//! Resumption bit for bit, and what a checkpoint is refused for.

use std::fs;

use search::Metric;
use search::config::model::Network;
use search::config::trainer::BatchSize;

use super::fixture::{Data, Of, concat, options, realmlp, table, train};
use crate::error::Error;
use crate::train::Trainer;

/// The weights after eight epochs, and those of the best one.
fn end(trainer: &Trainer<'_>) -> (Vec<u8>, Vec<f32>, String) {
    let best = format!("{:?}", trainer.best());
    (
        trainer.best_weights().unwrap(),
        trainer.network().parameters().to_vec(),
        best,
    )
}

fn check_two_legs_are_one(data: &Data, network: &Network, metric: Metric) {
    let options = options(metric);
    let mut uncut = Trainer::new(network, &data.prepared, &options).unwrap();
    train(&mut uncut, 8);
    let dir = data.folder.path().join(format!("checkpoint {metric}"));
    assert!(
        Trainer::resume(network, &data.prepared, &options, &dir)
            .unwrap()
            .is_none()
    );
    let mut first = Trainer::new(network, &data.prepared, &options).unwrap();
    train(&mut first, 3);
    first.checkpoint(&dir).unwrap();
    drop(first);
    let mut second = Trainer::resume(network, &data.prepared, &options, &dir)
        .unwrap()
        .unwrap();
    assert_eq!(second.epoch(), 3);
    train(&mut second, 5);
    second.checkpoint(&dir).unwrap();
    let mut third = Trainer::resume(network, &data.prepared, &options, &dir)
        .unwrap()
        .unwrap();
    train(&mut third, 8);
    assert!(end(&uncut) == end(&third), "two cuts change nothing");
}

#[test]
fn a_training_cut_in_legs_is_the_uncut_one_bit_for_bit() {
    let data = table(160, Of::Two);
    check_two_legs_are_one(&data, &realmlp(Of::Two), Metric::RocAuc);
    check_two_legs_are_one(&data, &concat(), Metric::LogLoss);
    check_two_legs_are_one(
        &table(160, Of::Number),
        &realmlp(Of::Number),
        Metric::RootMeanSquaredError,
    );
}

#[test]
fn a_seed_decides_everything() {
    let data = table(160, Of::Two);
    let trained = |seed| {
        let options = crate::train::Options {
            seed,
            ..options(Metric::RocAuc)
        };
        let mut trainer = Trainer::new(&concat(), &data.prepared, &options).unwrap();
        train(&mut trainer, 2);
        trainer.network().parameters().to_vec()
    };
    assert!(trained(1) == trained(1));
    assert!(trained(1) != trained(2));
}

#[test]
fn a_damaged_checkpoint_gives_way_to_the_one_before() {
    let data = table(160, Of::Two);
    let (network, options) = (realmlp(Of::Two), options(Metric::RocAuc));
    let dir = data.folder.path().join("checkpoint");
    let mut trainer = Trainer::new(&network, &data.prepared, &options).unwrap();
    for epoch in [1, 2] {
        train(&mut trainer, epoch);
        trainer.checkpoint(&dir).unwrap();
    }
    let resumed = || Trainer::resume(&network, &data.prepared, &options, &dir);
    assert_eq!(resumed().unwrap().unwrap().epoch(), 2);
    let current = dir.join("current.safetensors");
    let mut bytes = fs::read(&current).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&current, &bytes).unwrap();
    assert_eq!(resumed().unwrap().unwrap().epoch(), 1);
    fs::write(&current, b"").unwrap();
    assert_eq!(resumed().unwrap().unwrap().epoch(), 1);
    fs::write(dir.join("previous.safetensors"), b"short").unwrap();
    assert!(matches!(resumed(), Err(Error::Corrupt { .. })));
}

#[test]
fn a_checkpoint_of_another_training_is_refused() {
    let data = table(160, Of::Two);
    let (network, given) = (realmlp(Of::Two), options(Metric::RocAuc));
    let dir = data.folder.path().join("checkpoint");
    let mut trainer = Trainer::new(&network, &data.prepared, &given).unwrap();
    train(&mut trainer, 1);
    trainer.checkpoint(&dir).unwrap();
    for other in [
        crate::train::Options {
            seed: 6,
            ..given.clone()
        },
        crate::train::Options {
            full: 9,
            ..given.clone()
        },
        crate::train::Options {
            epoch_rows: Some(32),
            ..given.clone()
        },
        options(Metric::LogLoss),
    ] {
        let error = Trainer::resume(&network, &data.prepared, &other, &dir).unwrap_err();
        assert!(error.to_string().contains("another training"), "{error}");
    }
    let mut changed = network.clone();
    changed.trainer.learning_rate = 0.01;
    assert!(Trainer::resume(&changed, &data.prepared, &given, &dir).is_err());
}

#[test]
fn a_training_goes_on_with_half_the_batch_from_its_last_epoch() {
    let data = table(160, Of::Two);
    let (network, options) = (realmlp(Of::Two), options(Metric::RocAuc));
    let dir = data.folder.path().join("checkpoint");
    let mut halved = network.clone();
    halved.trainer.batch_size = BatchSize::Rows(16);
    let mut first = Trainer::new(&network, &data.prepared, &options).unwrap();
    train(&mut first, 3);
    first.checkpoint(&dir).unwrap();
    let resumed = || {
        Trainer::resume(&halved, &data.prepared, &options, &dir)
            .unwrap()
            .unwrap()
    };
    let mut second = resumed();
    assert_eq!(second.epoch(), 3);
    assert!(end(&first) == end(&second), "nothing learned is lost");
    // 120 rows: 4 steps of 32, 8 of 16.
    assert_eq!((first.steps_an_epoch(), second.steps_an_epoch()), (4, 8));
    // So that order and learning rate are those of the fourth of eight epochs.
    assert_eq!((first.step(), second.step()), (12, 24));
    train(&mut second, 5);
    second.checkpoint(&dir).unwrap();
    let mut third = resumed();
    train(&mut second, 8);
    train(&mut third, 8);
    assert!(
        end(&second) == end(&third),
        "the smaller steps resume bit for bit too"
    );
}
