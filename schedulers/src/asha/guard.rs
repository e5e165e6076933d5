//! Whether a rung's order can be trusted: measured on trials that were not judged there.
//!
//! Curves that cross sink every halving that judges before the crossing. So a quarter of new trials starts one
//! level higher (the hedge) and is only watched at the level below. Spearman's rho of their scores there and at
//! their first rung says what the lower rung's verdicts are worth. Trials that were promoted cannot say it: they
//! are a selected sample.
//!
//! The bounds are those of Fisher's transformation, with the variance 1.06 / (n - 3) that Fieller, Hartley and
//! Pearson give for ranks (Biometrika 44, 1957).

use std::collections::VecDeque;

use crate::score::Score;

/// Pairs that are kept: the last ones. With more the bounds would hardly narrow, and an old order would count.
const KEPT: usize = 100;

/// Pairs before anything is concluded.
const MIN_PAIRS: usize = 8;

/// A rung is given up when rho is this low at most, by the upper bound.
pub(super) const DISTRUST: f64 = 0.4;

/// A rung is trusted when rho is this high at least, by the lower bound. Then the hedge is thinned out.
pub(super) const TRUST: f64 = 0.6;

/// One new trial in so many still starts in the hedge of a trusted rung: a sampler moves on to where other curves are.
pub(super) const THIN: u64 = 16;

/// A rung's order is as good as that of the next when rho is this high.
pub(super) const AGREEMENT: f64 = 0.9;

/// The 90 % quantile of the normal distribution: each bound is one-sided.
const QUANTILE: f64 = 1.281_551_565_544_6;

/// Scores of the same trials at one level and at the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs(VecDeque<(Score, Score)>);

/// A measured rank correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// Spearman's rho.
    pub rho: f64,
    /// It is hardly lower than this: 90 %.
    pub lower: f64,
    /// It is hardly higher than this: 90 %.
    pub upper: f64,
    /// Trials behind it.
    pub n: usize,
}

impl Pairs {
    /// Takes a trial's score at the lower level and at the next. What is not finite says nothing of the order.
    pub(super) fn take(&mut self, below: Score, here: Score) {
        if below.is_finite() && here.is_finite() {
            if self.0.len() == KEPT {
                self.0.pop_front();
            }
            self.0.push_back((below, here));
        }
    }

    /// The correlation; nothing before there are enough pairs.
    #[must_use]
    pub(super) fn correlation(&self) -> Option<Correlation> {
        if self.0.len() < MIN_PAIRS {
            return None;
        }
        let below: Vec<Score> = self.0.iter().map(|pair| pair.0).collect();
        let here: Vec<Score> = self.0.iter().map(|pair| pair.1).collect();
        let rho = spearman(&below, &here);
        // At rho = 1 the transformation is infinite, and so are its bounds 1.
        let z = rho.clamp(-1.0 + 1e-12, 1.0 - 1e-12).atanh();
        let half = QUANTILE * (1.06 / (count(self.0.len()) - 3.0)).sqrt();
        Some(Correlation {
            rho,
            lower: (z - half).tanh(),
            upper: (z + half).tanh(),
            n: self.0.len(),
        })
    }
}

/// Spearman's rho: the correlation of ranks, those of ties being their mean; 0 where one side is all ties.
#[must_use]
pub fn spearman(a: &[Score], b: &[Score]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (count(a.len()) - 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean) * (y - mean)).sum()
    };
    let norm = (product(&a, &a) * product(&b, &b)).sqrt();
    if norm > 0.0 {
        product(&a, &b) / norm
    } else {
        0.0
    }
}

/// Ranks from 0; ties share the mean of theirs.
fn ranks(scores: &[Score]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by_key(|i| scores[*i]);
    let mut ranks = vec![0.0; scores.len()];
    let mut done = 0;
    for ties in order.chunk_by(|a, b| scores[*a] == scores[*b]) {
        let mean = count(done) + (count(ties.len()) - 1.0) / 2.0;
        ties.iter().for_each(|i| ranks[*i] = mean);
        done += ties.len();
    }
    ranks
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(losses: &[f64]) -> Vec<Score> {
        losses.iter().map(|loss| Score::from_loss(*loss)).collect()
    }

    fn pairs(pairs: &[(f64, f64)]) -> Pairs {
        let mut all = Pairs::default();
        for (below, here) in pairs {
            all.take(Score::from_loss(*below), Score::from_loss(*here));
        }
        all
    }

    #[test]
    fn rho_is_that_of_the_textbook_and_of_scipy() {
        let check = |a: &[f64], b: &[f64], expected: f64| {
            let rho = spearman(&scores(a), &scores(b));
            assert!((rho - expected).abs() < 1e-12, "{rho} {expected}");
        };
        check(&[1., 2., 3.], &[10., 20., 90.], 1.0);
        check(&[1., 2., 3.], &[3., 2., 1.], -1.0);
        // 1 - 6 * (1 + 1 + 1 + 1) / (5 * 24).
        check(&[1., 2., 3., 4., 5.], &[2., 1., 4., 3., 5.], 0.8);
        // scipy.stats.spearmanr([1, 2, 2, 3], [1, 3, 2, 4]).
        check(
            &[1., 2., 2., 3.],
            &[1., 3., 2., 4.],
            0.948_683_298_050_513_9,
        );
        check(&[1., 1., 1.], &[1., 2., 3.], 0.0);
        check(&[], &[], 0.0);
    }

    #[test]
    fn bounds_come_with_eight_pairs_and_narrow_with_more() {
        let line = |n: u32| -> Vec<(f64, f64)> {
            (0..n)
                .map(|i| (f64::from(i), f64::from(i * 7 % 11)))
                .collect()
        };
        assert_eq!(pairs(&line(7)).correlation(), None);
        let (few, many) = (
            pairs(&line(11)).correlation().expect("eleven"),
            pairs(&line(99)).correlation().expect("99"),
        );
        for found in [few, many] {
            assert!(
                found.lower < found.rho && found.rho < found.upper,
                "{found:?}"
            );
        }
        assert!(many.upper - many.lower < few.upper - few.lower);
        let perfect: Vec<(f64, f64)> = (0..20).map(|i| (f64::from(i), f64::from(i))).collect();
        let perfect = pairs(&perfect).correlation().expect("twenty");
        assert!(perfect.lower > 0.99 && perfect.upper <= 1.0, "{perfect:?}");
    }

    #[test]
    fn what_is_not_finite_is_no_pair_and_only_the_last_hundred_are_kept() {
        let mut all = pairs(&[(f64::NAN, 1.0), (1.0, f64::INFINITY)]);
        assert!(all.0.is_empty());
        for i in 0..300 {
            all.take(Score::from_loss(f64::from(i)), Score::from_loss(0.0));
        }
        assert_eq!((all.0.len(), all.0[0].0), (100, Score::from_loss(200.0)));
    }
}
