//! The trainer section as its typed view.

use super::view::View;
use crate::config::trainer::{
    BatchSize, GradientClipping, Optimizer, Regularization, Schedule, Trainer,
};
use crate::error::ConfigError;
use crate::metric::{Metric, TargetKind};

/// The trainer of a network; `realmlp` says which combiner an automatic learning rate is for.
pub(super) fn trainer(
    view: &View<'_>,
    target: TargetKind,
    realmlp: bool,
) -> Result<Trainer, Vec<ConfigError>> {
    let mut errors = Vec::new();
    let metric = validation_metric(view, target)
        .map_err(|e| errors.push(e))
        .ok();
    let epochs = view.count("epochs").map_err(|e| errors.push(e)).ok();
    let batch_size = match view.opt_whole("batch_size") {
        Some(_) => view
            .count("batch_size")
            .map(BatchSize::Rows)
            .map_err(|e| errors.push(e))
            .ok(),
        None => Some(BatchSize::Auto),
    };
    let schedule = schedule(&view.at("learning_rate_scheduler"))
        .map_err(|e| errors.push(e))
        .ok();
    let optimizer = optimizer(&view.at("optimizer"))
        .map_err(|e| errors.push(e))
        .ok();
    let (
        Some(validation_metric),
        Some(epochs),
        Some(batch_size),
        Some((schedule, warmup_fraction)),
        Some(optimizer),
    ) = (metric, epochs, batch_size, schedule, optimizer)
    else {
        return Err(errors);
    };
    Ok(Trainer {
        epochs,
        learning_rate: view
            .opt_number("learning_rate")
            .unwrap_or_else(|| auto_learning_rate(target, realmlp)),
        batch_size,
        eval_batch_size: view
            .opt_whole("eval_batch_size")
            .and_then(|n| usize::try_from(n).ok()),
        drop_last_batch: view.flag("drop_last_batch"),
        should_shuffle: view.flag("should_shuffle"),
        optimizer,
        schedule,
        warmup_fraction,
        gradient_clipping: clipping(&view.at("gradient_clipping")),
        regularization: regularization(view),
        early_stop: u32::try_from(view.whole("early_stop")).ok(),
        validation_metric,
        evaluate_training_set: view.flag("evaluate_training_set"),
    })
}

/// `learning_rate: auto`: Ludwig's rule for tables, and the published defaults of RealMLP-TD-S.
fn auto_learning_rate(target: TargetKind, realmlp: bool) -> f64 {
    match (realmlp, target) {
        (false, _) => 0.001,
        (true, TargetKind::Binary | TargetKind::Category) => 0.04,
        (true, TargetKind::Number) => 0.07,
    }
}

/// The metric that picks the best epoch.
pub(super) fn validation_metric(
    view: &View<'_>,
    target: TargetKind,
) -> Result<Metric, ConfigError> {
    let name = view.text("validation_metric");
    Metric::named(name, target).ok_or_else(|| {
        let known: Vec<String> = Metric::all_for(target).map(Metric::name).collect();
        let hint = format!("use {}", crate::config::describe::one_of(&known));
        view.error(
            "validation_metric",
            &format!("metric {name} cannot be computed yet"),
            Some(&hint),
        )
    })
}

fn schedule(view: &View<'_>) -> Result<(Schedule, f64), ConfigError> {
    if view.value().is_null() {
        return Ok((Schedule::Constant, 0.0));
    }
    let schedule = match view.opt_text("decay") {
        Some("linear") => Schedule::Linear,
        Some("exponential") => Schedule::Exponential {
            decay_rate: view.number("decay_rate"),
            decay_steps: view.count("decay_steps")?,
            staircase: view.flag("staircase"),
        },
        Some("cosine") => Schedule::Cosine {
            t_0: view
                .opt_whole("t_0")
                .map(|_| view.count("t_0"))
                .transpose()?,
            t_mult: view.count("t_mult")?,
            eta_min: view.number("eta_min"),
        },
        Some("coslog4") => Schedule::Coslog4,
        Some(_) | None => Schedule::Constant,
    };
    Ok((schedule, view.number("warmup_fraction")))
}

fn clipping(view: &View<'_>) -> GradientClipping {
    GradientClipping {
        global_norm: view.opt_number("clipglobalnorm"),
        norm: view.opt_number("clipnorm"),
        value: view.opt_number("clipvalue"),
    }
}

fn regularization(view: &View<'_>) -> Regularization {
    let lambda = view.number("regularization_lambda");
    if lambda <= 0.0 {
        return Regularization::None;
    }
    match view.opt_text("regularization_type") {
        Some("l1") => Regularization::L1(lambda),
        Some("l2") => Regularization::L2(lambda),
        Some("l1_l2") => Regularization::L1L2(lambda),
        Some(_) | None => Regularization::None,
    }
}

fn optimizer(view: &View<'_>) -> Result<Optimizer, ConfigError> {
    let weight_decay = view.number("weight_decay");
    let eps = || view.number("eps");
    let written = view.numbers("betas");
    if written.iter().any(|b| *b >= 1.0) {
        return Err(view.error(
            "betas",
            "each must lie below 1: at 1 nothing new is learned",
            Some("the usual ones are [0.9, 0.999]"),
        ));
    }
    let betas = || (written[0], written[1]);
    Ok(match view.kind() {
        "sgd" => Optimizer::Sgd {
            momentum: view.number("momentum"),
            dampening: view.number("dampening"),
            nesterov: view.flag("nesterov"),
            weight_decay,
        },
        "adamw" => Optimizer::Adamw {
            betas: betas(),
            eps: eps(),
            amsgrad: view.flag("amsgrad"),
            weight_decay,
        },
        "nadam" => Optimizer::Nadam {
            betas: betas(),
            eps: eps(),
            momentum_decay: view.number("momentum_decay"),
            weight_decay,
        },
        "rmsprop" => Optimizer::Rmsprop {
            alpha: view.number("alpha"),
            eps: eps(),
            momentum: view.number("momentum"),
            centered: view.flag("centered"),
            weight_decay,
        },
        "adagrad" => Optimizer::Adagrad {
            initial_accumulator_value: view.number("initial_accumulator_value"),
            lr_decay: view.number("lr_decay"),
            eps: eps(),
            weight_decay,
        },
        "adadelta" => Optimizer::Adadelta {
            rho: view.number("rho"),
            eps: eps(),
            weight_decay,
        },
        "adamax" => Optimizer::Adamax {
            betas: betas(),
            eps: eps(),
            weight_decay,
        },
        // Every other optimizer was refused; adam is what is left.
        _ => Optimizer::Adam {
            betas: betas(),
            eps: eps(),
            amsgrad: view.flag("amsgrad"),
            weight_decay,
        },
    })
}
