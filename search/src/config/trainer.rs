//! The typed trainer section: how long, how fast, and with what a network is trained.

use crate::metric::Metric;

/// How a network is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Trainer {
    /// The full length of training, R, when this config is trained alone. The schedule spans it.
    pub epochs: u32,
    /// Peak learning rate.
    pub learning_rate: f64,
    /// Rows of a step.
    pub batch_size: BatchSize,
    /// Rows of a step of evaluation; `None` leaves it to the trial (it does not change results).
    pub eval_batch_size: Option<usize>,
    /// Whether the last batch of an epoch is dropped when it is not full (never when it is the only one).
    pub drop_last_batch: bool,
    /// Whether rows are shuffled each epoch.
    pub should_shuffle: bool,
    /// The optimizer with its parameters.
    pub optimizer: Optimizer,
    /// How the learning rate moves over training.
    pub schedule: Schedule,
    /// Share of all steps over which the rate climbs linearly from 0.
    pub warmup_fraction: f64,
    /// Bounds on gradients.
    pub gradient_clipping: GradientClipping,
    /// Penalty on weights, added to the loss.
    pub regularization: Regularization,
    /// Evaluations without improvement after which training stops; `None`: trained to the end.
    pub early_stop: Option<u32>,
    /// What picks the best epoch.
    pub validation_metric: Metric,
    /// Whether the training part is evaluated too.
    pub evaluate_training_set: bool,
}

/// Rows of a training step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchSize {
    /// This many.
    Rows(usize),
    /// By the number of training rows, see [`BatchSize::rows`].
    Auto,
}

impl BatchSize {
    /// Rows of a step for a training part of `n_rows`: as written, or 128 below 5,000 rows, 256 below 50,000, else 512.
    pub fn rows(self, n_rows: usize) -> usize {
        match self {
            BatchSize::Rows(rows) => rows,
            BatchSize::Auto if n_rows < 5_000 => 128,
            BatchSize::Auto if n_rows < 50_000 => 256,
            BatchSize::Auto => 512,
        }
    }
}

/// An optimizer with its parameters, named and defined as in PyTorch 2.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the fields are PyTorch's, by name")]
pub enum Optimizer {
    /// Stochastic gradient descent.
    Sgd {
        momentum: f64,
        dampening: f64,
        nesterov: bool,
        weight_decay: f64,
    },
    /// Adam; weight decay is added to the gradient.
    Adam {
        betas: (f64, f64),
        eps: f64,
        amsgrad: bool,
        weight_decay: f64,
    },
    /// AdamW; weight decay is decoupled.
    Adamw {
        betas: (f64, f64),
        eps: f64,
        amsgrad: bool,
        weight_decay: f64,
    },
    /// Adam with Nesterov momentum.
    Nadam {
        betas: (f64, f64),
        eps: f64,
        momentum_decay: f64,
        weight_decay: f64,
    },
    /// RMSprop.
    Rmsprop {
        alpha: f64,
        eps: f64,
        momentum: f64,
        centered: bool,
        weight_decay: f64,
    },
    /// Adagrad.
    Adagrad {
        initial_accumulator_value: f64,
        lr_decay: f64,
        eps: f64,
        weight_decay: f64,
    },
    /// Adadelta.
    Adadelta {
        rho: f64,
        eps: f64,
        weight_decay: f64,
    },
    /// Adamax.
    Adamax {
        betas: (f64, f64),
        eps: f64,
        weight_decay: f64,
    },
}

/// The learning rate as a factor of its peak, over training of R epochs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Schedule {
    /// 1 throughout.
    Constant,
    /// From 1 down to 0 at the end.
    Linear,
    /// `decay_rate ^ (step / decay_steps)`.
    Exponential {
        /// Factor of one decay.
        decay_rate: f64,
        /// Training steps of one decay.
        decay_steps: u64,
        /// Whether the exponent is cut to whole numbers.
        staircase: bool,
    },
    /// Cosine with warm restarts, Loshchilov and Hutter (2017).
    Cosine {
        /// Epochs to the first restart; `None`: no restart, one half wave over R.
        t_0: Option<u32>,
        /// Growth of the time between restarts.
        t_mult: u32,
        /// Least learning rate (absolute, not a factor).
        eta_min: f64,
    },
    /// `0.5 (1 - cos(2 pi log2(1 + 15 t)))` at `t` = share of R done: four cycles. RealMLP, Holzmüller et al. (2024).
    Coslog4,
}

/// Bounds on gradients, applied in this order; `None` is no bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GradientClipping {
    /// On the norm of all gradients together.
    pub global_norm: Option<f64>,
    /// On the norm of the gradient of each parameter tensor.
    pub norm: Option<f64>,
    /// On each value.
    pub value: Option<f64>,
}

/// A penalty on all weights, added to the loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Regularization {
    /// None.
    None,
    /// `lambda` times the sum of absolute values.
    L1(f64),
    /// `lambda` times half the sum of squares.
    L2(f64),
    /// Both, each with `lambda`.
    L1L2(f64),
}
