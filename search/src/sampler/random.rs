//! Independent draws. Parameters of `grid_search` are gone through in turn, and the others drawn anew for
//! each of their combinations, as Ray Tune's variant generator does.

use super::seen::Seen;
use super::{Observation, Origin, Sampler, Suggestion};
use crate::seed;
use crate::space::{Assignment, Domain, Space};

/// Independent draws.
#[derive(Clone, Debug)]
pub struct Random {
    space: Space,
    seed: u64,
    seen: Seen,
    /// Suggestions so far: where the grid stands.
    n_asked: u64,
}

impl Random {
    /// A sampler over a space. Draws for a trial depend on the seed and its number alone, but that
    /// duplicates are drawn again.
    #[must_use]
    pub fn new(space: Space, seed: u64) -> Self {
        Self {
            space,
            seed,
            seen: Seen::default(),
            n_asked: 0,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a grid is listed value by value"
)]
/// One draw from each domain, but the `turn`-th combination of those of a grid.
fn draw(space: &Space, mut turn: u64, unit: &mut dyn FnMut() -> f64) -> Assignment {
    let parameters = space.parameters();
    let mut point = vec![0.0; parameters.len()];
    for (axis, parameter) in parameters.iter().enumerate().rev() {
        let u = unit();
        point[axis] = match &parameter.domain {
            Domain::GridSearch { values } => {
                let n = values.len() as u64;
                let middle = (turn % n) as f64 + 0.5;
                turn /= n;
                middle / n as f64
            }
            Domain::Choice { .. }
            | Domain::Uniform { .. }
            | Domain::Quniform { .. }
            | Domain::Loguniform { .. }
            | Domain::Qloguniform { .. }
            | Domain::Randn { .. }
            | Domain::Qrandn { .. }
            | Domain::Randint { .. }
            | Domain::Qrandint { .. }
            | Domain::Lograndint { .. }
            | Domain::Qlograndint { .. } => u,
        };
    }
    space.at(&point)
}

impl Sampler for Random {
    fn ask(&mut self, trial: u64) -> Option<Suggestion> {
        let mut rng = seed::rng(seed::derive(self.seed, "sampler.random", trial));
        let (space, turn) = (&self.space, self.n_asked);
        let assignment = self
            .seen
            .draw_new(space, &mut rng, |unit| draw(space, turn, unit))?;
        self.n_asked += 1;
        Some(Suggestion {
            assignment,
            origin: Origin::Random,
        })
    }

    fn tell(&mut self, _: &Observation) {}

    fn recall(&mut self, _: u64, suggestion: &Suggestion) {
        self.seen.insert(&suggestion.assignment);
        self.n_asked += u64::from(suggestion.origin == Origin::Random);
    }
}
