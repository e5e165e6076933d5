//! The optimum is checked by its conditions, computed here a second way; the rest by what a user would see.

use std::collections::BTreeMap;

use datasets::encode::{Feature, RowFill, Slot, Target, Terms, TextRows};
use search::config::layers::FcStack;
use search::config::model::{
    BinaryEncoder, CategoryEncoder, FillValue, Input, InputKind, Missing, Normalization,
    NumberEncoder, NumberLoss, Output, TextEncoder,
};

use super::*;

/// Numbers a, b and a category c with two levels.
fn schema(kind: TargetKind, n_classes: usize) -> Schema {
    let feature = |name: &str, slot| Feature {
        name: name.into(),
        column: name.into(),
        missing: RowFill::Keep,
        slot,
    };
    Schema {
        features: vec![
            feature(
                "a",
                Slot::Number {
                    at: 0,
                    recode: None,
                },
            ),
            feature(
                "b",
                Slot::Number {
                    at: 1,
                    recode: None,
                },
            ),
            feature(
                "d",
                Slot::Binary {
                    at: 2,
                    levels: ["no".into(), "yes".into()],
                },
            ),
            feature(
                "c",
                Slot::Category {
                    at: 0,
                    levels: vec!["x".into(), "y".into()],
                    train_counts: vec![9, 9],
                    lowercase: false,
                },
            ),
        ],
        n_numbers: 3,
        n_categories: 1,
        n_texts: 0,
        target: Target {
            name: "t".into(),
            column: "t".into(),
            kind,
            classes: (0..n_classes).map(|k| format!("k{k}")).collect(),
            recode: None,
        },
    }
}

fn config(kind: OutputKind, l2: f64) -> Linear {
    let number = || InputKind::Number {
        normalization: Normalization::Zscore,
        clip: false,
        missing_indicator: true,
        encoder: NumberEncoder::Passthrough,
    };
    let category = InputKind::Category {
        most_common: 100,
        min_count: 1,
        encoder: CategoryEncoder::Onehot,
    };
    let input = |name: &str, kind| Input {
        name: name.into(),
        column: name.into(),
        missing: Missing::Mean,
        kind,
    };
    Linear {
        inputs: vec![
            input("a", number()),
            input("b", number()),
            input(
                "d",
                InputKind::Binary {
                    encoder: BinaryEncoder::Passthrough,
                },
            ),
            Input {
                missing: Missing::Const(FillValue::Text("<UNK>".into())),
                ..input("c", category)
            },
        ],
        output: Output {
            name: "t".into(),
            column: "t".into(),
            kind,
            fc: FcStack::default(),
            use_bias: true,
        },
        l2,
    }
}

fn number() -> OutputKind {
    OutputKind::Number {
        loss: NumberLoss::MeanSquaredError,
        normalization: Normalization::Zscore,
        clip: None,
    }
}

fn binary() -> OutputKind {
    OutputKind::Binary {
        positive_class_weight: None,
        label_smoothing: 0.0,
        threshold: 0.5,
    }
}

fn classes() -> OutputKind {
    OutputKind::Category {
        class_weights: ClassWeights::Equal,
        label_smoothing: 0.0,
    }
}

/// Rows that look random and are not; `target` of (a, b, d, code).
struct Table {
    numbers: Vec<f32>,
    categories: Vec<u32>,
    target: Vec<f32>,
    rows: Vec<u32>,
}

fn table(n: usize, target: fn([f32; 3], u32) -> f32) -> Table {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let mut out = Table {
        numbers: vec![],
        categories: vec![],
        target: vec![],
        rows: (0..).take(n).collect(),
    };
    for _ in 0..n {
        let numbers = [next() * 4.0 - 2.0, next() * 10.0, f32::from(next() > 0.7)];
        let code = 1 + u32::from(next() > 0.4);
        out.target.push(target(numbers, code));
        out.numbers.extend(numbers);
        out.categories.push(code);
    }
    out
}

impl Table {
    fn arrays(&self) -> Arrays<'_> {
        Arrays {
            n_rows: self.rows.len(),
            numbers: &self.numbers,
            n_numbers: 3,
            categories: &self.categories,
            n_categories: 1,
            texts: vec![],
        }
    }

    fn fit(&self, schema: &Schema, config: &Linear) -> LinearModel {
        let rows = Rows {
            arrays: self.arrays(),
            target: &self.target,
            weights: None,
            train: &self.rows,
            validation: &[],
        };
        LinearModel::fit(schema, config, &rows).unwrap()
    }

    fn predict(&self, model: &LinearModel) -> Vec<f32> {
        model.predict(&self.arrays(), &self.rows)
    }
}

/// The largest part of the gradient at the model's weights, from its own predictions.
fn gradient(table: &Table, model: &LinearModel, residual: impl Fn(usize, usize) -> f64) -> f64 {
    let design = model.coding.layout.see(&table.arrays(), &table.rows);
    let width = model.coding.output.width();
    let mut sums: Vec<f64> = model.weights.iter().map(|w| model.l2() * w).collect();
    sums[..width].fill(0.0);
    for row in 0..design.n_rows() {
        let residuals: Vec<f64> = (0..width)
            .map(|k| residual(row, k) / design.n_rows() as f64)
            .collect();
        design.spread(row, &residuals, &mut sums);
    }
    sums.iter()
        .fold(0.0, |largest: f64, g| largest.max(g.abs()))
}

#[test]
fn ridge_finds_a_linear_relation() {
    let table = table(400, |[a, b, d], code| {
        3.0 + 2.0 * a - 0.5 * b + d * 4.0 + code as f32
    });
    let model = table.fit(&schema(TargetKind::Number, 0), &config(number(), 1e-9));
    let predictions = table.predict(&model);
    let worst = predictions
        .iter()
        .zip(&table.target)
        .map(|(p, y)| (p - y).abs())
        .fold(0.0, f32::max);
    assert!(worst < 1e-3, "{worst}");
}

#[test]
fn ridge_is_at_its_optimum() {
    let table = table(300, |[a, b, _], _| (a * b).sin() * 10.0);
    let model = table.fit(&schema(TargetKind::Number, 0), &config(number(), 0.1));
    let Outcome::Number { scale, .. } = model.coding.output else {
        panic!("a number")
    };
    let predictions = table.predict(&model);
    let residual =
        |row: usize, _| (f64::from(predictions[row]) - f64::from(table.target[row])) / scale.sd;
    let largest = gradient(&table, &model, residual);
    assert!(largest < 1e-6, "{largest}");
}

#[test]
fn logistic_regression_is_at_its_optimum() {
    let table = table(500, |[a, b, d], code| {
        f32::from(u8::from(
            (a * 3.0 + b + d * 2.0 + code as f32 * 7.0) % 5.0 > 2.0,
        ))
    });
    let model = table.fit(&schema(TargetKind::Binary, 2), &config(binary(), 1e-3));
    let predictions = table.predict(&model);
    let largest = gradient(&table, &model, |row, _| {
        f64::from(predictions[row]) - f64::from(table.target[row])
    });
    assert!(largest < 1e-4, "{largest}");
}

#[test]
fn softmax_regression_is_at_its_optimum() {
    let table = table(600, |[a, b, _], code| {
        ((a + 2.0).floor() + f32::from(u8::from(b > 5.0)) + code as f32 - 1.0) % 4.0
    });
    let model = table.fit(&schema(TargetKind::Category, 4), &config(classes(), 1e-3));
    let predictions = table.predict(&model);
    let residual = |row: usize, k: usize| {
        f64::from(predictions[row * 4 + k])
            - f64::from(u8::from((table.target[row] - k as f32).abs() < 0.5))
    };
    let largest = gradient(&table, &model, residual);
    assert!(largest < 2e-3, "{largest}");
    assert!(
        predictions
            .chunks(4)
            .all(|row| (row.iter().sum::<f32>() - 1.0).abs() < 1e-5)
    );
}

#[test]
fn classes_that_can_be_told_apart_are_and_weights_stay_finite() {
    let table = table(300, |[a, ..], _| f32::from(u8::from(a > 0.0)));
    let model = table.fit(&schema(TargetKind::Binary, 2), &config(binary(), 1e-6));
    let right = table
        .predict(&model)
        .iter()
        .zip(&table.target)
        .filter(|(p, y)| (**p > 0.5) == (**y > 0.5))
        .count();
    assert!(right >= 298, "{right}");
}

#[test]
fn a_class_weight_moves_probabilities_up() {
    let table = table(400, |[a, b, _], _| {
        f32::from(u8::from((a * 7.0 + b) % 3.0 > 2.5))
    });
    let mean = |weight| {
        let kind = OutputKind::Binary {
            positive_class_weight: weight,
            label_smoothing: 0.0,
            threshold: 0.5,
        };
        let model = table.fit(&schema(TargetKind::Binary, 2), &config(kind, 1e-3));
        table.predict(&model).iter().sum::<f32>() / 400.0
    };
    assert!(mean(Some(5.0)) > mean(None) + 0.2);
    let by_class = ClassWeights::ByClass(BTreeMap::from([("k1".into(), 5.0)]));
    let factors = ClassFactors::new(
        &OutputKind::Category {
            class_weights: by_class,
            label_smoothing: 0.0,
        },
        &schema(TargetKind::Category, 3),
    );
    let got = [0.0, 1.0, 2.0].map(|class| factors.of(class));
    assert!(
        got.iter()
            .zip([1.0, 5.0, 1.0])
            .all(|(a, b)| (a - b).abs() < 1e-12),
        "{got:?}"
    );
}

#[test]
fn the_strength_that_validates_best_is_taken() {
    // Targets are noise: the strongest penalty is best.
    let table = table(60, |[a, b, _], _| (a * 91.7 + b * 37.3).sin());
    let schema = schema(TargetKind::Number, 0);
    let rows = Rows {
        arrays: table.arrays(),
        target: &table.target,
        weights: None,
        train: &table.rows[..30],
        validation: &table.rows[30..],
    };
    let model = LinearModel::fit(&schema, &config(number(), 1e-3), &rows).unwrap();
    assert!((model.l2() - 0.1).abs() < 1e-12, "{}", model.l2());
}

#[test]
fn missing_values_and_unseen_levels_are_predicted() {
    let mut table = table(200, |[a, ..], code| a + code as f32);
    table.numbers[0] = f32::NAN;
    table.numbers[5] = f32::NAN;
    table.categories[2] = 0;
    table.categories[3] = 3;
    let model = table.fit(&schema(TargetKind::Number, 0), &config(number(), 1e-3));
    assert!(table.predict(&model).iter().all(|x| x.is_finite()));
}

#[test]
fn words_are_used() {
    let terms = Terms {
        lowercase: true,
        pairs: true,
        characters: false,
    };
    for (target, kind, n_classes) in [
        (TargetKind::Binary, binary(), 2),
        (TargetKind::Category, classes(), 2),
        (TargetKind::Number, number(), 0),
    ] {
        check_words(target, kind, n_classes, terms);
    }
}

/// Even rows hold words 1 and 2 and have the target 0, odd ones 1 and 3 and the target 1.
fn check_words(target: TargetKind, kind: OutputKind, n_classes: usize, terms: Terms) {
    let mut schema = schema(target, n_classes);
    schema.features = vec![Feature {
        name: "w".into(),
        column: "w".into(),
        missing: RowFill::Keep,
        slot: Slot::Text { at: 0, terms },
    }];
    schema.n_texts = 1;
    let encoder = TextEncoder::TfIdf {
        n_features: 1024,
        output_size: 8,
        ngrams: 2,
        char_ngrams: false,
        word_dropout: 0.0,
        direct: false,
    };
    let mut config = config(kind, 1e-4);
    config.inputs = vec![Input {
        name: "w".into(),
        column: "w".into(),
        missing: Missing::Mode,
        kind: InputKind::Text { encoder },
    }];
    let indptr: Vec<u64> = (0..=40).map(|row| row * 2).collect();
    let hash: Vec<u32> = (0..40).flat_map(|row| [1, 2 + row % 2]).collect();
    let text = TextRows {
        indptr: &indptr,
        hash: &hash,
        count: &[1.0; 80],
    };
    let target: Vec<f32> = (0..40).map(|row| (row % 2) as f32).collect();
    let all: Vec<u32> = (0..40).collect();
    let arrays = Arrays {
        n_rows: 40,
        numbers: &[],
        n_numbers: 3,
        categories: &[],
        n_categories: 1,
        texts: vec![text],
    };
    let arrays = Arrays {
        n_numbers: 0,
        n_categories: 0,
        ..arrays
    };
    schema.n_numbers = 0;
    schema.n_categories = 0;
    let rows = Rows {
        arrays: arrays.clone(),
        target: &target,
        weights: None,
        train: &all,
        validation: &[],
    };
    let model = LinearModel::fit(&schema, &config, &rows).unwrap();
    let predictions = model.predict(&arrays, &all);
    let of_last = predictions
        .iter()
        .skip(n_classes.saturating_sub(1) * usize::from(predictions.len() > 40));
    for (p, y) in of_last.step_by(predictions.len() / 40).zip(&target) {
        assert!((p - y).abs() < 0.05, "{p} where {y} is right");
    }
}

#[test]
fn bounds_are_kept() {
    let table = table(100, |[a, b, _], _| a * b);
    let kind = OutputKind::Number {
        loss: NumberLoss::MeanSquaredError,
        normalization: Normalization::Zscore,
        clip: Some(Clip::Range(-1.0, 1.0)),
    };
    let model = table.fit(&schema(TargetKind::Number, 0), &config(kind, 1e-3));
    assert!(table.predict(&model).iter().all(|x| x.abs() <= 1.0));
}

#[test]
fn a_model_survives_its_files_and_foreign_ones_are_refused() {
    let table = table(100, |[a, ..], _| f32::from(u8::from(a > 0.3)));
    let model = table.fit(&schema(TargetKind::Binary, 2), &config(binary(), 1e-3));
    let (encodings, weights) = (model.encodings().unwrap(), model.to_safetensors().unwrap());
    assert_eq!(
        LinearModel::from_parts(&encodings, &weights).unwrap(),
        model
    );
    assert!(LinearModel::from_parts(&encodings, &weights[..weights.len() - 1]).is_err());
    assert!(LinearModel::from_parts(&serde_json::json!({}), &weights).is_err());
    let other = table.fit(&schema(TargetKind::Category, 2), &config(classes(), 1e-3));
    assert!(LinearModel::from_parts(&other.encodings().unwrap(), &weights).is_err());
}
