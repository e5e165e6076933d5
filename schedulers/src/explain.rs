//! Why something was done, with its numbers: the glass box at run time.
//!
//! A `Decision` is made where it is decided, journalled, and read back for `explain`; its sentence is
//! made from the same numbers, never from a guess afterwards. It is a file format, as events are.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::conductor::StopReason;
use crate::ids::{Attempt, Epochs, TrialId};
use crate::protocol::FailureKind;
use crate::score::{Direction, Score};

/// Where a score stands among those that have reached the same rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The set of rungs.
    pub bracket: u32,
    /// Epochs at which this rung judges.
    pub rung: Epochs,
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
            Self::Length { .. } | Self::Portfolio { .. } | Self::Exhausted => None,
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
            | Self::Finishing { .. }
            | Self::Finished { .. }
            | Self::Stopped { .. }
            | Self::Retried { .. }
            | Self::Failed { .. }
            | Self::Exhausted
            | Self::Ignored { .. } => None,
        }
    }

    /// The decision and its reason, in a sentence without a full stop. Scores are shown raw, as the metric has them.
    #[must_use]
    pub fn sentence(&self, direction: Direction) -> String {
        match self {
            Self::Length {
                full,
                rungs,
                seconds_per_epoch,
                left_s,
                slots,
            } => {
                let judged: Vec<String> = rungs
                    .iter()
                    .filter(|rung| *rung < full)
                    .map(ToString::to_string)
                    .collect();
                let at = if judged.is_empty() {
                    "nowhere".to_owned()
                } else {
                    format!("after {}", judged.join(", "))
                };
                format!(
                    "full training is {full} epochs, judged {at}: an epoch takes {seconds_per_epoch:.3} s, and {left_s:.1} s \
                     on {slots} slots are left"
                )
            }
            Self::Portfolio {
                full: 0,
                seconds_per_epoch,
                left_s,
                ..
            } => {
                let epoch = seconds_per_epoch
                    .map_or("an epoch".to_owned(), |s| format!("an epoch of {s:.3} s"));
                format!(
                    "no trial starts: {epoch} does not fit into the {left_s:.1} s that are left"
                )
            }
            Self::Portfolio {
                full,
                seconds_per_epoch,
                left_s,
                slots,
            } => {
                let why = seconds_per_epoch.map_or("the speed could not be measured".to_owned(), |s| {
                    format!("an epoch takes {s:.3} s, too long for a search in {left_s:.1} s on {slots} slots")
                });
                format!(
                    "trials run in order, without early stopping, for {full} epochs each: {why}"
                )
            }
            Self::Straight { trial, to } => {
                format!("trial {trial} runs straight to {to} epochs, without being judged")
            }
            Self::Judged {
                trial,
                place,
                verdict,
                rule,
            } => {
                let verdict = match verdict {
                    Verdict::Continue { to } => format!("goes on to {to} epochs"),
                    Verdict::Pause => "waits".to_owned(),
                    Verdict::Stop => "ends".to_owned(),
                };
                format!(
                    "trial {trial} {verdict} at {}: {rule}",
                    Standing { place, direction }
                )
            }
            Self::Promoted {
                trial,
                place,
                to,
                rule,
            } => {
                format!(
                    "trial {trial} is promoted to {to} epochs from {}: {rule}",
                    Standing { place, direction }
                )
            }
            Self::Finishing {
                leader,
                why,
                cost_s,
                left_s,
            } => finishing(*leader, *why, *cost_s, *left_s),
            Self::Finished { trial, from, to } => {
                format!(
                    "trial {trial} goes on from {from} to {to} epochs without being judged: it is the best that fits"
                )
            }
            Self::Stopped {
                trial,
                reason,
                checkpoint: 0,
            } => format!("trial {trial} is told to go: {reason}"),
            Self::Stopped {
                trial,
                reason,
                checkpoint,
            } => {
                format!(
                    "trial {trial} is told to go: {reason}; its checkpoint holds {checkpoint} epochs"
                )
            }
            Self::Retried {
                trial,
                attempt,
                failure,
            } => format!("trial {trial} is tried again (attempt {attempt}): {failure}"),
            Self::Failed { trial, failure } => format!("trial {trial} has failed: {failure}"),
            Self::Exhausted => {
                "nothing starts any more: the sampler has tried all there is".to_owned()
            }
            Self::Ignored { trial: _, why } => format!("an event was dropped: {why}"),
        }
    }
}

fn finishing(
    leader: Option<TrialId>,
    why: FinishWhy,
    cost_s: Option<f64>,
    left_s: Option<f64>,
) -> String {
    let why = match (why, cost_s, left_s) {
        (FinishWhy::Budget, Some(cost), Some(left)) => {
            format!("the leader needs {cost:.1} s, and {left:.1} s are left")
        }
        (FinishWhy::Budget, _, _) => "what is left is no more than the leader needs".to_owned(),
        (FinishWhy::Trials, _, _) => "all trials that were asked for have been judged".to_owned(),
        (FinishWhy::Space, _, _) => "the space is used up".to_owned(),
    };
    let leader = leader.map_or("no trial waits".to_owned(), |leader| {
        format!("trial {leader} leads")
    });
    format!("nothing new starts; {leader}: {why}")
}

/// A place with the scores as the metric has them.
struct Standing<'a> {
    place: &'a Place,
    direction: Direction,
}

impl fmt::Display for Standing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place {
            bracket,
            rung,
            n,
            k,
            rank,
            score,
            threshold,
        } = *self.place;
        let raw = |score: Score| score.raw(self.direction);
        write!(f, "rung {rung}")?;
        if bracket > 0 {
            write!(f, " of bracket {bracket}")?;
        }
        write!(f, ", place {rank} of {n} with {:.6}", raw(score))?;
        match threshold {
            Some(threshold) => write!(
                f,
                ", where {k} may go on, the last with {:.6}",
                raw(threshold)
            ),
            None => write!(f, ", where none may go on yet"),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fifo => f.write_str("no early stopping"),
            Self::AshaPromotion { eta } => write!(
                f,
                "the best 1 in {eta} of a rung are promoted (ASHA, promotion)"
            ),
            Self::AshaStopping { eta } => write!(
                f,
                "the best 1 in {eta} of a rung, at least one, go on (ASHA, stopping)"
            ),
        }
    }
}

#[cfg(test)]
mod tests;
