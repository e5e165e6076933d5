//! The verb `prepare`: from a decoded table and a config to the arrays that all trials share.
//!
//! `recipe` translates a config into what is wanted of the table; `run` has the arrays made (by
//! `datasets::store`), and puts the constant model in place, so that a run has a model from its start.

mod recipe;
mod run;

pub use recipe::recipe;
pub use run::{main, run};

#[cfg(test)]
mod tests;
