//! The process that forks trial processes: one a run and machine.
//!
//! `serve` is its loop, `socket` the engine's end of it, `warm` what it does before it
//! says that it is ready.

mod serve;
mod socket;
mod warm;

pub use serve::serve;
pub use socket::Socket;
pub use warm::warm;
