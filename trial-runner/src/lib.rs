//! One trial, one process.
//!
//! `autotune-trial launcher` holds libtorch loaded and the prepared arrays mapped, and
//! forks a process for each leg of a trial; `session` is the trial's side of the
//! protocol; `task` is what such a process does: train, probe, evaluate. `prepare` turns
//! a table into the arrays that all trials share, `package` is a model folder on disk,
//! `predict` applies one to a new table. Read `cli` first: it names the verbs.
//!
//! This crate knows configs, tensors and files. It never decides what to try next
//! (`search`) nor what goes on (`schedulers`).

pub mod cli;
pub mod error;

pub mod launcher;
pub mod session;
pub mod sys;
pub mod task;

pub mod package;
pub mod predict;

pub mod baseline;
pub mod prepare;

mod precision;

pub mod checkpoint;
pub mod metric;
pub mod model;
pub mod optimizer;
pub mod train;

pub use cli::main;
