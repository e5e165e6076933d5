//! A metric value that knows its direction and what it is worth when it is not a number.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{Epochs, RunTime, TrialId};
use crate::protocol::real;

/// Whether a metric is better when smaller or when larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Smaller is better, as for losses and errors.
    Minimise,
    /// Larger is better, as for accuracy and areas.
    Maximise,
}

/// A metric value turned into a loss: smaller is better, whatever the metric.
///
/// The order is total. NaN and both infinities are equal to each other and worse than every finite
/// value, so that a broken trial can neither win nor poison a comparison.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(#[serde(with = "real")] f64);

impl Score {
    /// The score that loses to every finite one.
    pub const WORST: Self = Self(f64::NAN);

    /// The score of a metric's raw value.
    #[must_use]
    pub fn new(raw: f64, direction: Direction) -> Self {
        match direction {
            Direction::Minimise => Self::from_loss(raw),
            Direction::Maximise => Self::from_loss(-raw),
        }
    }

    /// A score that is a loss already.
    #[must_use]
    pub fn from_loss(loss: f64) -> Self {
        Self(loss + 0.0) // -0.0 + 0.0 is 0.0: one zero, so that equal scores are the same score.
    }

    /// The metric's raw value again.
    #[must_use]
    pub fn raw(self, direction: Direction) -> f64 {
        match direction {
            Direction::Minimise => self.0,
            Direction::Maximise => 0.0 - self.0,
        }
    }

    /// The loss, or nothing when it is not finite.
    #[must_use]
    pub fn loss(self) -> Option<f64> {
        self.is_finite().then_some(self.0)
    }

    /// Whether this is a number that can be compared.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_finite(), other.is_finite()) {
            (true, true) => self.0.total_cmp(&other.0),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => Ordering::Equal,
        }
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Score {}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A score with all that decides between two trials. Ordered best first: score, then the cheaper one,
/// then the earlier finisher, then the lower id, so that no two are ever equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    /// Best score so far; non-finite counts as the worst.
    pub score: Score,
    /// Epochs trained to get it.
    pub epochs: Epochs,
    /// When it was reached.
    pub at: RunTime,
    /// Whose it is.
    pub trial: TrialId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_finite_scores_are_equal_and_worst() {
        for direction in [Direction::Minimise, Direction::Maximise] {
            let worst =
                [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|x| Score::new(x, direction));
            assert!(
                worst
                    .iter()
                    .all(|a| *a == Score::WORST && *a > Score::new(1e308, direction))
            );
            assert!(worst.iter().all(|a| *a > Score::new(-1e308, direction)));
        }
    }

    #[test]
    fn larger_is_better_when_maximised() {
        assert!(Score::new(0.9, Direction::Maximise) < Score::new(0.8, Direction::Maximise));
        assert!(Score::new(0.8, Direction::Minimise) < Score::new(0.9, Direction::Minimise));
    }

    #[test]
    fn raw_is_the_inverse_of_new_and_there_is_one_zero() {
        for direction in [Direction::Minimise, Direction::Maximise] {
            for x in [0.0, -0.0, 0.25, -3.0, f64::INFINITY] {
                let back = Score::new(x, direction).raw(direction);
                assert!(back.total_cmp(&(x + 0.0)).is_eq(), "{x} {back}");
            }
            assert!(Score::new(f64::NAN, direction).raw(direction).is_nan());
            assert_eq!(Score::new(0.0, direction), Score::new(-0.0, direction));
        }
    }

    #[test]
    fn ties_go_to_the_cheaper_then_the_earlier_then_the_lower_id() {
        let of = |epochs, at, trial| Standing {
            score: Score::from_loss(0.5),
            epochs,
            at: RunTime::from_secs_f64(at),
            trial: TrialId(trial),
        };
        assert!(of(1, 9.0, 9) < of(3, 1.0, 1));
        assert!(of(1, 1.0, 9) < of(1, 2.0, 1));
        assert!(of(1, 1.0, 1) < of(1, 1.0, 2));
    }
}
