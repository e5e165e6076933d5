//! A pure simulation of runs: the conductor as it is, with curves in place of processes. No clock; a run of a thousand
//! trials takes milliseconds.

mod lc1;
mod run;

pub use lc1::Lc1;
pub use run::{Observation, Simulation};

#[cfg(test)]
mod tests;
