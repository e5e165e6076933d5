//! What happened: the journal of a run in SQLite, and the questions it answers.
//!
//! A run is one file, `run.sqlite`. [`Store`] writes it: entries of the journal in, and the tables
//! folded from them in the same transaction. [`Reader`] asks it, from any process, while it is
//! written or years later. Read [`journal::Entry`] first: it is the closed list of what can happen.
//!
//! Refuses to know what a trial computes and who decides; it keeps what it is told.

pub mod error;
pub mod journal;
mod number;
pub mod query;
pub mod render;
mod store;
#[cfg(test)]
mod story;

pub use error::{Error, Result};
pub use journal::{Entry, Stamped};
pub use number::Number;
pub use query::Reader;
pub use store::Store;

/// The name of the database in a run's folder.
pub const FILE_NAME: &str = "run.sqlite";
