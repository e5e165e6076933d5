//! What every scheduler can do: say where a leg ends, what becomes of a trial there, and who goes on.
//!
//! A scheduler owns its rungs and nothing else. It is told of each event once and asked before anything is
//! done; it never knows slots or times to come.

use std::fmt::Debug;

use crate::asha::{Promotion, Stopping};
use crate::conductor::{Cap, Levels, Policy, Rules};
use crate::explain::{Place, Rule, Unit, Verdict};
use crate::fifo::Fifo;
use crate::hyperband::Hyperband;
use crate::ids::{Epochs, TrialId};
use crate::median::Median;
use crate::rungs::Rungs;
use crate::score::{Score, Standing};
use crate::timed::Timed;

/// Decides which trials are worth a slot.
pub trait Scheduler: Debug + Send {
    /// Levels of the run, R included.
    fn rungs(&self) -> &Rungs;

    /// A new trial comes in. Returns where its first leg ends.
    fn enter(&mut self, trial: TrialId) -> Epochs;

    /// A trial has ended a leg under R, with its best score so far: records it at the highest rung that
    /// these epochs reach, once, and says what becomes of it. Whoever gets `Continue` is taken as gone on.
    fn judge(&mut self, progress: &Progress) -> Judgement;

    /// A trial has scored an epoch, maybe the last of its leg. What lies within a leg is recorded at the highest
    /// rung that it reaches, once, as one that has gone on. A verdict, `Stop` or `Complete`, is for the middle of a
    /// leg; nothing lets it run.
    fn report(&mut self, progress: &Progress) -> Option<Judgement>;

    /// A trial that is not judged has come so far: records it as `report` does.
    fn pass(&mut self, standing: Standing);

    /// A judged trial has given back its slot and waits.
    fn park(&mut self, trial: TrialId);

    /// The waiting trial that deserves a slot most, from the top rung down. It stays until it is taken.
    fn promotable(&self) -> Option<Promoted>;

    /// A waiting trial goes on, or will never.
    fn take(&mut self, trial: TrialId);

    /// A trial is over, however it ended: nobody waits for it any more.
    fn leave(&mut self, trial: TrialId);

    /// How many trials have reached each rung under R; over all brackets.
    fn sizes(&self) -> Vec<usize>;

    /// What was found about the rungs themselves since this was asked last.
    fn take_found(&mut self) -> Vec<Found>;
}

/// How far a trial has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Its best score so far, and when.
    pub standing: Standing,
    /// The score of the last epoch alone.
    pub last: Score,
    /// Seconds of training and scoring so far.
    pub seconds: f64,
    /// Whether a leg ends with this epoch.
    pub ends_leg: bool,
}

impl Progress {
    /// The end of a leg whose last score is its best.
    #[must_use]
    pub fn at_rung(standing: Standing) -> Self {
        Self {
            standing,
            last: standing.score,
            seconds: 0.0,
            ends_leg: true,
        }
    }
}

/// What a scheduler has found about its rungs, and done about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// The order at the first rung says nothing of that at the next: new trials skip it.
    FirstRungMisleads {
        /// The rung that is given up.
        from: Epochs,
        /// Where new trials are judged first now.
        to: Epochs,
        /// What both count.
        unit: Unit,
        /// Spearman's rho between the two.
        rho: f64,
        /// Its 90 % upper bound.
        upper: f64,
        /// Trials that it was measured on.
        n: usize,
    },
    /// The order at the highest open rung is not that of one below: the next is opened.
    CapRaised {
        /// The rung that was the highest.
        from: Epochs,
        /// The one that is now.
        to: Epochs,
        /// Trials that were compared.
        n: usize,
        /// What counted as equal.
        epsilon: f64,
    },
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

/// The scheduler that rules ask for, over the levels of a run.
#[must_use]
pub fn of_rules(rules: &Rules, full: Epochs) -> Box<dyn Scheduler> {
    let rungs = match rules.levels {
        Levels::Coslog4 => Rungs::coslog4(full),
        Levels::Geometric { min, factor } => Rungs::geometric(min, factor, full),
        Levels::Seconds { .. } => Rungs::none(full),
    };
    let shares = rules.shares;
    match rules.policy {
        Policy::Fifo => Box::new(Fifo::new(full)),
        Policy::AshaPromotion { eta } => {
            let mut asha = Promotion::new(rungs, eta, rules.brackets, shares);
            if rules.guard {
                asha = asha.guarded();
            }
            if rules.cap == Cap::Progressive {
                asha = asha.capped();
            }
            Box::new(asha)
        }
        Policy::AshaStopping { eta } => {
            let stopping = |rungs| {
                let asha = Stopping::new(rungs, eta, rules.brackets, shares);
                if rules.guard { asha.guarded() } else { asha }
            };
            match rules.levels {
                Levels::Seconds {
                    min,
                    factor,
                    full: seconds,
                } => {
                    let inner = stopping(Rungs::geometric(min, factor, seconds));
                    Box::new(Timed::new(full, inner, eta))
                }
                Levels::Coslog4 | Levels::Geometric { .. } => Box::new(stopping(rungs)),
            }
        }
        Policy::Hyperband { eta } => Box::new(Hyperband::new(rungs, eta)),
        Policy::Median {
            unit,
            grace,
            min_samples,
        } => Box::new(Median::new(full, unit, grace, min_samples)),
    }
}
