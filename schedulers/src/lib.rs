//! What happens next: trials, rungs, schedulers, the conductor, and the protocol with trial processes.
//!
//! Knows ids, slots, times and scores; refuses to know configs, tensors, files and clocks. Everything
//! here is synchronous and pure: the same events give the same decisions, live, replayed or simulated.
//! Read `conductor` first, then `scheduler` and `asha`, the default; `fifo`, `hyperband`, `median`, `timed` and
//! `pbt` are the others; `protocol` stands alone.

pub mod asha;
pub mod budget;
pub mod conductor;
pub mod error;
pub mod explain;
pub mod fifo;
pub mod hyperband;
pub mod ids;
pub mod median;
pub mod pbt;
pub mod protocol;
pub mod ranked;
pub mod report;
pub mod rung;
pub mod rungs;
pub mod scheduler;
pub mod score;
pub mod sim;
pub mod slot;
pub mod timed;
pub mod trial;

#[cfg(test)]
mod invariants;

pub use error::{Error, Result};
pub use ids::{Attempt, CostClass, Epochs, RunTime, SlotId, TrialId};
pub use score::{Direction, Score};
