//! What proposes assignments. `sampler` has the trait; `layered` is the default; `seen` refuses what was
//! tried before.

mod grid;
mod layered;
mod random;
#[expect(
    clippy::module_inception,
    reason = "the file is named by its one noun, as the others are"
)]
mod sampler;
mod seen;
mod sobol;

pub use grid::Grid;
pub use layered::Layered;
pub use random::Random;
pub use sampler::{Observation, Origin, Sampler, Suggestion};
pub use sobol::Sobol;

#[cfg(test)]
mod tests;
