//! A look at every column of a table, whole, in bounded memory. Read `Profile` first.

mod dates;
mod distinct;
mod look;
mod numbers;
mod odd;
mod summary;
mod texts;

pub(crate) use dates::format_of;
pub use look::{ProfileOptions, profile};
pub use summary::{
    ColumnProfile, DateSummary, Distinct, NumberSummary, Profile, Storage, TextSummary,
};
