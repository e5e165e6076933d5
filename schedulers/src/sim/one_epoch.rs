//! The baseline that every scheduler has to beat: one epoch for all, then the best in full.
//!
//! Egele et al., "Is One Epoch All You Need For Multi-Fidelity Hyperparameter Optimization?" (ESANN 2023). It
//! knows its end, unlike the schedulers: for each end it is another run. As many waves of full training are planned
//! as fit into half of the time, at least one, and all the time before them goes to first epochs.

use super::trace::{Observation, Trace};
use super::{FULL, World};
use crate::ids::{RunTime, TrialId};

/// Runs it for so many seconds on so many slots.
#[must_use]
pub fn one_epoch_first(seconds: u32, n_slots: u32, world: &mut dyn World) -> Trace {
    let (rest, n_slots) = (FULL - 1, n_slots.max(1));
    let n_waves = (seconds / 2 / rest).max(1);
    let n_rounds = seconds.saturating_sub(n_waves * rest);
    let mut trace = Trace::default();
    let mut first = Vec::new();
    for round in 1..=n_rounds {
        for slot in 0..n_slots {
            let trial = TrialId((round - 1) * n_slots + slot + 1);
            if world.ask(trial) {
                let loss = world.observe(trial, 1);
                first.push((loss, trial));
                trace.push(seen(round, trial, 1, loss));
            }
        }
    }
    first.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (mut best, mut end) = (first.into_iter(), n_rounds);
    for _ in 0..n_waves {
        end += rest;
        for (_, trial) in best.by_ref().take(n_slots as usize) {
            let loss = world.observe(trial, FULL);
            trace.push(seen(end, trial, FULL, loss));
        }
    }
    trace
}

fn seen(at: u32, trial: TrialId, epochs: u32, loss: f64) -> Observation {
    Observation {
        at: RunTime::from_secs_f64(f64::from(at)),
        trial,
        epochs,
        loss,
    }
}
