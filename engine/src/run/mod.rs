//! The life of a run: the phases in their order.
//!
//! Read `start` for the order and what surrounds it, then a file a phase: `table` (open, profile; `haste` says whether to sample),
//! `base_config` (propose), `arrays` (prepare), `rules` and `search` (what is searched, and how), `finish`. `earlier` is what a run left that is gone on with; `folder` is the run on disk,
//! `stage` what every phase is given. `tune` is the way of a program, which has no table.

mod arrays;
mod base_config;
mod earlier;
mod finish;
mod folder;
mod haste;
mod rules;
mod search;
mod stage;
mod start;
mod table;
mod tune;

pub use earlier::Earlier;
pub use folder::{is_in_use, is_running};
pub(crate) use search::sampler;
pub use start::{resume, run};
