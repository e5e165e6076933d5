//! The process that forks trial processes: one a run and machine.

mod socket;
mod warm;

pub use socket::Socket;
pub use warm::warm;
