//! What was observed of a run's trials, and what choosing by it is worth.

use super::World;
use crate::ids::{Epochs, RunTime, TrialId};

/// What was observed at the end of a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// When.
    pub at: RunTime,
    /// Of which trial.
    pub trial: TrialId,
    /// After how many epochs.
    pub epochs: Epochs,
    /// The loss.
    pub loss: f64,
}

/// Observations, in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Trace(Vec<Observation>);

impl Trace {
    /// Adds the next one.
    pub fn push(&mut self, seen: Observation) {
        self.0.push(seen);
    }

    /// All of them.
    #[must_use]
    pub fn observations(&self) -> &[Observation] {
        &self.0
    }

    /// The best observation up to a time; the first of equal ones.
    #[must_use]
    pub fn incumbent(&self, at: RunTime) -> Option<Observation> {
        let seen = self.0.iter().take_while(|seen| seen.at <= at);
        seen.min_by(|a, b| a.loss.total_cmp(&b.loss)).copied()
    }

    /// The true loss of the incumbent at each of these times, in seconds: the regret, where the best possible is 0.
    /// Not a number before anything was observed.
    #[must_use]
    pub fn regrets(&self, times: &[f64], world: &dyn World) -> Vec<f64> {
        let regret = |at: &f64| {
            self.incumbent(RunTime::from_secs_f64(*at))
                .map_or(f64::NAN, |best| world.truth(best.trial))
        };
        times.iter().map(regret).collect()
    }
}
