//! A tree-structured Parzen estimator: what the good trials have that the others have not.
//!
//! Bergstra et al., "Algorithms for Hyper-Parameter Optimization" (NeurIPS 2011), section 4: candidates are
//! drawn from the density of the good trials, and the one with the largest ratio of that density to the
//! density of the others is tried. The densities are in `parzen`.
//!
//! Trials of unequal length are ordered by how far they came, then by score, as Optuna orders pruned ones.
//! What runs without a score counts as bad (a constant liar, Ginsbourger et al. 2010), and so does what
//! failed: its score never enters, its place does.

use super::history::History;
use super::parzen::{Axis, Mixture, Point};
use super::seen::Seen;
use super::{Observation, Origin, Sampler, Suggestion};
use crate::seed;
use crate::space::{Assignment, Space};

/// Of the trials behind, so many enter the model at most, evenly taken; bounds the time of a suggestion.
const MAX_BEHIND: usize = 1000;

/// What a `Tpe` can be told.
///
/// The defaults are the best found over the four functions of `benches/sampler_quality.py`. More good trials
/// (15 %, or at least one more than there are axes, as BOHB has it) and more random draws (20 %) ended worse
/// there than Optuna; `max_good` is Optuna's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TpeOptions {
    /// Trials with a score before the model proposes.
    pub n_startup: usize,
    /// Points drawn from the good, of which the best is taken.
    pub n_candidates: usize,
    /// The share of trials that counts as good, in (0, 1).
    pub gamma: f64,
    /// Trials that count as good at least, where there are so many.
    pub least_good: usize,
    /// Trials that count as good at most.
    pub max_good: usize,
    /// The share of suggestions that are random draws, in [0, 1).
    pub random_share: f64,
}

impl Default for TpeOptions {
    fn default() -> Self {
        Self {
            n_startup: 10,
            n_candidates: 24,
            gamma: 0.07,
            least_good: 2,
            max_good: 25,
            random_share: 0.1,
        }
    }
}

/// A tree-structured Parzen estimator.
#[derive(Clone, Debug)]
pub struct Tpe {
    space: Space,
    axes: Vec<Axis>,
    seed: u64,
    options: TpeOptions,
    history: History,
    seen: Seen,
}

impl Tpe {
    /// A sampler over a space. What it draws for a trial depends on the seed, its number, and what was told.
    #[must_use]
    pub fn new(space: Space, options: TpeOptions, seed: u64) -> Self {
        Self {
            axes: Axis::of(&space),
            space,
            seed,
            options,
            history: History::default(),
            seen: Seen::default(),
        }
    }

    /// What the model thinks best, or a random draw when all its candidates were tried before.
    fn propose(&mut self, rng: &mut impl rand::Rng) -> Option<(Assignment, Origin)> {
        let n_good = self.n_good();
        let (good, bad) = self.history.split(n_good, MAX_BEHIND);
        let good: Vec<&[Option<f64>]> = good.iter().map(|known| known.at.as_slice()).collect();
        let bad: Vec<&[Option<f64>]> = bad.iter().map(|known| known.at.as_slice()).collect();
        let (good, bad) = (
            Mixture::new(&self.axes, &good),
            Mixture::new(&self.axes, &bad),
        );
        let mut scratch = Vec::new();
        let mut candidates: Vec<(f64, Point)> = (0..self.options.n_candidates)
            .map(|_| {
                let point = good.draw(rng, |axis, before| self.space.exists_at(axis, before));
                let ratio =
                    good.ln_density(&point, &mut scratch) - bad.ln_density(&point, &mut scratch);
                (ratio, point)
            })
            .collect();
        // A stable sort: of equals the first drawn.
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, point) in candidates {
            let point: Vec<f64> = point.iter().map(|x| x.unwrap_or(0.5)).collect();
            let assignment = self.space.at(&point);
            if self.seen.insert(&assignment) {
                return Some((assignment, Origin::Tpe));
            }
        }
        self.random(rng)
    }

    fn random(&mut self, rng: &mut impl rand::Rng) -> Option<(Assignment, Origin)> {
        let space = &self.space;
        let assignment = self.seen.draw_new(space, rng, |unit| {
            let point: Vec<f64> = (0..space.n_dimensions()).map(|_| unit()).collect();
            space.at(&point)
        })?;
        Some((assignment, Origin::Random))
    }

    /// As many as a share of those with a score.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a share of a count of trials"
    )]
    fn n_good(&self) -> usize {
        let n = self.history.n_scored();
        let share = (self.options.gamma * n as f64).ceil() as usize;
        share
            .min(self.options.max_good)
            .max(self.options.least_good)
            .min(n)
    }
}

impl Sampler for Tpe {
    fn ask(&mut self, trial: u64) -> Option<Suggestion> {
        let mut rng = seed::rng(seed::derive(self.seed, "sampler.tpe", trial));
        let is_random = seed::unit(&mut rng) < self.options.random_share
            || self.history.n_scored() < self.options.n_startup.max(1);
        let (assignment, origin) = if is_random {
            self.random(&mut rng)?
        } else {
            self.propose(&mut rng)?
        };
        self.history.begin(&self.space, trial, &assignment);
        Some(Suggestion { assignment, origin })
    }

    fn tell(&mut self, observation: &Observation) {
        self.history.tell(observation);
    }

    fn recall(&mut self, trial: u64, suggestion: &Suggestion) {
        self.seen.insert(&suggestion.assignment);
        self.history
            .begin(&self.space, trial, &suggestion.assignment);
    }
}
