//! From `hyperopt.executor.scheduler` to its type, and what of it makes no sense together.

use super::view::View;
use crate::config::scheduler::{
    AsyncHyperband, Cap, Hyperband, MedianStopping, Scheduler, TimeAttr, Variant,
};
use crate::error::ConfigError;

pub(super) fn scheduler(view: &View<'_>) -> Result<Scheduler, ConfigError> {
    match view.kind() {
        "async_hyperband" => async_hyperband(view).map(Scheduler::AsyncHyperband),
        "hyperband" | "hb_bohb" => hyperband(view).map(Scheduler::Hyperband),
        "median_stopping_rule" => Ok(Scheduler::MedianStopping(MedianStopping {
            time_attr: time_attr(view),
            grace_period: whole(view, "grace_period")?.unwrap_or(0),
            min_samples_required: view.count("min_samples_required")?,
        })),
        _ => Ok(Scheduler::Fifo),
    }
}

fn async_hyperband(view: &View<'_>) -> Result<AsyncHyperband, ConfigError> {
    let (max_t, grace_period) = (whole(view, "max_t")?, whole(view, "grace_period")?);
    if let (Some(max), Some(grace)) = (max_t, grace_period)
        && grace >= max
    {
        let what = if grace == max {
            format!("with the first rung at max_t {max} there is no rung under it")
        } else {
            format!("the first rung {grace} lies beyond max_t {max}")
        };
        return Err(view.error("grace_period", &what, Some("make it less than max_t")));
    }
    let variant = if view.text("variant") == "promotion" {
        Variant::Promotion
    } else {
        Variant::Stopping
    };
    let cap = if view.text("cap") == "progressive" {
        Cap::Progressive
    } else {
        Cap::Full
    };
    let time_attr = time_attr(view);
    if time_attr == TimeAttr::TimeTotalS {
        if variant == Variant::Promotion {
            let hint = "use training_iteration, or variant: stopping";
            let what = "promotion pauses trials where an epoch ends, so it cannot count seconds";
            return Err(view.error("time_attr", what, Some(hint)));
        }
        if max_t.is_none() {
            let hint = "write the seconds of a full trial, or time_attr: training_iteration";
            return Err(view.error("max_t", "seconds cannot be chosen by the run", Some(hint)));
        }
    }
    if (cap, variant) == (Cap::Progressive, Variant::Stopping) {
        let what = "a trial that stops at a rung cannot wait for the next one to open";
        let hint = "leave it full, or use variant: promotion";
        return Err(view.error("cap", what, Some(hint)));
    }
    Ok(AsyncHyperband {
        variant,
        time_attr,
        max_t,
        grace_period,
        reduction_factor: factor(view)?,
        brackets: view.count("brackets")?,
        guard: view.flag("guard"),
        cap,
    })
}

fn hyperband(view: &View<'_>) -> Result<Hyperband, ConfigError> {
    if time_attr(view) == TimeAttr::TimeTotalS {
        let what = "HyperBand pauses trials where an epoch ends, so it cannot count seconds";
        let hint = "use training_iteration, or async_hyperband with variant: stopping";
        return Err(view.error("time_attr", what, Some(hint)));
    }
    let (max_t, reduction_factor) = (whole(view, "max_t")?, factor(view)?);
    if max_t == Some(1) {
        let what = "with a full trial of one epoch there is no rung under it";
        return Err(view.error("max_t", what, Some("make it more than 1")));
    }
    Ok(Hyperband {
        max_t,
        reduction_factor,
    })
}

fn time_attr(view: &View<'_>) -> TimeAttr {
    if view.text("time_attr") == "time_total_s" {
        TimeAttr::TimeTotalS
    } else {
        TimeAttr::TrainingIteration
    }
}

fn factor(view: &View<'_>) -> Result<u32, ConfigError> {
    Ok(whole(view, "reduction_factor")?.unwrap_or(2).max(2))
}

/// A number of epochs, seconds or trials: a whole one, or nothing for `null`.
fn whole(view: &View<'_>, key: &str) -> Result<Option<u32>, ConfigError> {
    let Some(number) = view.opt_number(key) else {
        return Ok(None);
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and in range"
    )]
    let whole = number.clamp(0.0, f64::from(u32::MAX)) as u32;
    if (f64::from(whole) - number).abs() > 0.0 {
        let nearest = number.round().clamp(1.0, f64::from(u32::MAX));
        let what = format!("{number} is not a whole number");
        return Err(view.error(key, &what, Some(&format!("write {nearest}"))));
    }
    Ok(Some(whole))
}
