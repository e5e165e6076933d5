//! The default order of trying: what is known to be good, then even cover, then what a last sampler thinks.

use std::collections::VecDeque;

use super::{Observation, Origin, Sampler, Sobol, Suggestion};
use crate::space::{Assignment, Space};

/// The tuned default, then listed points, then a Sobol sequence, then another sampler.
pub struct Layered {
    /// What is tried first, in order.
    first: VecDeque<Suggestion>,
    sobol: Sobol,
    /// Sobol points to take in all; a power of two.
    n_sobol: u64,
    /// What proposes in the end. It hears of every suggestion and of all that comes of it.
    last: Box<dyn Sampler>,
}

impl Layered {
    /// A sampler over a space.
    ///
    /// `default` holds what the base config says for the searched parameters, so that it is not suggested
    /// twice; it is suggested first, as it stands. `points` follow in order. `n_sobol` is rounded up to a
    /// power of two; 0 for none. `last` proposes after that, and must be over the same space.
    #[must_use]
    pub fn new(
        space: &Space,
        default: Option<Assignment>,
        points: Vec<Assignment>,
        n_sobol: u32,
        last: Box<dyn Sampler>,
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
            last,
        }
    }
}

impl Sampler for Layered {
    fn ask(&mut self, trial: u64) -> Option<Suggestion> {
        let suggestion = loop {
            let Some(suggestion) = self.first.pop_front() else {
                break None;
            };
            if self.sobol.exclude(&suggestion.assignment) {
                break Some(suggestion);
            }
        };
        let suggestion = suggestion.or_else(|| {
            while self.sobol.n_taken() < self.n_sobol {
                if let Some(suggestion) = self.sobol.take() {
                    return Some(suggestion);
                }
            }
            None
        });
        let Some(suggestion) = suggestion else {
            return self.last.ask(trial);
        };
        self.last.recall(trial, &suggestion);
        Some(suggestion)
    }

    fn tell(&mut self, observation: &Observation) {
        self.last.tell(observation);
    }

    fn recall(&mut self, trial: u64, suggestion: &Suggestion) {
        match suggestion.origin {
            Origin::Default | Origin::Portfolio => {
                self.first
                    .retain(|waiting| waiting.assignment != suggestion.assignment);
            }
            Origin::Sobol => self.sobol.recall(trial, suggestion),
            // It was suggested by the last sampler: all before it had their turn.
            Origin::Grid | Origin::Random | Origin::Tpe | Origin::Gp | Origin::Evolution => {}
        }
        self.sobol.exclude(&suggestion.assignment);
        self.last.recall(trial, suggestion);
    }
}
