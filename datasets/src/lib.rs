//! What the data is: sources, tables, profiles, type inference, splits, encodings, prepared arrays.
//!
//! The way of a table through this crate: a path becomes a [`source::Source`] (format, size,
//! fingerprint), a source is decoded once into a [`table::Table`] (columns on disk, mapped into
//! memory), a table is looked at by [`profile::profile`], and [`infer::infer`] says what each column
//! is and why. Knows local paths only: nothing here downloads, reads a clock or draws a random number.

pub mod encode;
pub mod error;
pub mod finding;
pub mod infer;
pub mod kind;
pub mod mapped;
pub mod nearest;
pub mod profile;
pub mod registry;
pub mod sink;
pub mod source;
pub mod split;
pub mod store;
pub mod table;

pub use error::{Error, Result};
pub use finding::{Finding, Severity, What};
pub use kind::Kind;
