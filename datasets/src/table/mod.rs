//! A source decoded once into columns on disk, mapped into memory. Read `Table` first, then `Values`.

mod column;
mod ingest;
mod table;

pub use column::{
    Column, Dictionary, MISSING_BOOL, MISSING_CODE, MISSING_TIME, TextColumn, Values, bool_level,
    number_level, time_level,
};
pub use ingest::{IngestOptions, Progress};
pub use table::Table;
