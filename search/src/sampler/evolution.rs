//! Regularised evolution: the best of a few, changed a little.
//!
//! Real et al., "Regularized Evolution for Image Classifier Architecture Search" (AAAI 2019), Algorithm 1: of
//! the youngest trials a sample is drawn, and its best one is the parent. A mutation is of one parameter
//! mostly; ours is of each with probability 1 / parameters, at least one, by a step on the scale of its domain
//! or, for a list, to another value. A quarter of the children take each parameter from one of two parents.

use super::history::{History, Known};
use super::parzen::{Axis, Point};
use super::seen::Seen;
use super::{Observation, Origin, Sampler, Suggestion};
use crate::seed;
use crate::space::{Assignment, Space};

/// The share of the population that competes to be a parent (the paper: 25 of 100).
const COMPETING: usize = 4;

/// Children before the space about the parents is taken to be used up.
const TRIES: u32 = 50;

/// The share of children with two parents.
const CROSSED: f64 = 0.25;

/// Evolution over trials.
#[derive(Clone, Debug)]
pub struct Evolution {
    space: Space,
    axes: Vec<Axis>,
    population: usize,
    seed: u64,
    history: History,
    seen: Seen,
}

impl Evolution {
    /// A sampler over a space. `population` trials, the youngest with a score, may be parents; at least 2.
    #[must_use]
    pub fn new(space: Space, population: u32, seed: u64) -> Self {
        Self {
            axes: Axis::of(&space),
            space,
            population: usize::try_from(population).unwrap_or(usize::MAX).max(2),
            seed,
            history: History::default(),
            seen: Seen::default(),
        }
    }

    /// The best of a few drawn from the young, given with their ranks.
    fn parent<'a>(young: &[(usize, &'a Known)], rng: &mut impl rand::Rng) -> &'a Known {
        let n = (young.len() / COMPETING).max(2);
        let mut best = young[below(young.len(), rng)];
        for _ in 1..n {
            let other = young[below(young.len(), rng)];
            if other.0 < best.0 {
                best = other;
            }
        }
        best.1
    }

    /// A child of the young.
    fn child(&self, young: &[(usize, &Known)], rng: &mut impl rand::Rng) -> Point {
        let first = Self::parent(young, rng);
        let crossed = seed::unit(rng) < CROSSED;
        let second = Self::parent(young, rng);
        let n = self.axes.len();
        let must = below(n, rng);
        let mut child = Vec::with_capacity(n);
        for (i, axis) in self.axes.iter().enumerate() {
            let change = i == must || below(n, rng) == 0;
            let heir = if crossed && seed::unit(rng) < 0.5 {
                second
            } else {
                first
            };
            let gene = heir.at[i].or(first.at[i]);
            let fresh = axis.step(gene, change, rng);
            child.push(self.space.exists_at(i, &child).then_some(fresh));
        }
        child
    }

    fn propose(&mut self, rng: &mut impl rand::Rng) -> Option<(Assignment, Origin)> {
        let young = self.history.youngest(self.population);
        if young.len() >= 2 && !self.axes.is_empty() {
            for _ in 0..TRIES {
                let child = self.child(&young, rng);
                let point: Vec<f64> = child.iter().map(|x| x.unwrap_or(0.5)).collect();
                let assignment = self.space.at(&point);
                if self.seen.insert(&assignment) {
                    return Some((assignment, Origin::Evolution));
                }
            }
        }
        let space = &self.space;
        let assignment = self.seen.draw_new(space, rng, |unit| {
            let point: Vec<f64> = (0..space.n_dimensions()).map(|_| unit()).collect();
            space.at(&point)
        })?;
        Some((assignment, Origin::Random))
    }
}

fn below(n: usize, rng: &mut impl rand::Rng) -> usize {
    super::parzen::place(seed::unit(rng), n)
}

impl Sampler for Evolution {
    fn ask(&mut self, trial: u64) -> Option<Suggestion> {
        let mut rng = seed::rng(seed::derive(self.seed, "sampler.evolution", trial));
        let (assignment, origin) = self.propose(&mut rng)?;
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
