//! Every metric against scikit-learn, and its values where scikit-learn has none.

use search::Metric;
use serde::Deserialize;

use super::{Predictions, evaluate};

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kind: String,
    truth: Vec<f32>,
    predictions: Vec<f32>,
    weights: Option<Vec<f32>>,
    threshold: Option<f32>,
    n_classes: Option<usize>,
    scores: std::collections::BTreeMap<String, f64>,
}

fn predictions(case: &Case) -> Predictions {
    let values = case.predictions.clone();
    match case.kind.as_str() {
        "binary" => Predictions::Binary {
            probability: values,
            threshold: case.threshold.unwrap(),
        },
        "category" => Predictions::Category {
            probabilities: values,
            n_classes: case.n_classes.unwrap(),
        },
        "number" => Predictions::Number {
            values,
            recode: None,
        },
        other => panic!("{other}"),
    }
}

#[test]
fn every_metric_has_scikit_learns_value() {
    let golden: Golden =
        serde_json::from_str(include_str!("../../tests/golden/metrics.json")).unwrap();
    let mut seen = std::collections::HashSet::new();
    for case in &golden.cases {
        let predictions = predictions(case);
        for (name, expected) in &case.scores {
            let metric: Metric = name.parse().unwrap();
            let got = evaluate(metric, &case.truth, &predictions, case.weights.as_deref());
            // Probabilities are f32: sums of them differ in the seventh digit.
            let close = (got - expected).abs() <= 1e-6 * expected.abs().max(1.0);
            assert!(
                close,
                "{}: {name} is {got}, scikit-learn says {expected}",
                case.name
            );
            seen.insert(std::mem::discriminant(&metric));
        }
    }
    assert_eq!(
        seen.len(),
        search::metric::ALL.len(),
        "every metric has a case"
    );
}

fn binary(probability: &[f32]) -> Predictions {
    Predictions::Binary {
        probability: probability.to_vec(),
        threshold: 0.5,
    }
}

#[test]
fn what_has_no_value_is_nan() {
    let values = |metric: &str, truth: &[f32], predictions: &Predictions| {
        evaluate(metric.parse().unwrap(), truth, predictions, None)
    };
    for metric in search::metric::ALL {
        let name = metric.name();
        assert!(
            values(&name, &[], &binary(&[])).is_nan(),
            "{name} of no rows"
        );
        assert!(
            values(&name, &[1.0, 0.0], &binary(&[0.5, f32::NAN])).is_nan(),
            "{name} of NaN"
        );
        let infinite = Predictions::Number {
            values: vec![f32::INFINITY, 1.0],
            recode: None,
        };
        assert!(
            values(&name, &[1.0, 0.0], &infinite).is_nan(),
            "{name} of infinity"
        );
    }
    assert!(
        values("roc_auc", &[1.0, 1.0], &binary(&[0.5, 0.6])).is_nan(),
        "one class"
    );
    assert!(
        values("average_precision", &[0.0, 0.0], &binary(&[0.5, 0.6])).is_nan(),
        "no positive row"
    );
    assert!(
        values(
            "r2",
            &[1.0],
            &Predictions::Number {
                values: vec![1.0],
                recode: None
            }
        )
        .is_nan(),
        "one row"
    );
    assert!(
        values("r2", &[1.0, 0.0], &binary(&[0.5, 0.6])).is_nan(),
        "another kind of target"
    );
}

#[test]
fn one_class_still_has_accuracy_and_log_loss() {
    let predictions = binary(&[0.9, 0.8]);
    let score = |metric| evaluate(metric, &[1.0, 1.0], &predictions, None);
    assert!((score(Metric::Accuracy) - 1.0).abs() < 1e-9);
    assert!((score(Metric::BalancedAccuracy) - 1.0).abs() < 1e-9);
    assert!((score(Metric::LogLoss) - 0.164_252).abs() < 1e-5);
}

proptest::proptest! {
    #[test]
    fn a_weight_of_two_is_the_row_twice(rows in proptest::collection::vec((0..2u8, 0..5u8, 1..3u8), 2..40)) {
        let mut truth = Vec::new();
        let mut scores = Vec::new();
        let (mut truth_twice, mut scores_twice) = (Vec::new(), Vec::new());
        let mut weights = Vec::new();
        for (class, score, weight) in rows {
            let (class, score) = (f32::from(class), f32::from(score) / 4.0);
            truth.push(class);
            scores.push(score);
            weights.push(f32::from(weight));
            for _ in 0..weight {
                truth_twice.push(class);
                scores_twice.push(score);
            }
        }
        for metric in Metric::all_for(search::metric::TargetKind::Binary) {
            let weighted = evaluate(metric, &truth, &binary(&scores), Some(&weights));
            let repeated = evaluate(metric, &truth_twice, &binary(&scores_twice), None);
            let same = (weighted - repeated).abs() < 1e-9 || (weighted.is_nan() && repeated.is_nan());
            proptest::prop_assert!(same, "{metric}: {weighted} {repeated}");
        }
    }
}
