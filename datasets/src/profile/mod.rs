//! A look at every column of a table, whole, in bounded memory. Read `Profile` first.

mod summary;

pub use summary::{
    ColumnProfile, DateSummary, Distinct, NumberSummary, Profile, ProfileOptions, Storage,
    TextSummary, profile,
};
