//! What trials come to, in a simulation.

use crate::ids::{Epochs, TrialId};

/// Curves in place of processes, and a sampler in place of a sampler.
pub trait World {
    /// A new trial is wanted; false when there is nothing new to try.
    fn ask(&mut self, trial: TrialId) -> bool;

    /// The observed loss of a trial after so many epochs. Comes once for each, in the order of time, whenever the
    /// trial reports: what learns may learn here.
    fn observe(&mut self, trial: TrialId, epochs: Epochs) -> f64;

    /// The true loss of a trial after full training: what a choice of it is worth.
    fn truth(&self, trial: TrialId) -> f64;
}
