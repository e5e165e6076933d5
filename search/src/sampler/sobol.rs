//! A scrambled Sobol sequence: it covers the cube evenly from the first points on.
//!
//! Burley, "Practical Hash-based Owen Scrambling" (JCGT 2020). Even cover is a property of the first 2^m
//! points: stop at a power of two.

use super::seen::Seen;
use super::{Observation, Origin, Sampler, Suggestion};
use crate::seed;
use crate::space::{Assignment, Space};

/// The generator's limits: points of one sequence, and its dimensions. Past either another seed is taken.
const POINTS: u64 = 1 << 16;
const DIMENSIONS: u32 = 256;

/// Points that may be duplicates before the space is taken to be used up by this sequence.
const SKIPS: u32 = 1000;

/// A scrambled Sobol sequence.
#[derive(Clone, Debug)]
pub struct Sobol {
    space: Space,
    seed: u64,
    seen: Seen,
    /// The next point.
    next: u64,
}

impl Sobol {
    /// A sampler over a space.
    #[must_use]
    pub fn new(space: Space, seed: u64) -> Self {
        Self {
            space,
            seed,
            seen: Seen::default(),
            next: 0,
        }
    }

    /// Never suggests this one.
    pub(super) fn exclude(&mut self, assignment: &Assignment) -> bool {
        self.seen.insert(assignment)
    }

    /// Points taken so far, duplicates included.
    pub(super) const fn n_taken(&self) -> u64 {
        self.next
    }

    /// Takes the next point; nothing when it is a duplicate.
    pub(super) fn take(&mut self) -> Option<Suggestion> {
        let assignment = self.space.at(&self.point(self.next));
        self.next += 1;
        self.seen.insert(&assignment).then_some(Suggestion {
            assignment,
            origin: Origin::Sobol,
        })
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the seed is cut to the generator's 32 bits; indices lie below its limits"
    )]
    fn point(&self, i: u64) -> Vec<f64> {
        (0..self.space.n_dimensions() as u32)
            .map(|axis| {
                let sequence = (i / POINTS) << 32 | u64::from(axis / DIMENSIONS);
                let seed = seed::derive(self.seed, "sampler.sobol", sequence) as u32;
                f64::from(sobol_burley::sample(
                    (i % POINTS) as u32,
                    axis % DIMENSIONS,
                    seed,
                ))
            })
            .collect()
    }
}

impl Sampler for Sobol {
    fn ask(&mut self, trial: u64) -> Option<Suggestion> {
        if let Some(suggestion) = (0..SKIPS).find_map(|_| self.take()) {
            return Some(suggestion);
        }
        // Only a small finite space repeats itself for so long: take what is left of it.
        let mut rng = seed::rng(seed::derive(self.seed, "sampler.sobol.rest", trial));
        let space = &self.space;
        let assignment = self.seen.draw_new(space, &mut rng, |unit| {
            let point: Vec<f64> = (0..space.n_dimensions()).map(|_| unit()).collect();
            space.at(&point)
        })?;
        Some(Suggestion {
            assignment,
            origin: Origin::Random,
        })
    }

    fn tell(&mut self, _: &Observation) {}

    fn recall(&mut self, _: u64, suggestion: &Suggestion) {
        if suggestion.origin == Origin::Sobol {
            // Points before it that were skipped as duplicates are skipped again.
            while self.next < POINTS {
                let assignment = self.space.at(&self.point(self.next));
                self.next += 1;
                if Space::hash(&assignment) == Space::hash(&suggestion.assignment) {
                    break;
                }
            }
        }
        self.exclude(&suggestion.assignment);
    }
}
