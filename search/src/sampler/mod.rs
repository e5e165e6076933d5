//! What proposes assignments.
//!
//! `sampler` has the trait; `layered` is the default order of samplers; `tpe` learns, by the densities of
//! `parzen`; `evolution` changes what did well; `history` is what one that learns knows; `seen` refuses what was tried before.

mod evolution;
mod grid;
mod history;
mod layered;
mod parzen;
mod random;
#[expect(
    clippy::module_inception,
    reason = "the file is named by its one noun, as the others are"
)]
mod sampler;
mod seen;
mod sobol;
mod tpe;

pub use evolution::Evolution;
pub use grid::Grid;
pub use layered::Layered;
pub use random::Random;
pub use sampler::{Observation, Origin, Sampler, State, Suggestion};
pub use sobol::Sobol;
pub use tpe::{Tpe, TpeOptions};

#[cfg(test)]
mod tests;
