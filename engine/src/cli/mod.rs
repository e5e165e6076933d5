//! The command line: one file a verb.
//!
//! Read first: `args`, the verbs and their flags, then `entry`, the way of a command.

mod apply;
mod args;
mod ask_tell;
mod budget;
mod clean;
mod config_file;
mod data_args;
mod datasets;
mod doctor;
mod entry;
mod evaluate;
mod explain;
mod export;
mod init;
mod list;
mod plan_args;
mod plan_checks;
mod plan_values;
mod predict;
mod profile;
mod render;
mod resume;
mod run;
mod run_ref;
mod size;
mod train;
pub(crate) mod trial_program;
mod trials;
mod tune;
mod world;
mod write;

pub(crate) use entry::main;
