//! What every scheduler can do: say where a leg ends, what becomes of a trial there, and who goes on.
//!
//! A scheduler owns its rungs and nothing else. It is told of each event once and asked before anything is
//! done; it never knows slots or times to come.

use std::fmt::Debug;

use crate::asha::{Promotion, Stopping};
use crate::conductor::{Levels, Policy};
use crate::explain::{Place, Rule, Verdict};
use crate::fifo::Fifo;
use crate::ids::{Epochs, TrialId};
use crate::rungs::Rungs;
use crate::score::Standing;

/// Decides which trials are worth a slot.
pub trait Scheduler: Debug + Send {
    /// Levels of the run, R included.
    fn rungs(&self) -> &Rungs;

    /// A new trial comes in. Returns where its first leg ends.
    fn enter(&mut self, trial: TrialId) -> Epochs;

    /// A trial has ended a leg under R, with its best score so far: records it at the highest rung that
    /// these epochs reach, once, and says what becomes of it. Whoever gets `Continue` is taken as gone on.
    fn judge(&mut self, standing: Standing) -> Judgement;

    /// A trial that is not judged has come so far: records it at the highest rung that these epochs reach,
    /// once, as one that has gone on.
    fn pass(&mut self, standing: Standing);

    /// A judged trial has given back its slot and waits.
    fn park(&mut self, trial: TrialId);

    /// The waiting trial that deserves a slot most, from the top rung down. It stays until it is taken.
    fn promotable(&self) -> Option<Promoted>;

    /// A waiting trial goes on, or will never.
    fn take(&mut self, trial: TrialId);

    /// How many trials have reached each rung under R; over all brackets.
    fn sizes(&self) -> Vec<usize>;
}

/// What becomes of a trial, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What.
    pub verdict: Verdict,
    /// Where it stands; nothing where no rung is.
    pub place: Option<Place>,
    /// By which rule.
    pub rule: Rule,
}

/// A trial that may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promoted {
    /// Which.
    pub trial: TrialId,
    /// Where it stands.
    pub place: Place,
    /// Where its next leg ends.
    pub to: Epochs,
    /// By which rule.
    pub rule: Rule,
}

/// The scheduler of a policy, over the levels of a run.
#[must_use]
pub fn of_policy(
    policy: Policy,
    levels: Levels,
    brackets: u32,
    full: Epochs,
) -> Box<dyn Scheduler> {
    let rungs = match levels {
        Levels::Coslog4 => Rungs::coslog4(full),
        Levels::Geometric { min, factor } => Rungs::geometric(min, factor, full),
    };
    match policy {
        Policy::Fifo => Box::new(Fifo::new(full)),
        Policy::AshaPromotion { eta } => Box::new(Promotion::new(rungs, eta, brackets)),
        Policy::AshaStopping { eta } => Box::new(Stopping::new(rungs, eta, brackets)),
    }
}
