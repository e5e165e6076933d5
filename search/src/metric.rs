//! The metrics a trial can be judged by: names, direction, and what kind of target each is for.
//!
//! Computes nothing; the implementations live in the trial process.

use std::fmt;
use std::str::FromStr;

/// What kind of target a metric, or an output feature, is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TargetKind {
    /// Two classes, one of them the positive one.
    Binary,
    /// Any number of classes.
    Category,
    /// A real number.
    Number,
}

impl TargetKind {
    /// The name of the feature type in a config.
    pub fn name(self) -> &'static str {
        match self {
            TargetKind::Binary => "binary",
            TargetKind::Category => "category",
            TargetKind::Number => "number",
        }
    }
}

/// A metric. Those with a parameter carry it in their name: `f_beta_2`, `pinball_0.9`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Metric {
    /// Area under the ROC curve, ties counted half; one against the rest, averaged, for more than two classes.
    RocAuc,
    /// Mean negative log likelihood of the true class, natural logarithm. Ludwig's `loss` of a class target.
    LogLoss,
    /// Share of rows whose most probable class is the true one.
    Accuracy,
    /// Mean of the recalls of the classes.
    BalancedAccuracy,
    /// Harmonic mean of precision and recall; averaged over classes (macro) when there are more than two.
    F1,
    /// F measure with recall weighted `beta` times precision.
    FBeta {
        /// Weight of recall, above 0.
        beta: f64,
    },
    /// Precision of the positive class; macro average for more than two classes.
    Precision,
    /// Recall of the positive class; macro average for more than two classes.
    Recall,
    /// Matthews correlation coefficient.
    Mcc,
    /// Average precision: area under the precision-recall curve by steps.
    AveragePrecision,
    /// Root of the mean squared error.
    RootMeanSquaredError,
    /// Mean absolute error.
    MeanAbsoluteError,
    /// Mean squared error. Ludwig's `loss` of a number target.
    MeanSquaredError,
    /// Root mean squared error of `ln(1 + y)`; predictions and targets below 0 count as 0.
    RootMeanSquaredLogError,
    /// Mean absolute error relative to the target.
    MeanAbsolutePercentageError,
    /// Coefficient of determination.
    R2,
    /// Pinball loss of the quantile `q`.
    Pinball {
        /// The quantile, in 0 to 1.
        q: f64,
    },
}

use Metric::*;

/// Every metric without a free parameter, and the two others at their default.
pub const ALL: &[Metric] = &[
    RocAuc,
    LogLoss,
    Accuracy,
    BalancedAccuracy,
    F1,
    FBeta { beta: 2.0 },
    Precision,
    Recall,
    Mcc,
    AveragePrecision,
    RootMeanSquaredError,
    MeanAbsoluteError,
    MeanSquaredError,
    RootMeanSquaredLogError,
    MeanAbsolutePercentageError,
    R2,
    Pinball { q: 0.5 },
];

/// Other names of metrics: Ludwig's, scikit-learn's and the common short ones.
const ALIASES: &[(&str, Metric)] = &[
    ("auc", RocAuc),
    ("roc", RocAuc),
    ("auroc", RocAuc),
    ("logloss", LogLoss),
    ("cross_entropy", LogLoss),
    ("acc", Accuracy),
    ("accuracy_micro", Accuracy),
    ("balanced_acc", BalancedAccuracy),
    ("f1_score", F1),
    ("f_beta", FBeta { beta: 2.0 }),
    ("matthews_corrcoef", Mcc),
    ("auprc", AveragePrecision),
    ("pr_auc", AveragePrecision),
    ("rmse", RootMeanSquaredError),
    ("mae", MeanAbsoluteError),
    ("mse", MeanSquaredError),
    ("rmsle", RootMeanSquaredLogError),
    ("mape", MeanAbsolutePercentageError),
    ("r_squared", R2),
    ("pinball", Pinball { q: 0.5 }),
];

impl Metric {
    /// The canonical name, as written in configs and tables.
    pub fn name(self) -> String {
        match self {
            FBeta { beta } => format!("f_beta_{beta}"),
            Pinball { q } => format!("pinball_{q}"),
            RocAuc
            | LogLoss
            | Accuracy
            | BalancedAccuracy
            | F1
            | Precision
            | Recall
            | Mcc
            | AveragePrecision
            | RootMeanSquaredError
            | MeanAbsoluteError
            | MeanSquaredError
            | RootMeanSquaredLogError
            | MeanAbsolutePercentageError
            | R2 => self.stem().to_owned(),
        }
    }

    fn stem(self) -> &'static str {
        match self {
            RocAuc => "roc_auc",
            LogLoss => "log_loss",
            Accuracy => "accuracy",
            BalancedAccuracy => "balanced_accuracy",
            F1 => "f1",
            FBeta { .. } => "f_beta",
            Precision => "precision",
            Recall => "recall",
            Mcc => "mcc",
            AveragePrecision => "average_precision",
            RootMeanSquaredError => "root_mean_squared_error",
            MeanAbsoluteError => "mean_absolute_error",
            MeanSquaredError => "mean_squared_error",
            RootMeanSquaredLogError => "root_mean_squared_log_error",
            MeanAbsolutePercentageError => "mean_absolute_percentage_error",
            R2 => "r2",
            Pinball { .. } => "pinball",
        }
    }

    /// Whether more is better.
    pub fn maximise(self) -> bool {
        match self {
            RocAuc
            | Accuracy
            | BalancedAccuracy
            | F1
            | FBeta { .. }
            | Precision
            | Recall
            | Mcc
            | AveragePrecision
            | R2 => true,
            LogLoss
            | RootMeanSquaredError
            | MeanAbsoluteError
            | MeanSquaredError
            | RootMeanSquaredLogError
            | MeanAbsolutePercentageError
            | Pinball { .. } => false,
        }
    }

    /// The kinds of target it can judge.
    pub fn kinds(self) -> &'static [TargetKind] {
        match self {
            RocAuc
            | LogLoss
            | Accuracy
            | BalancedAccuracy
            | F1
            | FBeta { .. }
            | Precision
            | Recall
            | Mcc
            | AveragePrecision => &[TargetKind::Binary, TargetKind::Category],
            RootMeanSquaredError
            | MeanAbsoluteError
            | MeanSquaredError
            | RootMeanSquaredLogError
            | MeanAbsolutePercentageError
            | R2
            | Pinball { .. } => &[TargetKind::Number],
        }
    }

    /// The metric a run is judged by when the user names none.
    pub fn default_for(kind: TargetKind) -> Metric {
        match kind {
            TargetKind::Binary => RocAuc,
            TargetKind::Category => LogLoss,
            TargetKind::Number => RootMeanSquaredError,
        }
    }

    /// Every metric that can judge this kind of target, each parameter at its default.
    pub fn all_for(kind: TargetKind) -> impl Iterator<Item = Metric> {
        ALL.iter()
            .copied()
            .filter(move |m| m.kinds().contains(&kind))
    }

    /// The metric of this name for this kind of target; knows Ludwig's `loss`, which depends on the kind.
    pub fn named(name: &str, kind: TargetKind) -> Option<Metric> {
        let metric = match (name, kind) {
            ("loss", TargetKind::Binary | TargetKind::Category) => LogLoss,
            ("loss", TargetKind::Number) => MeanSquaredError,
            _ => name.parse().ok()?,
        };
        metric.kinds().contains(&kind).then_some(metric)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A name that no metric has, with the nearest one that a metric has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric \"{name}\"")]
pub struct UnknownMetric {
    /// The name asked for.
    pub name: String,
    /// The nearest known name, when one is near.
    pub nearest: Option<String>,
}

impl UnknownMetric {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match &self.nearest {
            Some(nearest) => format!("did you mean \"{nearest}\"?"),
            None => format!(
                "known: {}",
                ALL.iter().map(|m| m.name()).collect::<Vec<_>>().join(", ")
            ),
        }
    }
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Metric, UnknownMetric> {
        if let Some(metric) = ALL.iter().find(|m| m.name() == name) {
            return Ok(*metric);
        }
        if let Some((_, metric)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
            return Ok(*metric);
        }
        let parameter = |prefix: &str| {
            name.strip_prefix(prefix)
                .and_then(|rest| rest.parse::<f64>().ok())
        };
        if let Some(beta) = parameter("f_beta_").filter(|b| *b > 0.0 && b.is_finite()) {
            return Ok(FBeta { beta });
        }
        if let Some(q) = parameter("pinball_").filter(|q| (0.0..=1.0).contains(q)) {
            return Ok(Pinball { q });
        }
        let known: Vec<String> = ALL
            .iter()
            .map(|m| m.name())
            .chain(ALIASES.iter().map(|(alias, _)| (*alias).to_owned()))
            .collect();
        let nearest =
            crate::error::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        Err(UnknownMetric {
            name: name.to_owned(),
            nearest,
        })
    }
}
