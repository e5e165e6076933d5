//! Rungs in seconds of training: a trial is judged at the first report from a level on, in the middle of its leg.
//!
//! Legs are counted in epochs, and nobody knows before how many a second holds. So a trial runs straight to R, and is
//! stopped where the scheduler inside says so. That takes a scheduler which never pauses: ASHA's stopping variant, as
//! Ray Tune and Ludwig run it with `time_total_s`.

use std::collections::BTreeMap;

use crate::asha::Stopping;
use crate::explain::{Rule, Unit, Verdict};
use crate::ids::{Epochs, TrialId};
use crate::median::whole_seconds;
use crate::rungs::Rungs;
use crate::scheduler::{Found, Judgement, Progress, Promoted, Scheduler};
use crate::score::Standing;

/// ASHA's stopping variant over seconds.
#[derive(Clone, Debug)]
pub struct Timed {
    /// R in epochs: a trial that gets there first is complete as well.
    rungs: Rungs,
    /// Its levels are seconds.
    inner: Stopping,
    rule: Rule,
    /// The last level at which each trial was judged.
    judged: BTreeMap<TrialId, u32>,
}

impl Timed {
    /// Trials run to `full` epochs or to the last level of `inner`, whichever comes first.
    #[must_use]
    pub fn new(full: Epochs, inner: Stopping, eta: u32) -> Self {
        Self {
            rungs: Rungs::none(full),
            inner,
            rule: Rule::AshaStopping { eta: eta.max(2) },
            judged: BTreeMap::new(),
        }
    }
}

impl Scheduler for Timed {
    fn rungs(&self) -> &Rungs {
        &self.rungs
    }

    fn enter(&mut self, trial: TrialId) -> Epochs {
        self.inner.enter(trial);
        self.rungs.full()
    }

    fn judge(&mut self, _: &Progress) -> Judgement {
        Judgement {
            verdict: Verdict::Continue {
                to: self.rungs.full(),
            },
            place: None,
            rule: self.rule,
        }
    }

    fn report(&mut self, progress: &Progress) -> Option<Judgement> {
        let seconds = whole_seconds(progress.seconds);
        let trial = progress.standing.trial;
        if seconds >= self.inner.rungs().full() {
            return Some(Judgement {
                verdict: Verdict::Complete,
                place: None,
                rule: self.rule,
            });
        }
        let levels = self.inner.rungs().judged();
        let level = levels.iter().copied().rfind(|level| *level <= seconds)?;
        if self.judged.insert(trial, level) == Some(level) {
            return None;
        }
        let standing = Standing {
            epochs: seconds,
            ..progress.standing
        };
        let mut judgement = self.inner.judge(&Progress {
            standing,
            ..*progress
        });
        if let Some(place) = &mut judgement.place {
            place.unit = Unit::Seconds;
        }
        (judgement.verdict == Verdict::Stop).then_some(judgement)
    }

    fn pass(&mut self, _: Standing) {}

    fn park(&mut self, _: TrialId) {}

    fn promotable(&self) -> Option<Promoted> {
        None
    }

    fn take(&mut self, _: TrialId) {}

    fn leave(&mut self, trial: TrialId) {
        self.judged.remove(&trial);
    }

    fn sizes(&self) -> Vec<usize> {
        Vec::new()
    }

    fn take_found(&mut self) -> Vec<Found> {
        let in_seconds = |found| match found {
            Found::FirstRungMisleads {
                from,
                to,
                rho,
                upper,
                n,
                unit: _,
            } => Found::FirstRungMisleads {
                from,
                to,
                unit: Unit::Seconds,
                rho,
                upper,
                n,
            },
            Found::CapRaised { .. } => found,
        };
        self.inner
            .take_found()
            .into_iter()
            .map(in_seconds)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conductor::Shares;
    use crate::ids::RunTime;
    use crate::score::Score;

    fn report(timed: &mut Timed, trial: u32, seconds: f64, loss: f64) -> Option<Verdict> {
        let standing = Standing {
            score: Score::from_loss(loss),
            epochs: 1,
            at: RunTime::from_secs_f64(seconds),
            trial: TrialId(trial),
        };
        let told = timed.report(&Progress {
            seconds,
            ends_leg: false,
            ..Progress::at_rung(standing)
        });
        let judgement = told?;
        assert!(
            judgement
                .place
                .is_none_or(|place| place.unit == Unit::Seconds)
        );
        Some(judgement.verdict)
    }

    #[test]
    fn a_trial_is_judged_once_at_the_first_report_from_a_level_on() {
        // As AutoML in Ludwig: eta 5 from 72 s on; levels 72, 360, 1800 of 7200.
        let inner = Stopping::new(Rungs::geometric(72, 5, 7200), 5, 1, Shares::Falling);
        let mut timed = Timed::new(100, inner, 5);
        (1..4).for_each(|trial| assert_eq!(timed.enter(TrialId(trial)), 100));
        assert_eq!(report(&mut timed, 1, 71.9, 1.0), None);
        assert_eq!(report(&mut timed, 1, 90.0, 1.0), None, "the first goes on");
        assert_eq!(report(&mut timed, 2, 71.0, 9.0), None, "not judged yet");
        assert_eq!(report(&mut timed, 2, 80.0, 0.9), None, "the best goes on");
        assert_eq!(report(&mut timed, 1, 359.0, 1.0), None, "judged once at 72");
        assert_eq!(report(&mut timed, 3, 100.0, 2.0), Some(Verdict::Stop));
        assert_eq!(report(&mut timed, 2, 400.0, 0.9), None);
        assert_eq!(report(&mut timed, 1, 360.0, 1.0), Some(Verdict::Stop));
        assert_eq!(report(&mut timed, 2, 7200.0, 0.1), Some(Verdict::Complete));
    }

    #[test]
    fn a_report_past_several_levels_counts_at_the_highest() {
        let inner = Stopping::new(Rungs::geometric(1, 3, 81), 3, 1, Shares::Falling);
        let mut timed = Timed::new(9, inner, 3);
        assert_eq!(report(&mut timed, 1, 30.0, 5.0), None);
        assert_eq!(timed.inner.sizes(), [0, 0, 0, 1]);
        assert_eq!(
            report(&mut timed, 2, 2.0, 9.0),
            None,
            "the first of its rung"
        );
    }
}
