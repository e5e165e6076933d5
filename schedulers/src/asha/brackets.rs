//! The rungs of all brackets, and who is in which.
//!
//! Each bracket has rungs of its own, so that a trial is compared with those of the same history alone;
//! bracket `b` starts `b` levels higher. Their shares of new trials fall by eta, 3 to 1 for two brackets and
//! eta 3, and are kept to exactly, without chance.

use std::collections::BTreeMap;

use crate::ids::{Epochs, TrialId};
use crate::rung::Rung;
use crate::rungs::Rungs;
use crate::score::Standing;

#[derive(Clone, Debug)]
pub(super) struct Brackets {
    pub(super) rungs: Rungs,
    pub(super) eta: u32,
    /// Rungs under R of each bracket, lowest first.
    brackets: Vec<Vec<Rung>>,
    /// New trials of each bracket so far.
    entered: Vec<u64>,
    /// The bracket of each trial; those that are in none pass through the first.
    of: BTreeMap<TrialId, usize>,
}

/// Where a rung is: bracket, and index in it.
pub(super) type At = (usize, usize);

impl Brackets {
    pub(super) fn new(rungs: Rungs, eta: u32, n_brackets: u32) -> Self {
        let judged = rungs.judged();
        // No more than there are levels: the last one starts at the highest.
        let n = n_brackets.clamp(1, u32::try_from(judged.len()).unwrap_or(u32::MAX).max(1));
        let bracket = |b: u32| {
            judged[b as usize..]
                .iter()
                .map(|level| Rung::new(b, *level))
                .collect()
        };
        Self {
            eta: eta.max(2),
            brackets: (0..n).map(bracket).collect(),
            entered: vec![0; n as usize],
            of: BTreeMap::new(),
            rungs,
        }
    }

    /// Puts a new trial into the bracket that lags most behind its share; returns the first level of it.
    pub(super) fn enter(&mut self, trial: TrialId) -> Epochs {
        // Share of bracket b is eta^-b: compare entered / share without dividing.
        let lag = |b: u32, n: u64| (n + 1).saturating_mul(u64::from(self.eta).saturating_pow(b));
        let lags = (0..).zip(&self.entered).map(|(b, n)| lag(b, *n));
        let bracket = lags
            .enumerate()
            .min_by_key(|(b, lag)| (*lag, *b))
            .map_or(0, |(b, _)| b);
        self.entered[bracket] += 1;
        self.of.insert(trial, bracket);
        self.brackets[bracket]
            .first()
            .map_or(self.rungs.full(), Rung::at)
    }

    /// Records at the highest rung that these epochs reach; nothing when there is none. Recorded once.
    pub(super) fn record(&mut self, standing: Standing) -> Option<At> {
        let bracket = self.of.get(&standing.trial).copied().unwrap_or(0);
        let rung = self.brackets[bracket]
            .iter()
            .rposition(|rung| rung.at() <= standing.epochs)?;
        self.brackets[bracket][rung].record(standing);
        Some((bracket, rung))
    }

    pub(super) fn rung(&self, at: At) -> &Rung {
        &self.brackets[at.0][at.1]
    }

    /// Where the leg after this rung ends.
    pub(super) fn after(&self, at: At) -> Epochs {
        self.rungs.next(self.rung(at).at())
    }

    /// The highest rung that a trial has reached.
    fn highest(&mut self, trial: TrialId) -> Option<&mut Rung> {
        let bracket = self.of.get(&trial).copied().unwrap_or(0);
        self.brackets[bracket]
            .iter_mut()
            .rev()
            .find(|rung| rung.has(trial))
    }

    pub(super) fn park(&mut self, trial: TrialId) {
        if let Some(rung) = self.highest(trial) {
            rung.park(trial);
        }
    }

    pub(super) fn take(&mut self, trial: TrialId) {
        if let Some(rung) = self.highest(trial) {
            rung.take(trial);
        }
    }

    /// All rungs, those of the most epochs first; among equals the earlier bracket.
    pub(super) fn top_down(&self) -> impl Iterator<Item = At> + '_ {
        self.rungs
            .judged()
            .iter()
            .enumerate()
            .rev()
            .flat_map(move |(level, _)| {
                (0..self.brackets.len())
                    .filter_map(move |bracket| Some((bracket, level.checked_sub(bracket)?)))
            })
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        let size = |level: usize| {
            let rungs = self
                .brackets
                .iter()
                .enumerate()
                .filter_map(|(b, bracket)| bracket.get(level.checked_sub(b)?));
            rungs.map(Rung::len).sum()
        };
        (0..self.rungs.judged().len()).map(size).collect()
    }
}
