//! The trial's side of the protocol, and the process around it.
//!
//! `start` takes a process from its descriptors to its exit code; `slot` confines it to
//! its cores, memory and GPU; `link` speaks on the two pipes; `pulse` is what the
//! training loop and the listening thread share; `held`
//! are arrays that a launcher has open; `clock` is the crate's only clock.

mod clock;
mod held;
mod link;
mod pulse;
mod slot;
mod start;

pub use clock::Stopwatch;
pub use held::Held;
pub use link::{Link, Verdict};
pub use pulse::{Ask, Pulse};
pub use slot::confine;
pub use start::{quiet_panics, read_spec, run_cold, run_forked};
