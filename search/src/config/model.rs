//! The typed model: what a trial builds and trains.
//!
//! Only what can run is representable here; the rest of the schema is refused on the way, by name and line.

use std::collections::BTreeMap;

use super::layers::{Activation, FcStack};
use super::trainer::Trainer;
use crate::metric::TargetKind;

/// What a trial trains.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "one is made for a trial, and none is stored in bulk"
)]
pub enum Model {
    /// `model_type: ecd`: encoders, a combiner, a decoder.
    Network(Network),
    /// `model_type: linear`, the baseline: ridge, or logistic regression.
    Linear(Linear),
}

impl Model {
    /// The input features, in the order of the config.
    pub fn inputs(&self) -> &[Input] {
        match self {
            Model::Network(network) => &network.inputs,
            Model::Linear(linear) => &linear.inputs,
        }
    }

    /// The output feature.
    pub fn output(&self) -> &Output {
        match self {
            Model::Network(network) => &network.output,
            Model::Linear(linear) => &linear.output,
        }
    }
}

/// A network and its training.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Input features, in the order of the config.
    pub inputs: Vec<Input>,
    /// The output feature.
    pub output: Output,
    /// What joins the encoded inputs.
    pub combiner: Combiner,
    /// How it is trained.
    pub trainer: Trainer,
}

/// A linear model. Encoders of its inputs are ignored but for their normalisation: categories are one-hot.
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    /// Input features, in the order of the config.
    pub inputs: Vec<Input>,
    /// The output feature.
    pub output: Output,
    /// Strength of the penalty on squared weights, per training row.
    pub l2: f64,
}

/// An input feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Name of the feature, unique.
    pub name: String,
    /// Column of the table.
    pub column: String,
    /// What stands in for a missing value.
    pub missing: Missing,
    /// Type, encoder and what is learned from the data.
    pub kind: InputKind,
}

/// What stands in for a missing value.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub enum Missing {
    /// This value. A text that is no value of the column (Ludwig's `<UNK>`) keeps the missing slot of its own.
    Const(FillValue),
    /// The most frequent value of the training part. Filled by the trial.
    Mode,
    /// The mean of the training part, numbers only. Filled by the trial.
    Mean,
    /// The median of the training part, numbers only. Filled by the trial.
    Median,
    /// False, binary only.
    False,
    /// True, binary only.
    True,
    /// The next known value of the table, else the one before. Filled by the preparation.
    BackFill,
    /// The last known value of the table, else the next. Filled by the preparation.
    ForwardFill,
    /// The row is left out. Done by the preparation, in the training part only.
    DropRow,
}

/// A constant that fills missing values.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum FillValue {
    /// For numbers and binaries.
    Number(f64),
    /// For everything else.
    Text(String),
}

/// Type of an input, with its encoder.
#[derive(Debug, Clone, PartialEq)]
pub enum InputKind {
    /// A real number.
    Number {
        /// How values are scaled; fitted on the training part.
        normalization: Normalization,
        /// Whether scaled values pass the smooth clip `x / sqrt(1 + (x / 3)^2)`.
        clip: bool,
        /// Whether a column that has missing values in training gets a 0/1 indicator beside it.
        missing_indicator: bool,
        /// What the combiner sees.
        encoder: NumberEncoder,
    },
    /// Two values. Passed as 0 and 1; -1, +1 and 0 for missing under the RealMLP combiner.
    Binary {
        /// What the combiner sees.
        encoder: BinaryEncoder,
    },
    /// One of a set of values.
    Category {
        /// At most this many values are kept, the most frequent ones; the rest count as unseen.
        most_common: usize,
        /// Values seen fewer times in training count as unseen.
        min_count: u64,
        /// What the combiner sees.
        encoder: CategoryEncoder,
    },
    /// A point in time, as its parts.
    Date {
        /// What the combiner sees.
        encoder: DateEncoder,
    },
    /// Words.
    Text {
        /// What the combiner sees.
        encoder: TextEncoder,
    },
}

/// How a number is scaled. All parameters are fitted on the training part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalization {
    /// Not at all.
    None,
    /// Mean 0, standard deviation 1.
    Zscore,
    /// Into 0 to 1.
    Minmax,
    /// `ln(1 + x)`.
    Log1p,
    /// Median 0, interquartile range 1.
    Iq,
    /// As `Iq`; where that range is 0, half of (max - min) is 1; constant columns become 0. RealMLP's.
    Robust,
    /// Ranks, mapped to the normal distribution.
    Quantile,
}

/// Encoders of number inputs.
#[derive(Debug, Clone, PartialEq)]
pub enum NumberEncoder {
    /// The value itself.
    Passthrough,
    /// The value, and a linear layer on waves of it (RealMLP's PBLD).
    Periodic {
        /// Waves of each column.
        n_frequencies: usize,
        /// Standard deviation of the first frequencies.
        frequency_scale: f64,
        /// Columns that the value becomes, itself included.
        output_size: usize,
    },
    /// Fully connected layers on the value.
    Dense(FcStack),
}

/// Encoders of binary inputs.
#[derive(Debug, Clone, PartialEq)]
pub enum BinaryEncoder {
    /// The value itself.
    Passthrough,
    /// Fully connected layers on the value.
    Dense(FcStack),
}

/// Encoders of category inputs.
#[derive(Debug, Clone, PartialEq)]
pub enum CategoryEncoder {
    /// A learned vector a value.
    Dense {
        /// Length of the vector; cut to the number of values where that is less.
        embedding_size: i64,
        /// Dropout on the vector.
        dropout: f64,
    },
    /// 0 and 1, a slot a value. Two levels without missing values need only one slot, -1 or +1, under RealMLP.
    Onehot,
    /// As `Onehot`: Ludwig's `sparse` is a one-hot vector too.
    Sparse,
    /// The index of the value as a number.
    Passthrough,
}

/// Encoders of date inputs, on the array of date parts.
#[derive(Debug, Clone, PartialEq)]
pub enum DateEncoder {
    /// A learned vector for each part (month, day, weekday, hour, ...), then layers.
    Embed {
        /// Length of each vector.
        embedding_size: i64,
        /// Layers after it.
        fc: FcStack,
    },
    /// Numbers and sine and cosine of the cycles, then layers.
    Wave {
        /// Layers after it.
        fc: FcStack,
    },
}

/// Encoders of text inputs.
#[derive(Debug, Clone, PartialEq)]
pub enum TextEncoder {
    /// Hashed TF-IDF, reduced to a dense vector by a learned weighted sum of embeddings.
    TfIdf {
        /// Slots of the hash, a power of two.
        n_features: u32,
        /// Length of the dense vector.
        output_size: i64,
        /// Longest run of words that counts as a term: 1 or 2.
        ngrams: u32,
        /// Whether runs of three to five characters count as terms too.
        char_ngrams: bool,
        /// Share of the terms of a row that are left out in training, drawn anew each time.
        word_dropout: f64,
        /// Whether each term also has weights of its own for the output, past the combiner.
        direct: bool,
    },
}

/// What joins the encoded inputs.
#[derive(Debug, Clone, PartialEq)]
pub enum Combiner {
    /// Side by side, then fully connected layers.
    Concat(FcStack),
    /// Side by side, then the RealMLP block.
    Realmlp(Realmlp),
}

/// The RealMLP block, Holzmüller et al. (2024), "Better by Default".
#[derive(Debug, Clone, PartialEq)]
pub struct Realmlp {
    /// Units of each hidden layer.
    pub hidden: Vec<i64>,
    /// SELU for classes, Mish for numbers in the published defaults.
    pub activation: Activation,
    /// Dropout after each activation.
    pub dropout: f64,
    /// NTK parametrisation: standard normal weights, output divided by the root of the input size.
    pub ntk: bool,
    /// A learned factor for each input slot, in front.
    pub scale_layer: bool,
    /// Learning rate of the scale layer, as a factor.
    pub scale_lr_factor: f64,
    /// Learning rate of all biases, as a factor.
    pub bias_lr_factor: f64,
    /// Whether the last layer (the decoder's, also under NTK parametrisation) begins at 0.
    pub zero_init_last: bool,
}

/// The output feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Name of the feature.
    pub name: String,
    /// Column of the table.
    pub column: String,
    /// Type and loss.
    pub kind: OutputKind,
    /// Layers of the decoder before its projection.
    pub fc: FcStack,
    /// Whether the projection has a bias.
    pub use_bias: bool,
}

impl Output {
    /// The kind of target.
    pub fn target(&self) -> TargetKind {
        match self.kind {
            OutputKind::Binary { .. } => TargetKind::Binary,
            OutputKind::Category { .. } => TargetKind::Category,
            OutputKind::Number { .. } => TargetKind::Number,
        }
    }
}

/// Type of the output, with its loss.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputKind {
    /// Two classes, weighted cross entropy.
    Binary {
        /// Weight of the loss of rows of the positive class.
        positive_class_weight: Option<f64>,
        /// Share of the target that is spread over both classes.
        label_smoothing: f64,
        /// Probability from which the positive class is predicted.
        threshold: f64,
    },
    /// Any number of classes, softmax cross entropy.
    Category {
        /// Weights of the loss of the rows of each class.
        class_weights: ClassWeights,
        /// Share of the target that is spread over all classes.
        label_smoothing: f64,
    },
    /// A real number.
    Number {
        /// What is minimised, on the scaled target.
        loss: NumberLoss,
        /// Scaling of the target, undone in predictions.
        normalization: Normalization,
        /// Bounds on predictions.
        clip: Option<Clip>,
    },
}

/// Weights of classes in the loss.
#[derive(Debug, Clone, PartialEq)]
pub enum ClassWeights {
    /// All 1.
    Equal,
    /// By index of the class, in the order of the prepared target's classes.
    ByIndex(Vec<f64>),
    /// By text of the class; a class not named has 1.
    ByClass(BTreeMap<String, f64>),
}

/// Losses of number outputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumberLoss {
    /// Mean squared error.
    MeanSquaredError,
    /// Mean absolute error.
    MeanAbsoluteError,
    /// Mean absolute error relative to the target.
    MeanAbsolutePercentageError,
    /// Root of the mean squared error of the batch.
    RootMeanSquaredError,
    /// Root of the mean squared relative error of the batch.
    RootMeanSquaredPercentageError,
    /// Quadratic near 0, linear beyond `delta`.
    Huber {
        /// Where it turns linear.
        delta: f64,
    },
}

/// Bounds on the predictions of a number output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clip {
    /// These, in the unit of the column.
    Range(f64, f64),
    /// The least and greatest target of the training part (YAML: `training_range`).
    TrainingRange,
}
