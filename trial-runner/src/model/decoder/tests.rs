//! Losses and their gradients against PyTorch; predictions in the unit of the column.

use datasets::encode::TargetScale;
use search::config::model::{Clip, Normalization, NumberLoss};
use serde::Deserialize;

use super::{Binary, Category, Number, Targets};

#[derive(Deserialize)]
struct Golden {
    losses: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    z: Array,
    targets: Vec<f32>,
    loss: f64,
    gradient: Array,
    smoothing: Option<f32>,
    positive_weight: Option<f32>,
    class_weights: Option<Vec<f32>>,
    weights: Option<Vec<f32>>,
}

#[derive(Deserialize)]
struct Array {
    shape: Vec<usize>,
    values: Vec<f32>,
}

fn number(loss: NumberLoss, targets: &[f32]) -> Number {
    let rows: Vec<u32> = (0..).take(targets.len()).collect();
    let scale = TargetScale::fit(targets, &rows);
    Number::new(loss, Normalization::Zscore, None, &scale, None).unwrap()
}

#[test]
fn losses_and_their_gradients_match_pytorch() {
    let golden: Golden =
        serde_json::from_str(include_str!("../../../tests/golden/layers.json")).unwrap();
    for case in golden.losses {
        let targets = Targets {
            values: case.targets.clone(),
            weights: case.weights.clone().unwrap_or_default(),
        };
        let mut z = case.z.values.clone();
        let label_smoothing = case.smoothing.unwrap_or(0.0);
        let of_number = |loss| number(loss, &case.targets);
        let loss = match case.name.as_str() {
            "binary" => {
                let positive_weight = case.positive_weight.unwrap_or(1.0);
                Binary {
                    positive_weight,
                    label_smoothing,
                    logit_factor: 1.0,
                    threshold: 0.5,
                }
                .loss(&mut z, &targets)
            }
            "category" => {
                let class_weights = case.class_weights.clone().unwrap_or_default();
                let n_classes = case.z.shape[1];
                Category {
                    n_classes,
                    class_weights,
                    label_smoothing,
                }
                .loss(&mut z, &targets)
            }
            "mean_squared_error" => of_number(NumberLoss::MeanSquaredError).loss(&mut z, &targets),
            "mean_absolute_error" => {
                of_number(NumberLoss::MeanAbsoluteError).loss(&mut z, &targets)
            }
            "root_mean_squared_error" => {
                of_number(NumberLoss::RootMeanSquaredError).loss(&mut z, &targets)
            }
            "huber" => of_number(NumberLoss::Huber { delta: 0.7 }).loss(&mut z, &targets),
            "mean_absolute_percentage_error" => {
                of_number(NumberLoss::MeanAbsolutePercentageError).loss(&mut z, &targets)
            }
            "root_mean_squared_percentage_error" => {
                of_number(NumberLoss::RootMeanSquaredPercentageError).loss(&mut z, &targets)
            }
            other => panic!("{other}"),
        };
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * b.abs().max(0.1);
        assert!(
            near(loss, case.loss),
            "{}: loss {loss}, PyTorch says {}",
            case.name,
            case.loss
        );
        for (got, expected) in z.iter().zip(&case.gradient.values) {
            let what = format!("{}: gradient {got}, PyTorch says {expected}", case.name);
            assert!(near(f64::from(*got), f64::from(*expected)), "{what}");
        }
    }
}

#[test]
fn huge_logits_give_finite_losses_and_zero_weights_give_none() {
    let binary = Binary {
        positive_weight: 1.0,
        label_smoothing: 0.0,
        logit_factor: 1.0,
        threshold: 0.5,
    };
    let mut z = [1e6, -1e6];
    let loss = binary.loss(
        &mut z,
        &Targets {
            values: vec![0.0, 1.0],
            weights: Vec::new(),
        },
    );
    assert!(
        (loss - 1e6).abs() < 1.0 && z.iter().all(|g| g.is_finite()),
        "{loss} {z:?}"
    );
    let category = Category {
        n_classes: 2,
        class_weights: Vec::new(),
        label_smoothing: 0.0,
    };
    let mut z = [1e6, -1e6];
    let loss = category.loss(
        &mut z,
        &Targets {
            values: vec![1.0],
            weights: Vec::new(),
        },
    );
    assert!(
        (loss - 2e6).abs() < 1.0 && z.iter().all(|g| g.is_finite()),
        "{loss} {z:?}"
    );
    let mut z = [1.0, 2.0];
    let loss = binary.loss(
        &mut z,
        &Targets {
            values: vec![0.0, 1.0],
            weights: vec![0.0, 0.0],
        },
    );
    assert!(loss.abs() < 1e-9 && z.iter().all(|g| g.abs() < 1e-9));
}

#[test]
fn numbers_come_back_in_the_unit_of_the_column_and_stay_in_their_bounds() {
    let targets = [10.0, 20.0, 60.0];
    let scale = TargetScale::fit(&targets, &[0, 1, 2]);
    let predict = |normalization, clip, outputs: &[f32]| {
        let head = Number::new(
            NumberLoss::MeanSquaredError,
            normalization,
            clip,
            &scale,
            None,
        )
        .unwrap();
        let mut values = outputs.to_vec();
        head.predictions(&mut values);
        values
    };
    let near = |got: Vec<f32>, expected: &[f32]| {
        let close = got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(close, "{got:?} {expected:?}");
    };
    near(predict(Normalization::None, None, &[1.0, 5.0]), &[1.0, 5.0]);
    near(
        predict(Normalization::Zscore, None, &[0.0, 1.0]),
        &[30.0, 51.602_47],
    );
    near(
        predict(Normalization::Minmax, None, &[0.0, 0.5, 2.0]),
        &[10.0, 35.0, 110.0],
    );
    near(
        predict(Normalization::Log1p, None, &[0.0, 1.0, -1.0]),
        &[0.0, 1.718_28, -1.718_28],
    );
    let clip = Some(Clip::TrainingRange);
    near(
        predict(Normalization::Zscore, clip, &[-9.0, 9.0]),
        &[10.0, 60.0],
    );
    near(
        predict(
            Normalization::None,
            Some(Clip::Range(0.0, 2.0)),
            &[-1.0, 1.0, 3.0],
        ),
        &[0.0, 1.0, 2.0],
    );
    assert!(
        Number::new(
            NumberLoss::MeanSquaredError,
            Normalization::Quantile,
            None,
            &scale,
            None
        )
        .is_err()
    );
}
