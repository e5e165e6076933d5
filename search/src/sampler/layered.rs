//! The default order of trying: what is known to be good, then even cover, then chance.

use std::collections::VecDeque;

use super::{Observation, Origin, Random, Sampler, Sobol, Suggestion};
use crate::space::{Assignment, Space};

/// The tuned default, then listed points, then a Sobol sequence, then random draws.
#[derive(Clone, Debug)]
pub struct Layered {
    /// What is tried first, in order.
    first: VecDeque<Suggestion>,
    sobol: Sobol,
    /// Sobol points to take in all; a power of two.
    n_sobol: u64,
    random: Random,
}

impl Layered {
    /// A sampler over a space.
    ///
    /// `default` holds what the base config says for the searched parameters, so that it is not suggested
    /// twice; it is suggested first, as it stands. `points` follow in order. `n_sobol` is rounded up to a
    /// power of two; 0 for none.
    #[must_use]
    pub fn new(
        space: &Space,
        default: Option<Assignment>,
        points: Vec<Assignment>,
        n_sobol: u32,
        seed: u64,
    ) -> Self {
        let default = default.into_iter().map(|assignment| Suggestion {
            assignment,
            origin: Origin::Default,
        });
        let points = points.into_iter().map(|assignment| Suggestion {
            assignment,
            origin: Origin::Portfolio,
        });
        Self {
            first: default.chain(points).collect(),
            sobol: Sobol::new(space.clone(), seed),
            n_sobol: if n_sobol == 0 {
                0
            } else {
                u64::from(n_sobol).next_power_of_two()
            },
            random: Random::new(space.clone(), seed),
        }
    }

    /// Never suggests this one again; false when it was suggested before.
    fn exclude(&mut self, assignment: &Assignment) -> bool {
        let new = self.sobol.exclude(assignment);
        self.random.exclude(assignment) && new
    }
}

impl Sampler for Layered {
    fn ask(&mut self, trial: u64) -> Option<Suggestion> {
        while let Some(suggestion) = self.first.pop_front() {
            if self.exclude(&suggestion.assignment) {
                return Some(suggestion);
            }
        }
        while self.sobol.n_taken() < self.n_sobol {
            let new = self.sobol.take();
            if let Some(suggestion) = new.filter(|new| self.random.exclude(&new.assignment)) {
                return Some(suggestion);
            }
        }
        self.random.ask(trial)
    }

    fn tell(&mut self, _: &Observation) {}

    fn recall(&mut self, trial: u64, suggestion: &Suggestion) {
        match suggestion.origin {
            Origin::Default | Origin::Portfolio | Origin::Grid => {
                self.first
                    .retain(|waiting| waiting.assignment != suggestion.assignment);
            }
            Origin::Sobol => self.sobol.recall(trial, suggestion),
            Origin::Random => self.random.recall(trial, suggestion),
        }
        self.exclude(&suggestion.assignment);
    }
}
