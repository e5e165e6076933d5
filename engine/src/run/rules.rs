//! What the conductor keeps to, from the plan and the config.

use std::time::Duration;

use schedulers::conductor::{Baseline, Cap, Full, Levels, Limits, Policy, Rules, Shares};
use schedulers::explain::Unit;
use schedulers::{RunTime, budget};
use search::config::Config;
use search::config::scheduler::{AsyncHyperband, Cap as WrittenCap, Scheduler, TimeAttr, Variant};
use serde_json::Value;

use crate::error::Result;
use crate::run_plan::{RunPlan, Verb};

/// The shortest time a reserve is measured by, before anything was: a process, a pass over the test part.
const FIRST_RESERVE: Duration = Duration::from_millis(500);

/// The factor between rungs where nothing says another.
const FACTOR: u32 = 3;

/// Levels under R where only R is given: the first lies this many factors below it.
const DEPTH: u32 = 3;

/// What the conductor keeps to.
pub(super) fn rules(plan: &RunPlan, config: &Config, has_baseline: bool) -> Result<Rules> {
    let search = config.hyperopt()?.filter(|_| plan.verb == Verb::Search);
    let scheduler = search.map_or(Scheduler::Fifo, |search| search.search.scheduler);
    let rules = settled(
        plan,
        &scheduler,
        full(plan, config, &scheduler),
        levels(config, &scheduler),
    );
    Ok(Rules {
        baseline: has_baseline.then_some(Baseline { full: 1 }),
        ..rules
    })
}

/// The same for a program: a full trial is as long as was asked for or its scheduler says, else one epoch, in which the
/// program runs to its end.
pub(super) fn rules_of_program(plan: &RunPlan, scheduler: &Scheduler) -> Rules {
    let max_t = match scheduler {
        Scheduler::AsyncHyperband(asha) => asha.max_t,
        Scheduler::Hyperband(hyperband) => hyperband.max_t,
        Scheduler::Fifo | Scheduler::MedianStopping(_) => None,
    };
    let full = Full::Fixed(plan.limits.max_epochs.or(max_t).unwrap_or(1).max(1));
    settled(plan, scheduler, full, rungs(scheduler, false))
}

fn settled(plan: &RunPlan, scheduler: &Scheduler, full: Full, levels: Levels) -> Rules {
    let budget = plan.limits.budget;
    let (brackets, guard, cap) = match scheduler {
        Scheduler::AsyncHyperband(asha) => (asha.brackets.max(1), asha.guard, cap(asha.cap)),
        Scheduler::Fifo | Scheduler::Hyperband(_) | Scheduler::MedianStopping(_) => {
            (1, false, Cap::Full)
        }
    };
    Rules {
        limits: Limits {
            end: budget.map(RunTime),
            max_trials: match plan.verb {
                Verb::Search | Verb::Tune => plan.limits.max_trials,
                Verb::Train => Some(1),
            },
            max_epochs: None,
        },
        reserve: budget.map_or(FIRST_RESERVE, |budget| {
            budget::reserve(FIRST_RESERVE, budget)
        }),
        full,
        levels,
        policy: policy(scheduler),
        brackets,
        shares: Shares::Falling,
        guard,
        cap,
        baseline: None,
        straight: 1,
    }
}

/// R: as asked for; as the scheduler has it; by a probe where a clock says how much fits; else what the config trains.
fn full(plan: &RunPlan, config: &Config, scheduler: &Scheduler) -> Full {
    let written = || {
        let filled = config.filled();
        let epochs = filled.get("trainer.epochs").and_then(Value::as_u64);
        let epochs = epochs.and_then(|epochs| u32::try_from(epochs).ok());
        Full::Fixed(epochs.unwrap_or(1).max(1))
    };
    if let Some(epochs) = plan.limits.max_epochs {
        return Full::Fixed(epochs);
    }
    let max_t = match scheduler {
        Scheduler::AsyncHyperband(asha) if asha.time_attr == TimeAttr::TimeTotalS => {
            return written();
        }
        Scheduler::AsyncHyperband(asha) => asha.max_t,
        Scheduler::Hyperband(hyperband) => hyperband.max_t,
        Scheduler::Fifo | Scheduler::MedianStopping(_) => None,
    };
    match (max_t, plan.verb, plan.limits.budget) {
        (Some(epochs), _, _) => Full::Fixed(epochs.max(1)),
        (None, Verb::Search, Some(_)) => Full::Probed,
        (None, Verb::Search | Verb::Train | Verb::Tune, _) => written(),
    }
}

fn levels(config: &Config, scheduler: &Scheduler) -> Levels {
    let decay = config
        .get("trainer.learning_rate_scheduler.decay")
        .and_then(Value::as_str);
    rungs(scheduler, decay == Some("coslog4"))
}

/// The levels of the rungs. `is_coslog4`: trials are trained by cycles, whose ends are where to judge.
fn rungs(scheduler: &Scheduler, is_coslog4: bool) -> Levels {
    let asha = match scheduler {
        Scheduler::AsyncHyperband(asha) => asha,
        Scheduler::Hyperband(hyperband) => {
            return Levels::Geometric {
                min: 1,
                factor: hyperband.reduction_factor,
            };
        }
        Scheduler::Fifo | Scheduler::MedianStopping(_) => {
            return Levels::Geometric {
                min: 1,
                factor: FACTOR,
            };
        }
    };
    let factor = asha.reduction_factor;
    match (asha.time_attr, asha.max_t, asha.grace_period) {
        (TimeAttr::TimeTotalS, Some(full), grace) => Levels::Seconds {
            min: grace.unwrap_or(full / factor.saturating_pow(DEPTH)).max(1),
            factor,
            full,
        },
        // Rungs in seconds always have an end; the config says so.
        (TimeAttr::TimeTotalS | TimeAttr::TrainingIteration, _, Some(grace)) => {
            Levels::Geometric { min: grace, factor }
        }
        (_, _, None) if is_coslog4 => Levels::Coslog4,
        (_, _, None) => Levels::Geometric { min: 1, factor },
    }
}

fn policy(scheduler: &Scheduler) -> Policy {
    match scheduler {
        Scheduler::Fifo => Policy::Fifo,
        Scheduler::AsyncHyperband(AsyncHyperband {
            variant: Variant::Promotion,
            reduction_factor: eta,
            ..
        }) => Policy::AshaPromotion { eta: *eta },
        Scheduler::AsyncHyperband(AsyncHyperband {
            variant: Variant::Stopping,
            reduction_factor: eta,
            ..
        }) => Policy::AshaStopping { eta: *eta },
        Scheduler::Hyperband(hyperband) => Policy::Hyperband {
            eta: hyperband.reduction_factor,
        },
        Scheduler::MedianStopping(median) => Policy::Median {
            unit: match median.time_attr {
                TimeAttr::TrainingIteration => Unit::Epochs,
                TimeAttr::TimeTotalS => Unit::Seconds,
            },
            grace: median.grace_period,
            min_samples: median.min_samples_required,
        },
    }
}

const fn cap(written: WrittenCap) -> Cap {
    match written {
        WrittenCap::Full => Cap::Full,
        WrittenCap::Progressive => Cap::Progressive,
    }
}
