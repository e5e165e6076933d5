//! The config: what a file may say, how it is read and checked, and the typed views of it.
//!
//! In reading order: the checked config; the typed views that a trial, the preparation and the search are built
//! from; then how it is done: YAML, the schema as data, old names, checks, defaults, changes, comments.

mod document;

pub mod command;
pub mod hyperopt;
pub mod layers;
pub mod model;
pub mod preparation;
pub mod program;
pub mod scheduler;
pub mod trainer;

mod build;
mod check;
mod comments;
mod compat;
mod cross;
mod describe;
mod edit;
mod fill;
mod path;
mod schema;
mod yaml;

pub use comments::Comments;
pub use document::Config;

#[cfg(test)]
mod tests;
