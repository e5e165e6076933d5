//! The rungs of all brackets, and who is in which.
//!
//! Each bracket has rungs of its own, so that a trial is compared with those of the same history alone;
//! bracket `b` starts `b` levels higher. New trials go to the open ones, whose shares are kept to exactly,
//! without chance. The guard, where it is on, gives up the lowest open one when its first rung misleads.

use std::collections::BTreeMap;
use std::ops::Range;

use super::guard::{Correlation, DISTRUST, Pairs, THIN, TRUST};
use crate::conductor::Shares;
use crate::explain::Unit;
use crate::ids::{Epochs, TrialId};
use crate::rung::Rung;
use crate::rungs::Rungs;
use crate::scheduler::Found;
use crate::score::{Score, Standing};

#[derive(Clone, Debug)]
pub(super) struct Brackets {
    pub(super) rungs: Rungs,
    pub(super) eta: u32,
    /// Rungs under R of every bracket there could be, lowest first.
    brackets: Vec<Vec<Rung>>,
    /// Those that new trials go to. Never empty, but where nothing is judged.
    open: Range<usize>,
    /// New trials of each bracket since the open ones were settled.
    entered: Vec<u64>,
    /// How many of so many new trials each bracket gets.
    weights: Vec<u64>,
    seats: BTreeMap<TrialId, Seat>,
    /// Scores of hedged trials at the level below their bracket's first rung, and at it; by bracket.
    guard: Option<Vec<Pairs>>,
    /// Whether the first rung is trusted, so that few trials go to the hedge.
    is_thin: bool,
    found: Vec<Found>,
}

/// Where a trial is.
#[derive(Clone, Copy, Debug)]
struct Seat {
    bracket: usize,
    /// The highest rung that it has reached, and how it stands there.
    reached: Option<(usize, Standing)>,
    /// Its score at the level below the first rung of its bracket.
    below: Option<Score>,
}

/// Where a rung is: bracket, and index in it.
pub(super) type At = (usize, usize);

impl Brackets {
    pub(super) fn new(rungs: Rungs, eta: u32, n_open: u32, shares: Shares) -> Self {
        let (judged, eta) = (rungs.judged(), eta.max(2));
        let bracket = |b: usize| {
            let number = u32::try_from(b).unwrap_or(u32::MAX);
            judged[b..]
                .iter()
                .map(|level| Rung::new(number, *level))
                .collect()
        };
        let n = judged.len().max(1);
        let brackets: Vec<Vec<Rung>> = (0..n).map(bracket).collect();
        let weight = |b: usize| match shares {
            Shares::Falling => u64::from(eta).saturating_pow(u32::try_from(n - b).unwrap_or(0)),
            Shares::Hyperband => hyperband_share(eta, n - b, n + 1),
        };
        Self {
            eta,
            // No more than there are levels: the last one starts at the highest.
            open: 0..usize::try_from(n_open).unwrap_or(n).clamp(1, n),
            entered: vec![0; n],
            weights: (0..n).map(weight).collect(),
            brackets,
            seats: BTreeMap::new(),
            guard: None,
            is_thin: false,
            found: Vec::new(),
            rungs,
        }
    }

    /// Watches the hedge. It takes two open brackets.
    pub(super) fn guarded(mut self) -> Self {
        self.open.end = self
            .open
            .end
            .max((self.open.start + 2).min(self.brackets.len()));
        self.guard = Some(vec![Pairs::default(); self.brackets.len()]);
        self
    }

    /// Puts a new trial into the open bracket that lags most behind its share; returns the first level of it.
    pub(super) fn enter(&mut self, trial: TrialId) -> Epochs {
        let filled = |b: usize| u128::from(self.entered[b] + 1);
        // Compares (entered + 1) / weight without dividing; among equals the lower bracket.
        let lag = |a: usize, b: usize| {
            let (of_a, of_b) = (self.weight(a), self.weight(b));
            (filled(a) * of_b).cmp(&(filled(b) * of_a)).then(a.cmp(&b))
        };
        let bracket = self.open.clone().min_by(|a, b| lag(*a, *b)).unwrap_or(0);
        self.entered[bracket] += 1;
        self.seats.insert(trial, Seat::new(bracket));
        self.brackets[bracket]
            .first()
            .map_or(self.rungs.full(), Rung::at)
    }

    /// How many of so many new trials a bracket gets.
    fn weight(&self, bracket: usize) -> u128 {
        let is_hedge = self.open.len() == 2 && bracket == self.open.start + 1;
        if self.is_thin && is_hedge {
            u128::from(self.weights[self.open.start])
        } else if self.is_thin {
            u128::from(self.weights[bracket]) * u128::from(THIN - 1)
        } else {
            u128::from(self.weights[bracket])
        }
    }

    /// Records at the highest rung that these epochs reach; nothing when there is none. Recorded once.
    pub(super) fn record(&mut self, standing: Standing) -> Option<(At, Standing)> {
        let base = self.open.start;
        let seat = self.seats.entry(standing.trial).or_insert(Seat::new(base));
        let bracket = seat.bracket;
        let rungs = &mut self.brackets[bracket];
        let Some(rung) = rungs.iter().rposition(|rung| rung.at() <= standing.epochs) else {
            // Under the first rung a hedged trial is watched, at the first report from the level below on.
            let level = bracket
                .checked_sub(1)
                .map(|below| self.rungs.judged()[below]);
            if seat.below.is_none() && level.is_some_and(|level| standing.epochs >= level) {
                seat.below = Some(standing.score);
            }
            return None;
        };
        if let Some((reached, before)) = seat.reached.filter(|(reached, _)| *reached >= rung) {
            return Some(((bracket, reached), before));
        }
        let first = seat.reached.replace((rung, standing)).is_none();
        let below = seat.below.filter(|_| first && rung == 0);
        rungs[rung].record(standing);
        if let Some(below) = below {
            self.compare(bracket, below, standing.score);
        }
        Some(((bracket, rung), standing))
    }

    /// Thins the hedge out when the first rung can be trusted, and gives the lowest open bracket up when the order at its first rung says nothing of that at the next.
    fn compare(&mut self, bracket: usize, below: Score, here: Score) {
        let Some(pairs) = self.guard.as_mut().map(|guard| &mut guard[bracket]) else {
            return;
        };
        pairs.take(below, here);
        let Some(found) = pairs
            .correlation()
            .filter(|_| bracket == self.open.start + 1)
        else {
            return;
        };
        let is_thin = found.lower > TRUST;
        if is_thin != self.is_thin {
            self.is_thin = is_thin;
            self.entered.fill(0);
        }
        if found.upper >= DISTRUST {
            return;
        }
        let Correlation { rho, upper, n, .. } = found;
        let levels = self.rungs.judged();
        self.found.push(Found::FirstRungMisleads {
            from: levels[bracket - 1],
            to: levels[bracket],
            unit: Unit::Epochs,
            rho,
            upper,
            n,
        });
        self.is_thin = false;
        let width = self.open.len();
        self.open = bracket..(bracket + width).min(self.brackets.len());
        self.entered.fill(0);
    }

    /// How well the order at the first rung agrees with that at the next, by the hedge.
    pub(super) fn trust(&self) -> Option<Correlation> {
        self.guard.as_ref()?.get(self.open.start + 1)?.correlation()
    }

    /// Whether the guard is on.
    pub(super) const fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    pub(super) fn rung(&self, at: At) -> &Rung {
        &self.brackets[at.0][at.1]
    }

    /// The lowest open bracket.
    pub(super) fn base(&self) -> (usize, &[Rung]) {
        (self.open.start, &self.brackets[self.open.start])
    }

    /// Where the leg after this rung ends.
    pub(super) fn after(&self, at: At) -> Epochs {
        self.rungs.next(self.rung(at).at())
    }

    /// How many levels the rung is above the lowest.
    pub(super) const fn level(at: At) -> usize {
        at.0 + at.1
    }

    /// Where a trial has been recorded last, and how it stood.
    pub(super) fn seat(&self, trial: TrialId) -> Option<(At, Standing)> {
        let seat = self.seats.get(&trial)?;
        let (rung, standing) = seat.reached?;
        Some(((seat.bracket, rung), standing))
    }

    pub(super) fn park(&mut self, trial: TrialId) {
        if let Some((at, standing)) = self.seat(trial) {
            self.brackets[at.0][at.1].park(standing);
        }
    }

    pub(super) fn take(&mut self, trial: TrialId) {
        if let Some((at, standing)) = self.seat(trial) {
            self.brackets[at.0][at.1].take(&standing);
        }
    }

    /// All rungs, those of the most epochs first; among equals the earlier bracket.
    pub(super) fn top_down(&self) -> impl Iterator<Item = At> + '_ {
        let n = self.rungs.judged().len();
        (0..n)
            .rev()
            .flat_map(|level| (0..=level).map(move |bracket| (bracket, level - bracket)))
    }

    pub(super) fn sizes(&self) -> Vec<usize> {
        let size = |level: usize| (0..=level).map(|b| self.brackets[b][level - b].len()).sum();
        (0..self.rungs.judged().len()).map(size).collect()
    }

    /// What was found since this was asked last.
    pub(super) fn take_found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }
}

impl Seat {
    const fn new(bracket: usize) -> Self {
        Self {
            bracket,
            reached: None,
            below: None,
        }
    }
}

/// `ceil(n * eta^s / (s + 1))` of a bracket with `s` rungs under R, where there are `n` brackets with HyperBand's
/// own last one, which judges nobody (Li et al., "Hyperband", JMLR 2018, algorithm 1).
fn hyperband_share(eta: u32, s: usize, n: usize) -> u64 {
    let size = u64::from(eta).saturating_pow(u32::try_from(s).unwrap_or(u32::MAX));
    size.saturating_mul(n as u64).div_ceil(s as u64 + 1)
}
