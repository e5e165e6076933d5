//! Prepared arrays on disk: written once, mapped by every trial.
//!
//! A folder holds `manifest.json` and raw little-endian arrays. [`Recipe`] says what is wanted,
//! [`build`] writes it (aside, then renamed, under a lock), [`Prepared`] reads it.

mod build;
mod divide;
mod error;
mod keys;
mod manifest;
mod pipeline;
mod prepared;
mod recipe;
mod rows;
mod writer;

pub use build::{Outcome, Progress, Tables, build};
pub use error::StoreError;
pub use manifest::{Manifest, SplitFacts, VERSION};
pub use prepared::Prepared;
pub use recipe::{Recipe, Sample};

pub use crate::split::Part;
