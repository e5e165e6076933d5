//! Decisions in words.

use std::fmt;

use super::{Decision, FinishWhy, Place, Rule, Unit, Verdict};
use crate::ids::{Epochs, TrialId};
use crate::score::{Direction, Score};

impl Decision {
    /// The decision and its reason, in a sentence without a full stop. Scores are shown raw, as the
    /// metric has them.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "one arm a decision")]
    pub fn sentence(&self, direction: Direction) -> String {
        let at = |place| At { place, direction };
        match self {
            Self::Length {
                full,
                rungs,
                seconds_per_epoch,
                left_s,
                slots,
            } => {
                let at = rungs_below(rungs, *full);
                format!(
                    "full training is {full} epochs, judged {at}: an epoch takes {seconds_per_epoch:.3} s, \
                     and {left_s:.1} s on {slots} slots are left"
                )
            }
            Self::Portfolio {
                full,
                seconds_per_epoch,
                left_s,
                slots,
            } => portfolio(*full, *seconds_per_epoch, *left_s, *slots),
            Self::Straight { trial, to } => {
                format!("trial {trial} runs straight to {to} epochs, without being judged")
            }
            Self::Judged {
                trial,
                place,
                verdict,
                rule,
            } => {
                format!("trial {trial} {verdict} at {}: {rule}", at(place))
            }
            Self::Promoted {
                trial,
                place,
                to,
                rule,
            } => {
                format!(
                    "trial {trial} is promoted to {to} epochs from {}: {rule}",
                    at(place)
                )
            }
            Self::FirstRungRaised {
                from,
                to,
                unit,
                rho,
                upper,
                n,
            } => format!(
                "new trials are judged first at {to} {}, no longer at {from}: on {n} trials that were not judged \
                 there, the order at {from} says little of that at {to} (Spearman's rho {rho:.2}, at most {upper:.2} \
                 with 90 %)",
                match unit {
                    Unit::Epochs => "epochs",
                    Unit::Seconds => "seconds",
                }
            ),
            Self::CapRaised {
                from,
                to,
                n,
                epsilon,
            } => format!(
                "trials may go on from {from} to {to} epochs: the order of {n} at {from} is not that of one rung below, \
                 with gaps up to {epsilon:.6} taken as none (PASHA)"
            ),
            Self::Finishing {
                leader,
                why,
                cost_s,
                left_s,
            } => finishing(*leader, *why, *cost_s, *left_s),
            Self::Finished { trial, from, to } => format!(
                "trial {trial} goes on from {from} to {to} epochs without being judged: it is the best that fits"
            ),
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
            } => {
                format!("trial {trial} is tried again (attempt {attempt}): {failure}")
            }
            Self::Failed { trial, failure } => format!("trial {trial} has failed: {failure}"),
            Self::Exhausted => {
                "nothing new starts any more: the sampler has tried all there is".to_owned()
            }
            Self::Ignored { trial: _, why } => format!("an event was dropped: {why}"),
        }
    }
}

fn rungs_below(rungs: &[Epochs], full: Epochs) -> String {
    let judged: Vec<String> = rungs
        .iter()
        .filter(|rung| **rung < full)
        .map(ToString::to_string)
        .collect();
    if judged.is_empty() {
        "nowhere".to_owned()
    } else {
        format!("after {}", judged.join(", "))
    }
}

fn portfolio(full: Epochs, seconds_per_epoch: Option<f64>, left_s: f64, slots: u32) -> String {
    if full == 0 {
        let epoch =
            seconds_per_epoch.map_or("an epoch".to_owned(), |s| format!("an epoch of {s:.3} s"));
        return format!(
            "no trial starts: {epoch} does not fit into the {left_s:.1} s that are left"
        );
    }
    let why = seconds_per_epoch.map_or("the speed could not be measured".to_owned(), |s| {
        format!("an epoch takes {s:.3} s, too long for a search in {left_s:.1} s on {slots} slots")
    });
    format!("trials run in order, without early stopping, for {full} epochs each: {why}")
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
struct At<'a> {
    place: &'a Place,
    direction: Direction,
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place {
            bracket,
            rung,
            unit,
            n,
            k,
            rank,
            score,
            threshold,
        } = *self.place;
        let raw = |score: Score| score.raw(self.direction);
        write!(f, "rung {rung}")?;
        match unit {
            Unit::Epochs => {}
            Unit::Seconds => f.write_str(" s")?,
        }
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
            Self::Hyperband { eta } => write!(
                f,
                "the best 1 in {eta} of a rung go on when all of its bracket are in (HyperBand)"
            ),
            Self::Median { grace } => write!(
                f,
                "who is worse at its best than the median of what the others had on average from {grace} on ends \
                 (median stopping)"
            ),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continue { to } => write!(f, "goes on to {to} epochs"),
            Self::Pause => f.write_str("waits"),
            Self::Stop => f.write_str("ends"),
            Self::Complete => f.write_str("has had a full training"),
        }
    }
}
