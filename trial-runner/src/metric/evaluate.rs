//! From predictions to the value of a metric by name.

use datasets::encode::Recode;
use search::Metric;

use super::classes::Confusion;
use super::{numbers, probabilities, ranking};

/// What a model says about the rows of a part, in their order.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictions {
    /// Two classes.
    Binary {
        /// Of the positive class, one a row.
        probability: Vec<f32>,
        /// Above it the positive class is predicted.
        threshold: f32,
    },
    /// Any number of classes.
    Category {
        /// Row-major, `n_classes` a row.
        probabilities: Vec<f32>,
        /// The number of classes.
        n_classes: usize,
    },
    /// A number.
    Number {
        /// One a row, as the target is written in the arrays.
        values: Vec<f32>,
        /// How that differs from the unit of the column.
        recode: Option<Recode>,
    },
}

impl Predictions {
    /// Adds rows: probabilities of the positive class, rows of probabilities, or numbers.
    pub fn extend(&mut self, more: &[f32]) {
        self.values_mut().extend_from_slice(more);
    }

    fn values_mut(&mut self) -> &mut Vec<f32> {
        match self {
            Self::Binary { probability, .. } => probability,
            Self::Category { probabilities, .. } => probabilities,
            Self::Number { values, .. } => values,
        }
    }

    /// All values, as they were added.
    pub fn values(&self) -> &[f32] {
        match self {
            Self::Binary { probability, .. } => probability,
            Self::Category { probabilities, .. } => probabilities,
            Self::Number { values, .. } => values,
        }
    }

    /// Predicted numbers in the unit of the column; other predictions as they are.
    pub fn in_unit(&self) -> Vec<f64> {
        let recode = match self {
            Self::Number { recode, .. } => *recode,
            Self::Binary { .. } | Self::Category { .. } => None,
        };
        self.values().iter().map(|x| in_unit(*x, recode)).collect()
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Binary { .. } | Self::Number { .. } => self.values().len(),
            Self::Category { n_classes, .. } => self.values().len() / n_classes,
        }
    }

    /// Classes, 2 for a binary; 0 for a number.
    pub fn n_classes(&self) -> usize {
        match self {
            Self::Binary { .. } => 2,
            Self::Category { n_classes, .. } => *n_classes,
            Self::Number { .. } => 0,
        }
    }

    /// The predicted class of each row, the first of equals; none for a number.
    pub fn classes(&self) -> Vec<u32> {
        match self {
            Self::Binary {
                probability,
                threshold,
            } => probability
                .iter()
                .map(|p| u32::from(p > threshold))
                .collect(),
            Self::Category {
                probabilities,
                n_classes,
            } => probabilities
                .chunks_exact(*n_classes)
                .map(first_top)
                .collect(),
            Self::Number { .. } => Vec::new(),
        }
    }
}

fn first_top(row: &[f32]) -> u32 {
    let mut top = 0;
    for (at, p) in row.iter().enumerate() {
        if *p > row[top] {
            top = at;
        }
    }
    u32::try_from(top).expect("classes are counted in u32")
}

/// The value of a metric; `truth` holds numbers or indices of classes, one a row. NaN where it has none:
/// see the module. A metric for another kind of target is NaN too.
pub fn evaluate(
    metric: Metric,
    truth: &[f32],
    predictions: &Predictions,
    weights: Option<&[f32]>,
) -> f64 {
    assert_eq!(truth.len(), predictions.n_rows(), "one prediction a row");
    if truth.is_empty() || predictions.values().iter().any(|p| !p.is_finite()) {
        return f64::NAN;
    }
    match predictions {
        Predictions::Binary { .. } | Predictions::Category { .. } => {
            of_classes(metric, truth, predictions, weights)
        }
        Predictions::Number { recode, .. } => {
            let truth: Vec<f64> = truth.iter().map(|y| in_unit(*y, *recode)).collect();
            of_numbers(metric, &truth, &predictions.in_unit(), weights)
        }
    }
}

fn of_classes(
    metric: Metric,
    truth: &[f32],
    predictions: &Predictions,
    weights: Option<&[f32]>,
) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "indices of classes"
    )]
    let classes: Vec<u32> = truth.iter().map(|&y| y as u32).collect();
    let confusion = || {
        Confusion::new(
            &classes,
            &predictions.classes(),
            predictions.n_classes(),
            weights,
        )
    };
    let ranked = |of: ranking::Metric| match predictions {
        Predictions::Category {
            probabilities,
            n_classes,
        } if *n_classes > 2 => {
            ranking::one_against_rest(&classes, probabilities, *n_classes, weights, of)
        }
        Predictions::Category { probabilities, .. } => {
            let second: Vec<f32> = probabilities.iter().skip(1).step_by(2).copied().collect();
            of(&positives(&classes), &second, weights)
        }
        Predictions::Binary {
            probability: values,
            ..
        }
        | Predictions::Number { values, .. } => of(&positives(&classes), values, weights),
    };
    match metric {
        Metric::RocAuc => ranked(ranking::roc_auc),
        Metric::AveragePrecision => ranked(ranking::average_precision),
        Metric::LogLoss => match predictions {
            Predictions::Category {
                probabilities,
                n_classes,
            } => probabilities::log_loss(&classes, probabilities, *n_classes, weights),
            Predictions::Binary {
                probability: values,
                ..
            }
            | Predictions::Number { values, .. } => {
                probabilities::binary_log_loss(&positives(&classes), values, weights)
            }
        },
        Metric::Accuracy => confusion().accuracy(),
        Metric::BalancedAccuracy => confusion().balanced_accuracy(),
        Metric::F1 => confusion().f_beta(1.0),
        Metric::FBeta { beta } => confusion().f_beta(beta),
        Metric::Precision => confusion().precision(),
        Metric::Recall => confusion().recall(),
        Metric::Mcc => confusion().mcc(),
        Metric::RootMeanSquaredError
        | Metric::MeanAbsoluteError
        | Metric::MeanSquaredError
        | Metric::RootMeanSquaredLogError
        | Metric::MeanAbsolutePercentageError
        | Metric::R2
        | Metric::Pinball { .. } => f64::NAN,
    }
}

fn positives(classes: &[u32]) -> Vec<bool> {
    classes.iter().map(|&class| class == 1).collect()
}

/// A number of the arrays in the unit of its column.
fn in_unit(x: f32, recode: Option<Recode>) -> f64 {
    let x = f64::from(x);
    recode.map_or(x, |recode| recode.restore(x))
}

fn of_numbers(metric: Metric, truth: &[f64], values: &[f64], weights: Option<&[f32]>) -> f64 {
    match metric {
        Metric::RootMeanSquaredError => numbers::root_mean_squared_error(truth, values, weights),
        Metric::MeanAbsoluteError => numbers::mean_absolute_error(truth, values, weights),
        Metric::MeanSquaredError => numbers::mean_squared_error(truth, values, weights),
        Metric::RootMeanSquaredLogError => {
            numbers::root_mean_squared_log_error(truth, values, weights)
        }
        Metric::MeanAbsolutePercentageError => {
            numbers::mean_absolute_percentage_error(truth, values, weights)
        }
        Metric::R2 => numbers::r2(truth, values, weights),
        Metric::Pinball { q } => numbers::pinball(truth, values, weights, q),
        Metric::RocAuc
        | Metric::LogLoss
        | Metric::Accuracy
        | Metric::BalancedAccuracy
        | Metric::F1
        | Metric::FBeta { .. }
        | Metric::Precision
        | Metric::Recall
        | Metric::Mcc
        | Metric::AveragePrecision => f64::NAN,
    }
}
