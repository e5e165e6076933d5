//! Decisions with all their numbers. They are a file format, as events are.

use serde::{Deserialize, Serialize};

use crate::conductor::StopReason;
use crate::ids::{Attempt, Epochs, TrialId};
use crate::protocol::FailureKind;
use crate::scheduler::Found;
use crate::score::Score;

/// Where a score stands among those that have reached the same rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The set of rungs.
    pub bracket: u32,
    /// The level at which this rung judges.
    pub rung: Epochs,
    /// What the level counts.
    #[serde(default)]
    pub unit: Unit,
    /// Scores that have reached it, this one included.
    pub n: usize,
    /// How many of them may go on.
    pub k: usize,
    /// The place of this one; 1 is best.
    pub rank: usize,
    /// The score that is judged: the best so far.
    pub score: Score,
    /// The score of the k-th, the last that may go on; nothing when none may.
    pub threshold: Option<Score>,
}

/// What levels count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Epochs.
    #[default]
    Epochs,
    /// Seconds of training and scoring.
    Seconds,
}

/// The rule behind a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// No early stopping.
    Fifo,
    /// The best `floor(n / eta)` of a rung are promoted.
    AshaPromotion {
        /// The factor.
        eta: u32,
    },
    /// The best `max(1, floor(n / eta))` of a rung go on.
    AshaStopping {
        /// The factor.
        eta: u32,
    },
    /// When all of a rung are in, the best `1 / eta` of them go on.
    Hyperband {
        /// The factor.
        eta: u32,
    },
    /// Who is no worse than the median of the others' means goes on.
    Median {
        /// Nothing is judged before.
        grace: u32,
    },
}

/// What becomes of a trial at a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It goes on at once.
    Continue {
        /// Where its next leg ends.
        to: Epochs,
    },
    /// It waits, and may be promoted later.
    Pause,
    /// It ends here.
    Stop,
    /// It has had all that a full training gets.
    Complete,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// R was chosen from the time left and the measured speed.
    Length {
        /// Full training.
        full: Epochs,
        /// Where trials are judged, R included.
        rungs: Vec<Epochs>,
        /// Measured.
        seconds_per_epoch: f64,
        /// Time left for training.
        left_s: f64,
        /// Slots.
        slots: u32,
    },
    /// No R fits: trials run in order, without early stopping.
    Portfolio {
        /// What one trial may train in the time left; 0 when not even one epoch fits.
        full: Epochs,
        /// Measured, if it could be.
        seconds_per_epoch: Option<f64>,
        /// Time left for training.
        left_s: f64,
        /// Slots.
        slots: u32,
    },
    /// A trial starts that is not judged on its way.
    Straight {
        /// Which.
        trial: TrialId,
        /// Where it ends.
        to: Epochs,
    },
    /// A trial was judged at the end of a leg.
    Judged {
        /// Which.
        trial: TrialId,
        /// Where it stood.
        place: Place,
        /// What becomes of it.
        verdict: Verdict,
        /// By which rule.
        rule: Rule,
    },
    /// A waiting trial goes on to the next rung.
    Promoted {
        /// Which.
        trial: TrialId,
        /// Where it stands now.
        place: Place,
        /// Where its next leg ends.
        to: Epochs,
        /// By which rule.
        rule: Rule,
    },
    /// The order at the first rung says nothing of that at the next: new trials skip it.
    FirstRungRaised {
        /// The rung that is given up.
        from: Epochs,
        /// Where new trials are judged first now.
        to: Epochs,
        /// What both count.
        unit: Unit,
        /// Spearman's rho between the two, on trials that the first did not judge.
        rho: f64,
        /// Its 90 % upper bound.
        upper: f64,
        /// How many trials those are.
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
    /// The run enters Finish.
    Finishing {
        /// The best trial that has not trained in full, if any.
        leader: Option<TrialId>,
        /// Why now.
        why: FinishWhy,
        /// What the leader still needs.
        cost_s: Option<f64>,
        /// Time left for training.
        left_s: Option<f64>,
    },
    /// In Finish a leader goes on without being judged.
    Finished {
        /// Which.
        trial: TrialId,
        /// Epochs so far.
        from: Epochs,
        /// Where it ends.
        to: Epochs,
    },
    /// A running trial is told to go, other than at a rung.
    Stopped {
        /// Which.
        trial: TrialId,
        /// Why.
        reason: StopReason,
        /// Epochs of its last checkpoint; 0 when there is none.
        checkpoint: Epochs,
    },
    /// A failed leg is tried again.
    Retried {
        /// Which.
        trial: TrialId,
        /// The number of the next attempt.
        attempt: Attempt,
        /// Why it failed.
        failure: FailureKind,
    },
    /// A trial has failed for good.
    Failed {
        /// Which.
        trial: TrialId,
        /// Why.
        failure: FailureKind,
    },
    /// The sampler has nothing new to try.
    Exhausted,
    /// An event did not fit the phase of its trial, and was dropped.
    Ignored {
        /// Which.
        trial: TrialId,
        /// The phase and the event.
        why: String,
    },
}

/// Why a run enters Finish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishWhy {
    /// What is left of the budget is just what the leader needs.
    Budget,
    /// There is nothing left to start: all trials that were asked for have been judged.
    Trials,
    /// There is nothing left to start: the space is used up.
    Space,
}

impl From<Found> for Decision {
    fn from(found: Found) -> Self {
        match found {
            Found::FirstRungMisleads {
                from,
                to,
                unit,
                rho,
                upper,
                n,
            } => Self::FirstRungRaised {
                from,
                to,
                unit,
                rho,
                upper,
                n,
            },
            Found::CapRaised {
                from,
                to,
                n,
                epsilon,
            } => Self::CapRaised {
                from,
                to,
                n,
                epsilon,
            },
        }
    }
}

impl Decision {
    /// The trial it is about, if it is about one.
    #[must_use]
    pub const fn trial(&self) -> Option<TrialId> {
        match self {
            Self::Straight { trial, .. }
            | Self::Judged { trial, .. }
            | Self::Promoted { trial, .. }
            | Self::Finished { trial, .. }
            | Self::Stopped { trial, .. }
            | Self::Retried { trial, .. }
            | Self::Failed { trial, .. }
            | Self::Ignored { trial, .. } => Some(*trial),
            Self::Finishing { leader, .. } => *leader,
            Self::Length { .. }
            | Self::Portfolio { .. }
            | Self::FirstRungRaised { .. }
            | Self::CapRaised { .. }
            | Self::Exhausted => None,
        }
    }

    /// Where the trial stood at its rung, if it was compared there.
    #[must_use]
    pub const fn place(&self) -> Option<&Place> {
        match self {
            Self::Judged { place, .. } | Self::Promoted { place, .. } => Some(place),
            Self::Length { .. }
            | Self::Portfolio { .. }
            | Self::Straight { .. }
            | Self::FirstRungRaised { .. }
            | Self::CapRaised { .. }
            | Self::Finishing { .. }
            | Self::Finished { .. }
            | Self::Stopped { .. }
            | Self::Retried { .. }
            | Self::Failed { .. }
            | Self::Exhausted
            | Self::Ignored { .. } => None,
        }
    }
}
