//! Tables and configs at the edge.

use datasets::encode::TargetKind;
use search::Metric;

use super::fixture::{Of, concat, data, network, options, realmlp, rows, table, train};
use crate::error::Error;
use crate::train::{Flow, Options, Trained, Trainer};

#[test]
fn tables_of_five_rows_train() {
    for (of, kind, network) in [
        (Of::Two, TargetKind::Binary, realmlp(Of::Two)),
        (Of::Two, TargetKind::Binary, concat()),
        (Of::Number, TargetKind::Number, realmlp(Of::Number)),
    ] {
        let data = data(&rows(5, of), kind, false);
        let metric = if of == Of::Number {
            Metric::R2
        } else {
            Metric::RocAuc
        };
        let mut trainer = Trainer::new(&network, &data.prepared, &options(metric)).unwrap();
        let trained = trainer.train(&mut || Flow::GoOn).unwrap();
        assert!(
            matches!(trained, Trained::Epoch { n_rows: 4, .. }),
            "{trained:?}"
        );
        // One row validates: its ranking has no value, and the first epoch is kept all the same.
        assert!(trainer.judge().unwrap().score.is_nan());
        train(&mut trainer, 8);
        assert_eq!(trainer.best().unwrap().epoch, 1);
        assert!(!trainer.best_weights().unwrap().is_empty());
    }
}

#[test]
fn a_loss_that_is_not_finite_ends_the_training_at_once() {
    let data = table(160, Of::Number);
    let mut network = realmlp(Of::Number);
    network.trainer.learning_rate = 1e30;
    network.trainer.schedule = search::config::trainer::Schedule::Constant;
    let mut trainer = Trainer::new(&network, &data.prepared, &options(Metric::R2)).unwrap();
    let error = (0..8)
        .find_map(|_| trainer.train(&mut || Flow::GoOn).err())
        .expect("it diverges");
    assert!(matches!(error, Error::Diverged { epoch: 1 }), "{error}");
}

#[test]
fn a_stop_is_met_between_two_steps() {
    let data = table(160, Of::Two);
    let mut trainer =
        Trainer::new(&realmlp(Of::Two), &data.prepared, &options(Metric::RocAuc)).unwrap();
    let mut steps = 0;
    let trained = trainer.train(&mut || {
        steps += 1;
        if steps > 2 { Flow::Stop } else { Flow::GoOn }
    });
    assert_eq!(trained.unwrap(), Trained::Interrupted);
    assert_eq!((steps, trainer.epoch()), (3, 0));
}

#[test]
fn an_epoch_may_be_less_than_a_pass() {
    let data = table(160, Of::Two);
    let options = Options {
        epoch_rows: Some(64),
        ..options(Metric::RocAuc)
    };
    let mut trainer = Trainer::new(&realmlp(Of::Two), &data.prepared, &options).unwrap();
    let trained = trainer.train(&mut || Flow::GoOn).unwrap();
    assert!(
        matches!(trained, Trained::Epoch { n_rows: 64, .. }),
        "{trained:?}"
    );
}

#[test]
fn inputs_that_the_arrays_do_not_have_are_named() {
    let data = table(160, Of::Two);
    let check = |input: &str, expected: &str| {
        let network = network(&format!(
            "input_features: [{input}]\noutput_features: [{{name: y, type: binary}}]\n"
        ));
        let error = Trainer::new(&network, &data.prepared, &options(Metric::RocAuc)).unwrap_err();
        assert!(
            matches!(error, Error::Config(_)) && error.to_string().contains(expected),
            "{error}"
        );
    };
    check(
        "{name: nothing, type: number}",
        "\"nothing\" is not among the prepared arrays",
    );
    check(
        "{name: colour, type: number}",
        "\"colour\" was prepared as a category",
    );
}

#[test]
fn columns_that_say_nothing_are_no_fault_unless_there_is_nothing_else() {
    let csv = "x,colour,part,y\n".to_owned() + &"1,,0,yes\n1,,0,no\n1,,1,yes\n1,,1,no\n".repeat(4);
    let data = data(&csv, TargetKind::Binary, false);
    let network = |inputs: &str| {
        network(&format!(
            "input_features: [{inputs}]\noutput_features: [{{name: y, type: binary}}]\n"
        ))
    };
    let constant = network("{name: x, type: number}");
    let mut trainer = Trainer::new(&constant, &data.prepared, &options(Metric::RocAuc)).unwrap();
    train(&mut trainer, 1);
    assert!((trainer.best().unwrap().score - 0.5).abs() < 1e-9);
}
