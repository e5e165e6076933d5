//! What is searched: domains of single parameters, and spaces of several.
//!
//! Read `domain` for the twelve kinds of Ludwig, `condition` for parameters that exist only beside certain
//! values of others, `space` for assignments, the unit cube and hashes.

mod condition;
mod domain;
mod lattice;
mod listing;
#[expect(
    clippy::module_inception,
    reason = "the file is named by its one noun, as the others are"
)]
mod space;

pub use condition::Condition;
pub use domain::Domain;
pub use space::{Assignment, Parameter, Space};
