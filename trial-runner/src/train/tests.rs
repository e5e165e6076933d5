//! Training on prepared arrays: exact resumption, best epochs, odd tables.

use search::Metric;
use search::config::trainer::{
    BatchSize, GradientClipping, Optimizer as Rule, Regularization, Schedule, Trainer,
};

/// The trainer section of RealMLP.
pub(crate) fn trainer() -> Trainer {
    Trainer {
        epochs: 8,
        learning_rate: 0.04,
        batch_size: BatchSize::Rows(32),
        eval_batch_size: None,
        drop_last_batch: true,
        should_shuffle: true,
        optimizer: Rule::Adam { betas: (0.9, 0.95), eps: 1e-8, amsgrad: false, weight_decay: 0.0 },
        schedule: Schedule::Coslog4,
        warmup_fraction: 0.0,
        gradient_clipping: GradientClipping { global_norm: None, norm: None, value: None },
        regularization: Regularization::None,
        early_stop: None,
        validation_metric: Metric::RocAuc,
        evaluate_training_set: false,
    }
}
