//! Prepared arrays on disk: written once, mapped by every trial.
//!
//! A folder holds `manifest.json` and raw little-endian arrays. [`Recipe`] says what is wanted,
//! [`build`] writes it (aside, then renamed, under a lock), [`Prepared`] reads it.

mod error;
mod manifest;
mod prepared;
mod recipe;

pub use error::StoreError;
pub use manifest::{Manifest, SplitFacts, VERSION};
pub use prepared::Prepared;
pub use recipe::{InputKind, InputPlan, Recipe, RowFill, Sample, TargetPlan};

pub use crate::split::Part;
