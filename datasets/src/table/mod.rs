//! A source decoded once into columns on disk, mapped into memory. Read `Table` first, then `Values`.

mod arrays;
mod build;
mod cell;
mod column;
mod csv;
mod few;
mod ingest;
mod interner;
mod json;
mod manifest;
mod open;
mod pipeline;
mod text;
mod typed;
mod write;

pub(crate) use cell::{has_leading_zero, number};
pub use column::{
    Column, Dictionary, MISSING_BOOL, MISSING_CODE, MISSING_TIME, TextColumn, Values, bool_level,
    number_level, time_level,
};
pub use ingest::{IngestOptions, Progress};
pub use open::Table;

#[cfg(test)]
mod tests;
