//! A trial that is a program of the user's: it prints its scores as lines of JSON, and knows nothing of the protocol.
//!
//! `task` is what is run, `account` is what its lines come to (pure), `running` is the process, `watch` the whole
//! from its start to its end.

mod account;
mod running;
mod task;
mod watch;

pub use task::command_line;
pub(super) use watch::run;
