//! What a sampler that learns knows: where each trial lies, and how far it came with what score.

use std::collections::BTreeMap;

use super::{Observation, State};
use crate::space::{Assignment, Space};

/// A trial that was suggested.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// Its place on each axis; nothing where the parameter does not exist.
    pub(super) at: Vec<Option<f64>>,
    rank: Option<Rank>,
    /// Whether it ended without ever having had a score.
    is_lost: bool,
}

/// The order of trials: farther trained first, then by loss, then the earlier one.
///
/// A trial that was trained to its end, be it early by its own patience, is farther than any that was not.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rank {
    level: u32,
    loss: f64,
    trial: u64,
}

impl Rank {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let level = other.level.cmp(&self.level);
        level
            .then(self.loss.total_cmp(&other.loss))
            .then(self.trial.cmp(&other.trial))
    }
}

/// All trials of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    trials: BTreeMap<u64, Known>,
    /// Those with a score, best first.
    ranked: Vec<Rank>,
}

impl History {
    /// A trial begins. One of the same number that was there before is forgotten: it could not be tried.
    pub(super) fn begin(&mut self, space: &Space, trial: u64, assignment: &Assignment) {
        let known = Known {
            at: space.coordinates(assignment),
            rank: None,
            is_lost: false,
        };
        if let Some(Rank { .. }) = self.trials.insert(trial, known).and_then(|old| old.rank) {
            self.ranked.retain(|rank| rank.trial != trial);
        }
    }

    /// How a trial stands. A score that is not finite never enters; what was heard before stays. Trials that
    /// never began are not known.
    pub(super) fn tell(&mut self, observation: &Observation) {
        let Some(known) = self.trials.get_mut(&observation.trial) else {
            return;
        };
        let score = observation.loss.filter(|loss| loss.is_finite());
        let Some(loss) = score else {
            known.is_lost = match observation.state {
                State::Running => known.is_lost,
                State::Completed | State::Stopped | State::Failed => known.rank.is_none(),
            };
            return;
        };
        let level = match observation.state {
            State::Completed => u32::MAX,
            State::Running | State::Stopped | State::Failed => observation.resource,
        };
        let rank = Rank {
            level,
            // -0 and 0 are tied.
            loss: loss + 0.0,
            trial: observation.trial,
        };
        if let Some(old) = known.rank.replace(rank)
            && let Ok(place) = self.ranked.binary_search_by(|other| other.order(&old))
        {
            self.ranked.remove(place);
        }
        let place = self
            .ranked
            .partition_point(|other| other.order(&rank).is_lt());
        self.ranked.insert(place, rank);
        known.is_lost = false;
    }

    /// How many trials have a score.
    pub(super) fn n_scored(&self) -> usize {
        self.ranked.len()
    }

    /// The youngest `n` trials with a score, each with its place among them, 0 the best.
    pub(super) fn youngest(&self, n: usize) -> Vec<(usize, &Known)> {
        let scored = self
            .trials
            .iter()
            .rev()
            .filter(|(_, known)| known.rank.is_some());
        let young: std::collections::BTreeSet<u64> =
            scored.take(n).map(|(trial, _)| *trial).collect();
        self.ranked
            .iter()
            .filter(|rank| young.contains(&rank.trial))
            .filter_map(|rank| self.trials.get(&rank.trial))
            .enumerate()
            .collect()
    }

    /// The best `n_good` trials, and all others, each in the order of their numbers: what is behind, what
    /// failed, and what runs without a score, which counts as bad so that nothing like it is tried beside it
    /// (a constant liar). Of those behind or failed `most` at most, evenly taken.
    pub(super) fn split(&self, n_good: usize, most: usize) -> (Vec<&Known>, Vec<&Known>) {
        let edge = n_good
            .checked_sub(1)
            .and_then(|last| self.ranked.get(last.min(self.ranked.len().wrapping_sub(1))));
        let is_good = |known: &Known| match (known.rank, edge) {
            (Some(rank), Some(edge)) => rank.order(edge).is_le(),
            (Some(_) | None, _) => false,
        };
        let n_settled = self
            .trials
            .values()
            .filter(|known| known.rank.is_some() || known.is_lost)
            .count();
        let n_behind = n_settled - n_good.min(self.ranked.len());
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        let mut i = 0;
        for known in self.trials.values() {
            if is_good(known) {
                good.push(known);
            } else if known.rank.is_none() && !known.is_lost {
                bad.push(known);
            } else {
                // Bresenham: `most` of `n_behind`, evenly.
                if n_behind <= most || (i + 1) * most / n_behind > i * most / n_behind {
                    bad.push(known);
                }
                i += 1;
            }
        }
        (good, bad)
    }
}
