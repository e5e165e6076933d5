//! Median stopping: a trial ends when its best score is worse than what half of the others had on average by then.
//!
//! Golovin et al., "Google Vizier: A Service for Black-Box Optimization" (KDD 2017), section 3.2.2, as Ray Tune reads it
//! and Ludwig takes it over: running means begin after the grace, only trials that have come as far are compared, and
//! at least `min_samples` of them. A trial as good as the median goes on. A score that is not finite is the worst as
//! its own best, and left out of means.
//!
//! Deviation: means are kept for whole units of the resource, or for steps of a tenth of the grace where that is more,
//! so that the median of n others is found in O(log n).

use std::collections::BTreeMap;

use crate::explain::{Place, Rule, Unit, Verdict};
use crate::ids::{Epochs, TrialId};
use crate::ranked::Ranked;
use crate::rungs::Rungs;
use crate::scheduler::{Found, Judgement, Progress, Promoted, Scheduler};
use crate::score::{Score, Standing};

/// The median stopping rule.
#[derive(Clone, Debug)]
pub struct Median {
    rungs: Rungs,
    unit: Unit,
    grace: u32,
    min_samples: usize,
    /// Units of the resource in one step.
    width: u32,
    /// Running means at each step, of the trials that have come so far.
    steps: BTreeMap<u32, Ranked<(Score, TrialId)>>,
    trials: BTreeMap<TrialId, Running>,
}

/// The scores of one trial since the grace, added up.
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    sum: f64,
    n: u32,
    /// The last step at which its mean is kept.
    step: Option<u32>,
}

impl Running {
    fn mean(self) -> Score {
        if self.n == 0 {
            Score::WORST
        } else {
            Score::from_loss(self.sum / f64::from(self.n))
        }
    }
}

impl Median {
    /// Trials run to `full` epochs. `grace` is in the unit that is counted.
    #[must_use]
    pub fn new(full: Epochs, unit: Unit, grace: u32, min_samples: u32) -> Self {
        let width = match unit {
            Unit::Epochs => 1,
            Unit::Seconds => (grace / 10).max(1),
        };
        Self {
            rungs: Rungs::none(full),
            unit,
            grace,
            min_samples: usize::try_from(min_samples).unwrap_or(usize::MAX),
            width,
            steps: BTreeMap::new(),
            trials: BTreeMap::new(),
        }
    }

    /// The median of means, between the middle two of an even number.
    fn median(means: &Ranked<(Score, TrialId)>) -> Score {
        let at = |n: usize| means.nth(n).map_or(Score::WORST, |mean| mean.0);
        let (lower, upper) = (at((means.len().max(1) - 1) / 2), at(means.len() / 2));
        match (lower.loss(), upper.loss()) {
            (Some(lower), Some(upper)) => Score::from_loss(f64::midpoint(lower, upper)),
            (Some(_) | None, _) => Score::WORST,
        }
    }

    /// Keeps a trial's mean at all steps up to this one; what lies between two reports has the mean of the first.
    fn keep(&mut self, trial: TrialId, step: u32, last: Score) {
        let before = self.trials.get(&trial).copied().unwrap_or_default();
        let mut now = before;
        if let Some(loss) = last.loss() {
            now.sum += loss;
            now.n += 1;
        }
        now.step = Some(step);
        self.trials.insert(trial, now);
        let first = before.step.map_or(step, |step| step + 1);
        for between in first..=step {
            let mean = if between == step { now } else { before }.mean();
            self.steps.entry(between).or_default().insert((mean, trial));
        }
    }
}

impl Scheduler for Median {
    fn rungs(&self) -> &Rungs {
        &self.rungs
    }

    fn enter(&mut self, _: TrialId) -> Epochs {
        self.rungs.full()
    }

    fn judge(&mut self, _: &Progress) -> Judgement {
        Judgement {
            verdict: Verdict::Continue {
                to: self.rungs.full(),
            },
            place: None,
            rule: self.rule(),
        }
    }

    fn report(&mut self, progress: &Progress) -> Option<Judgement> {
        let Standing {
            trial,
            score,
            epochs,
            ..
        } = progress.standing;
        let at = match self.unit {
            Unit::Epochs => epochs,
            Unit::Seconds => whole_seconds(progress.seconds),
        };
        let step = at / self.width;
        let known = self.trials.get(&trial).and_then(|running| running.step);
        if at < self.grace || known.is_some_and(|known| known >= step) {
            return None;
        }
        let others = self.steps.entry(step).or_default();
        let median = Self::median(others);
        // Who comes first among equals does not matter: the lowest id stands before all of them.
        let n_better = |score: Score| others.n_less(&(score, TrialId(0)));
        let place = Place {
            bracket: 0,
            rung: at,
            unit: self.unit,
            n: others.len() + 1,
            k: n_better(median) + 1,
            rank: n_better(score) + 1,
            score,
            threshold: Some(median),
        };
        let is_stopped = others.len() >= self.min_samples.max(1) && score > median;
        self.keep(trial, step, progress.last);
        is_stopped.then(|| Judgement {
            verdict: Verdict::Stop,
            place: Some(place),
            rule: self.rule(),
        })
    }

    fn pass(&mut self, _: Standing) {}

    fn park(&mut self, _: TrialId) {}

    fn promotable(&self) -> Option<Promoted> {
        None
    }

    fn take(&mut self, _: TrialId) {}

    fn leave(&mut self, _: TrialId) {}

    fn sizes(&self) -> Vec<usize> {
        Vec::new()
    }

    fn take_found(&mut self) -> Vec<Found> {
        Vec::new()
    }
}

impl Median {
    const fn rule(&self) -> Rule {
        Rule::Median { grace: self.grace }
    }
}

/// Whole seconds; what is no length of time is none.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range first, and a cast of NaN is 0"
)]
pub(crate) fn whole_seconds(seconds: f64) -> u32 {
    seconds.clamp(0.0, f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RunTime;

    fn progress(trial: u32, epochs: Epochs, best: f64, last: f64, seconds: f64) -> Progress {
        let standing = Standing {
            score: Score::from_loss(best),
            epochs,
            at: RunTime::ZERO,
            trial: TrialId(trial),
        };
        Progress {
            standing,
            last: Score::from_loss(last),
            seconds,
            ends_leg: false,
        }
    }

    /// Tells the curve of a trial, an epoch a report; the epoch at which it is stopped.
    fn tell(median: &mut Median, trial: u32, losses: &[f64]) -> Option<Epochs> {
        let mut best = f64::INFINITY;
        (1..).zip(losses).find_map(|(epoch, loss)| {
            best = best.min(*loss);
            let told = median.report(&progress(trial, epoch, best, *loss, f64::from(epoch)));
            told.map(|judgement| {
                assert_eq!(judgement.verdict, Verdict::Stop);
                epoch
            })
        })
    }

    #[test]
    fn a_trial_ends_when_its_best_is_worse_than_the_median_of_means() {
        let mut median = Median::new(9, Unit::Epochs, 1, 3);
        assert_eq!(tell(&mut median, 1, &[5.0, 1.0]), None);
        assert_eq!(tell(&mut median, 2, &[6.0, 2.0]), None);
        assert_eq!(
            tell(&mut median, 3, &[7.0, 9.0]),
            None,
            "two others are too few"
        );
        // Means after two epochs: 3, 4 and 8. The best of 4 is enough, of 4.1 is not.
        assert_eq!(tell(&mut median, 4, &[4.0, 4.0]), None);
        // Now 3, 4, 4 and 8, and after the first epoch 4, 5, 6 and 7: the median is 5.5.
        assert_eq!(tell(&mut median, 5, &[5.5, 4.1]), Some(2));
        assert_eq!(tell(&mut median, 6, &[5.6, 1.0]), Some(1));
    }

    #[test]
    fn nothing_is_judged_before_the_grace_and_nothing_before_it_counts() {
        let mut median = Median::new(9, Unit::Epochs, 3, 1);
        assert_eq!(tell(&mut median, 1, &[0.0, 0.0, 5.0]), None);
        assert_eq!(
            tell(&mut median, 2, &[9.0, 9.0, 5.0]),
            None,
            "as good as the median goes on"
        );
        assert_eq!(tell(&mut median, 3, &[9.0, 9.0, 5.1]), Some(3));
    }

    #[test]
    fn a_score_that_is_not_finite_is_the_worst_of_its_own_and_no_part_of_means() {
        let mut median = Median::new(9, Unit::Epochs, 1, 1);
        assert_eq!(tell(&mut median, 1, &[2.0, f64::NAN]), None);
        assert_eq!(
            tell(&mut median, 2, &[2.0, 2.0]),
            None,
            "the mean of 1 is 2 still"
        );
        let broken = median.report(&progress(3, 1, f64::NAN, f64::NAN, 1.0));
        assert!(broken.is_some());
        let mut nobody = Median::new(9, Unit::Epochs, 1, 1);
        assert_eq!(tell(&mut nobody, 1, &[f64::NAN]), None);
        assert_eq!(
            nobody.report(&progress(2, 1, f64::NAN, f64::NAN, 1.0)),
            None,
            "no worse than the median"
        );
    }

    #[test]
    fn seconds_are_compared_at_the_same_age_whatever_the_epochs() {
        let mut median = Median::new(99, Unit::Seconds, 10, 1);
        // One report in 30 s, and it stands for all seconds since the one before.
        assert_eq!(median.report(&progress(1, 1, 4.0, 4.0, 12.0)), None);
        assert_eq!(median.report(&progress(1, 2, 2.0, 2.0, 42.0)), None);
        assert!(
            median.report(&progress(2, 1, 4.1, 4.1, 20.5)).is_some(),
            "by then the mean was 4"
        );
        assert!(
            median.report(&progress(3, 9, 3.5, 3.5, 42.9)).is_some(),
            "and now it is 3"
        );
        assert_eq!(median.report(&progress(4, 9, 3.0, 3.0, 42.9)), None);
        assert_eq!(
            median.report(&progress(5, 9, 9.0, 9.0, 9.9)),
            None,
            "still in its grace"
        );
        assert_eq!(median.report(&progress(6, 9, 9.0, 9.0, f64::NAN)), None);
    }
}
