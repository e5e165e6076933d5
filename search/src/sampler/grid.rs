//! Every assignment in turn, the last parameter turning fastest.

use super::seen::Seen;
use super::{Observation, Origin, Sampler, Suggestion};
use crate::error::ConfigError;
use crate::space::Space;

/// Every assignment of a finite space in turn.
#[derive(Clone, Debug)]
pub struct Grid {
    space: Space,
    seen: Seen,
    /// The next one.
    next: u128,
}

impl Grid {
    /// A sampler over a finite space.
    ///
    /// # Errors
    /// One for each parameter that has no end of values.
    pub fn new(space: Space) -> Result<Self, Vec<ConfigError>> {
        let endless: Vec<ConfigError> = space
            .parameters()
            .iter()
            .filter(|parameter| parameter.domain.size().is_none())
            .map(|parameter| ConfigError {
                file: String::new(),
                line: None,
                path: format!("hyperopt.parameters.{}", parameter.name),
                what: "a grid needs a finite set of values".to_owned(),
                hint: Some(
                    "use grid_search, choice, randint or quniform, or another search_alg"
                        .to_owned(),
                ),
            })
            .collect();
        if endless.is_empty() {
            Ok(Self {
                space,
                seen: Seen::default(),
                next: 0,
            })
        } else {
            Err(endless)
        }
    }
}

impl Sampler for Grid {
    fn ask(&mut self, _: u64) -> Option<Suggestion> {
        loop {
            let assignment = self.space.nth(self.next)?;
            self.next += 1;
            if self.seen.insert(&assignment) {
                return Some(Suggestion {
                    assignment,
                    origin: Origin::Grid,
                });
            }
        }
    }

    fn tell(&mut self, _: &Observation) {}

    fn recall(&mut self, _: u64, suggestion: &Suggestion) {
        self.seen.insert(&suggestion.assignment);
    }
}
