//! A pure simulation of runs: the conductor as it is, with curves in place of processes. No clock; a run of a thousand
//! trials takes milliseconds. `world` is what a benchmark has to say, `curves` has ours, `run` the runs, `trace`
//! what came of them, `one_epoch` the baseline that needs no scheduler.

mod curves;
mod one_epoch;
mod run;
mod trace;
mod world;

pub use curves::{Curves, FULL, Shape, index};
pub use one_epoch::one_epoch_first;
pub use run::{Reports, Simulation};
pub use trace::{Observation, Trace};
pub use world::World;

#[cfg(test)]
mod tests;
