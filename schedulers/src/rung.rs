//! The scores that have reached one level, best first. The one place where ranks are counted.

use std::collections::BTreeSet;

use crate::explain::{Place, Unit};
use crate::ids::{Epochs, TrialId};
use crate::ranked::Ranked;
use crate::score::Standing;

/// One rung of one bracket. Every operation takes O(log n).
#[derive(Clone, Debug)]
pub struct Rung {
    bracket: u32,
    at: Epochs,
    /// Invariant: one entry for each trial. Who records keeps to it.
    reached: Ranked<Standing>,
    /// Those of `reached` that wait for promotion.
    waiting: BTreeSet<Standing>,
}

impl Rung {
    /// A rung that nobody has reached.
    #[must_use]
    pub const fn new(bracket: u32, at: Epochs) -> Self {
        Self {
            bracket,
            at,
            reached: Ranked::new(),
            waiting: BTreeSet::new(),
        }
    }

    /// Epochs at which it judges.
    #[must_use]
    pub const fn at(&self) -> Epochs {
        self.at
    }

    /// How many have reached it.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.reached.len()
    }

    /// Whether nobody has.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.reached.is_empty()
    }

    /// Those that have reached it, best first.
    pub fn reached(&self) -> impl Iterator<Item = &Standing> {
        self.reached.iter()
    }

    /// Records a score of a trial that has none here.
    pub fn record(&mut self, standing: Standing) {
        self.reached.insert(standing);
    }

    /// Lets a trial that was recorded wait for promotion.
    pub fn park(&mut self, standing: Standing) {
        self.waiting.insert(standing);
    }

    /// Ends a trial's waiting.
    pub fn take(&mut self, standing: &Standing) {
        self.waiting.remove(standing);
    }

    /// The best that waits.
    #[must_use]
    pub fn best_waiting(&self) -> Option<&Standing> {
        self.waiting.first()
    }

    /// Whether a recorded score is finite and among the best `k`. Cheaper than `place`.
    #[must_use]
    pub fn is_among(&self, standing: &Standing, k: usize) -> bool {
        let last = k.checked_sub(1).and_then(|last| self.reached.nth(last));
        standing.score.is_finite() && last.is_some_and(|last| standing <= last)
    }

    /// Where a recorded score stands when `k` may go on.
    #[must_use]
    pub fn place(&self, standing: &Standing, k: usize) -> Place {
        let last = k.checked_sub(1).and_then(|last| self.reached.nth(last));
        Place {
            bracket: self.bracket,
            rung: self.at,
            unit: Unit::Epochs,
            n: self.reached.len(),
            k,
            rank: self.reached.n_less(standing) + 1,
            score: standing.score,
            threshold: last.map(|last| last.score),
        }
    }

    /// The trials that wait, best first.
    pub fn waiting(&self) -> impl Iterator<Item = TrialId> + '_ {
        self.waiting.iter().map(|standing| standing.trial)
    }
}
