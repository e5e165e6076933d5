//! What a trial has reported so far, folded: the best, the last, and whether it still makes sense.

use crate::budget::Mean;
use crate::ids::{Epochs, RunTime};
use crate::score::Score;

/// Scores in a row that are not finite before a trial counts as diverged.
const BAD_IN_A_ROW: u32 = 2;

/// The reports of one trial, folded.
#[derive(Clone, Debug, Default)]
pub struct History {
    epochs: Epochs,
    best: Option<Best>,
    bad_in_a_row: u32,
    seconds: Mean,
}

/// The best score of a trial so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    /// It is finite.
    pub score: Score,
    /// The epoch it belongs to.
    pub epoch: Epochs,
    /// When it was reported.
    pub at: RunTime,
}

impl History {
    /// Takes the report of an epoch; false when there was one of this epoch or a later one before, as after a
    /// resume from an older checkpoint. Then nothing changes.
    pub fn take(&mut self, epoch: Epochs, score: Score, seconds: f64, at: RunTime) -> bool {
        if epoch <= self.epochs {
            return false;
        }
        self.epochs = epoch;
        self.seconds.take(seconds);
        self.bad_in_a_row = if score.is_finite() {
            0
        } else {
            self.bad_in_a_row + 1
        };
        if score.is_finite() && self.best.is_none_or(|best| score < best.score) {
            self.best = Some(Best { score, epoch, at });
        }
        true
    }

    /// Epochs trained so far.
    #[must_use]
    pub const fn epochs(&self) -> Epochs {
        self.epochs
    }

    /// The best score so far; nothing when none was finite.
    #[must_use]
    pub const fn best(&self) -> Option<Best> {
        self.best
    }

    /// Whether the last scores were not finite, two of them.
    #[must_use]
    pub const fn is_diverged(&self) -> bool {
        self.bad_in_a_row >= BAD_IN_A_ROW
    }

    /// What a rung judges: the best so far, or the worst there is when the last one was not finite.
    #[must_use]
    pub fn judged(&self) -> Score {
        self.best
            .filter(|_| self.bad_in_a_row == 0)
            .map_or(Score::WORST, |best| best.score)
    }

    /// Seconds of all epochs whose length is known.
    #[must_use]
    pub const fn seconds(&self) -> f64 {
        self.seconds.sum()
    }

    /// Seconds of an epoch of this trial.
    #[must_use]
    pub fn seconds_per_epoch(&self) -> Option<f64> {
        self.seconds.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(losses: &[f64]) -> History {
        let mut history = History::default();
        for (i, loss) in losses.iter().enumerate() {
            let epoch = Epochs::try_from(i).unwrap() + 1;
            assert!(history.take(
                epoch,
                Score::from_loss(*loss),
                1.0,
                RunTime::from_secs_f64(f64::from(epoch))
            ));
        }
        history
    }

    #[test]
    fn the_best_so_far_is_judged_unless_the_last_is_not_finite() {
        assert_eq!(history(&[3.0, 1.0, 2.0]).judged(), Score::from_loss(1.0));
        assert_eq!(history(&[3.0, f64::NAN]).judged(), Score::WORST);
        assert_eq!(
            history(&[3.0, f64::NAN, 4.0]).judged(),
            Score::from_loss(3.0)
        );
        assert_eq!(history(&[]).judged(), Score::WORST);
    }

    #[test]
    fn two_non_finite_scores_in_a_row_are_a_divergence() {
        assert!(history(&[f64::NAN, f64::INFINITY]).is_diverged());
        assert!(history(&[1.0, f64::NEG_INFINITY, f64::NAN]).is_diverged());
        assert!(!history(&[f64::NAN, 1.0, f64::NAN]).is_diverged());
        assert!(!history(&[f64::NAN]).is_diverged());
    }

    #[test]
    fn a_repeated_report_changes_nothing() {
        let mut history = history(&[3.0, 2.0]);
        assert!(!history.take(2, Score::from_loss(0.0), 9.0, RunTime::ZERO));
        assert!(!history.take(1, Score::WORST, 9.0, RunTime::ZERO));
        assert_eq!(
            history.best().map(|best| best.score),
            Some(Score::from_loss(2.0))
        );
        assert_eq!(
            (history.epochs(), history.seconds_per_epoch()),
            (2, Some(1.0))
        );
    }
}
