//! The scores that have reached one level, best first. The one place where ranks are counted.

use std::collections::{BTreeMap, BTreeSet};

use crate::explain::Place;
use crate::ids::{Epochs, TrialId};
use crate::score::Standing;

/// One rung of one bracket. Every operation takes O(log n), but for shifting the sorted list.
#[derive(Clone, Debug)]
pub struct Rung {
    bracket: u32,
    at: Epochs,
    /// Invariant: sorted, one entry for each trial.
    reached: Vec<Standing>,
    /// Those of `reached` that wait for promotion.
    waiting: BTreeSet<Standing>,
    /// Where each trial stands.
    of: BTreeMap<TrialId, Standing>,
}

impl Rung {
    /// A rung that nobody has reached.
    #[must_use]
    pub const fn new(bracket: u32, at: Epochs) -> Self {
        Self {
            bracket,
            at,
            reached: Vec::new(),
            waiting: BTreeSet::new(),
            of: BTreeMap::new(),
        }
    }

    /// Epochs at which it judges.
    #[must_use]
    pub const fn at(&self) -> Epochs {
        self.at
    }

    /// How many have reached it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.reached.len()
    }

    /// Whether nobody has.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.reached.is_empty()
    }

    /// Whether this trial has reached it.
    #[must_use]
    pub fn has(&self, trial: TrialId) -> bool {
        self.of.contains_key(&trial)
    }

    /// Records a score. The first of a trial counts; a second one is dropped.
    pub fn record(&mut self, standing: Standing) {
        if let std::collections::btree_map::Entry::Vacant(entry) = self.of.entry(standing.trial) {
            entry.insert(standing);
            let place = self.reached.partition_point(|other| *other < standing);
            self.reached.insert(place, standing);
        }
    }

    /// Lets a trial that has reached this rung wait for promotion.
    pub fn park(&mut self, trial: TrialId) {
        if let Some(standing) = self.of.get(&trial) {
            self.waiting.insert(*standing);
        }
    }

    /// Ends a trial's waiting.
    pub fn take(&mut self, trial: TrialId) {
        if let Some(standing) = self.of.get(&trial) {
            self.waiting.remove(standing);
        }
    }

    /// The best that waits.
    #[must_use]
    pub fn best_waiting(&self) -> Option<TrialId> {
        self.waiting.first().map(|standing| standing.trial)
    }

    /// Where a trial stands when `k` of `n` may go on, `k` being counted from `n` by the caller.
    #[must_use]
    pub fn place(&self, trial: TrialId, k: impl FnOnce(usize) -> usize) -> Option<Place> {
        let standing = self.of.get(&trial)?;
        let n = self.reached.len();
        let k = k(n);
        let rank = self.reached.partition_point(|other| other < standing) + 1;
        let threshold = k
            .checked_sub(1)
            .and_then(|last| self.reached.get(last))
            .map(|last| last.score);
        Some(Place {
            bracket: self.bracket,
            rung: self.at,
            n,
            k,
            rank,
            score: standing.score,
            threshold,
        })
    }
}
