//! A cap on the rungs that grows only when the top one changes the order: progressive ASHA.
//!
//! Bohdal et al., "PASHA: Efficient HPO and NAS with Progressive Resource Allocation" (ICLR 2023), algorithm 1 with
//! the soft ranking of section 4.1. Trials go no higher than the second rung at first. Whenever one is scored at the
//! top rung that is open, those there are compared with their order one rung below; when one stands outside the
//! group of about equal scores that its place had below, the next rung opens. What is about equal is measured:
//! the 90th percentile of the gaps between pairs whose order flipped and flipped back (section 4.2). It is 0 until
//! such a pair was seen.
//!
//! Deviation: the best 32 of the top rung are compared, not all, so that a verdict's cost stays bounded.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{Epochs, TrialId};
use crate::score::Score;

/// How many of the top rung are compared.
const COMPARED: usize = 32;

/// The percentile of the gaps of noisy pairs that still counts as equal.
const PERCENTILE: f64 = 0.9;

/// Which rungs are open, and the curves that it is decided by.
#[derive(Clone, Debug)]
pub(super) struct Cap {
    /// The highest level that is open; trials that have reached it wait.
    top: usize,
    /// Finite scores of each trial, by epochs.
    curves: BTreeMap<TrialId, BTreeMap<Epochs, f64>>,
}

/// Why the cap has risen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Raise {
    /// Trials that were compared.
    pub(super) n: usize,
    /// What counts as equal.
    pub(super) epsilon: f64,
}

impl Cap {
    pub(super) const fn new() -> Self {
        Self {
            top: 1,
            curves: BTreeMap::new(),
        }
    }

    /// The highest level that is open.
    pub(super) const fn top(&self) -> usize {
        self.top
    }

    /// Remembers a score.
    pub(super) fn watch(&mut self, trial: TrialId, epochs: Epochs, score: Score) {
        if let Some(loss) = score.loss() {
            self.curves.entry(trial).or_default().insert(epochs, loss);
        }
    }

    /// Opens the next rung when the order at the top one is not that of one below. `best` are the trials at the top
    /// rung, best first; `below` and `here` the two levels.
    pub(super) fn reconsider(
        &mut self,
        best: impl Iterator<Item = TrialId>,
        (below, here): (Epochs, Epochs),
    ) -> Option<Raise> {
        let best: Vec<(TrialId, f64, f64)> = best
            .filter_map(|trial| {
                let curve = self.curves.get(&trial)?;
                Some((trial, at(curve, below)?, at(curve, here)?))
            })
            .take(COMPARED)
            .collect();
        let epsilon = self.epsilon(&best, (below, here));
        if is_same_order(&best, epsilon) {
            return None;
        }
        self.top += 1;
        Some(Raise {
            n: best.len(),
            epsilon,
        })
    }

    /// The 90th percentile of the gaps of pairs that have changed places and changed back; 0 without any.
    fn epsilon(&self, trials: &[(TrialId, f64, f64)], (below, here): (Epochs, Epochs)) -> f64 {
        let mut gaps = Vec::new();
        for (i, (a, _, _)) in trials.iter().enumerate() {
            for (b, _, _) in &trials[i + 1..] {
                gaps.extend(noisy_gap(&self.curves[a], &self.curves[b], (below, here)));
            }
        }
        gaps.sort_by(f64::total_cmp);
        percentile(&gaps, PERCENTILE)
    }
}

/// The best score up to here, as rungs judge it.
fn at(curve: &BTreeMap<Epochs, f64>, epochs: Epochs) -> Option<f64> {
    let so_far = curve.range(..=epochs).map(|(_, loss)| *loss);
    so_far.min_by(f64::total_cmp)
}

/// The gap of two curves at the last epoch of both above `below`, when before it their order was another, and still
/// before the same.
fn noisy_gap(
    a: &BTreeMap<Epochs, f64>,
    b: &BTreeMap<Epochs, f64>,
    (below, here): (Epochs, Epochs),
) -> Option<f64> {
    let of_both = a
        .range(..=here)
        .rev()
        .filter_map(|(epochs, a)| Some((*epochs, *a, *b.get(epochs)?)));
    let mut both = of_both;
    let (last, a, b) = both.next()?;
    let order = a > b;
    let mut before = both.map(|(_, a, b)| a > b);
    // `any` goes on where it stopped: first another order, then the same again.
    let flipped = before.any(|other| other != order) && before.any(|other| other == order);
    (last > below && flipped).then(|| (a - b).abs())
}

/// The value at a share of sorted values, between neighbours; 0 of none.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let position = share * f64::from(u32::try_from(last).unwrap_or(u32::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of an index is an index"
    )]
    let lower = position.floor() as usize;
    let upper = (lower + 1).min(last);
    sorted[lower] + (sorted[upper] - sorted[lower]) * position.fract()
}

/// Whether each trial, at its place by the score here, is about as good below as the one that had the place there.
fn is_same_order(best: &[(TrialId, f64, f64)], epsilon: f64) -> bool {
    let mut by_here = best.to_vec();
    by_here.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.0.cmp(&b.0)));
    let mut by_below = best.to_vec();
    by_below.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    by_here.iter().zip(&by_below).all(|(here, place)| {
        let group: BTreeSet<TrialId> = by_below
            .iter()
            .filter(|other| (other.1 - place.1).abs() <= epsilon)
            .map(|other| other.0)
            .collect();
        group.contains(&here.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(curves: &[&[(Epochs, f64)]]) -> Cap {
        let mut cap = Cap::new();
        for (trial, curve) in (0..).zip(curves) {
            for (epochs, loss) in *curve {
                cap.watch(TrialId(trial), *epochs, Score::from_loss(*loss));
            }
        }
        cap
    }

    fn raise(cap: &mut Cap, n: u32) -> Option<Raise> {
        cap.reconsider((0..n).map(TrialId), (1, 3))
    }

    #[test]
    fn the_cap_stays_while_the_order_does_and_rises_when_it_changes() {
        let mut same = watched(&[&[(1, 0.5), (3, 0.4)], &[(1, 0.6), (3, 0.5)]]);
        assert_eq!((raise(&mut same, 2), same.top()), (None, 1));
        let mut other = watched(&[&[(1, 0.5), (3, 0.4)], &[(1, 0.6), (3, 0.3)]]);
        let found = raise(&mut other, 2);
        assert_eq!(found, Some(Raise { n: 2, epsilon: 0.0 }));
        assert_eq!(other.top(), 2);
    }

    #[test]
    fn one_trial_alone_or_none_raises_nothing() {
        let mut one = watched(&[&[(1, 0.5), (3, 0.4)]]);
        assert_eq!(raise(&mut one, 1), None);
        assert_eq!(raise(&mut Cap::new(), 5), None);
    }

    #[test]
    fn a_change_within_the_noise_of_curves_that_cross_twice_is_none() {
        // 0 and 1 cross and cross back, 0.01 apart at 3; 2 and 3 change places with a gap as small.
        let curves: [&[(Epochs, f64)]; 4] = [
            &[(1, 0.50), (2, 0.42), (3, 0.40)],
            &[(1, 0.51), (2, 0.41), (3, 0.41)],
            &[(1, 0.800), (3, 0.705)],
            &[(1, 0.805), (3, 0.700)],
        ];
        let mut cap = watched(&curves);
        assert_eq!(raise(&mut cap, 4), None);
        let mut cap = watched(&curves[2..]);
        assert!(
            raise(&mut cap, 2).is_some(),
            "without a noisy pair nothing is about equal"
        );
    }

    #[test]
    fn what_is_not_finite_is_not_remembered() {
        let cap = watched(&[&[(1, f64::NAN), (2, f64::NEG_INFINITY)]]);
        assert!(cap.curves.is_empty());
    }

    #[test]
    fn percentiles_lie_between_neighbours() {
        assert!((percentile(&[0.0, 1.0, 2.0], 0.9) - 1.8).abs() < 1e-12);
        assert!(
            percentile(&[], 0.9).abs() < 1e-12 && (percentile(&[3.0], 0.9) - 3.0).abs() < 1e-12
        );
    }
}
