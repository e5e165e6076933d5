//! What is searched: domains of single parameters, and spaces of several.
//!
//! Read `domain` for the twelve kinds of Ludwig, `space` for assignments, the unit cube and hashes.

mod domain;
mod lattice;
#[expect(
    clippy::module_inception,
    reason = "the file is named by its one noun, as the others are"
)]
mod space;

pub use domain::Domain;
pub use space::{Assignment, Parameter, Space};
