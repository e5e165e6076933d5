//! What users see. stdout is data, stderr is talk; three ways to talk: for people, as JSON, and not at all.
//!
//! Read first: [`Mode`], which picks the way, then `words`, which finds the words.

mod data;
mod human;
mod json;
mod mode;
mod news;
mod plain;
mod summary;
mod table;
mod words;

pub(crate) use data::Data;
pub(crate) use human::say_panic;
pub use mode::Mode;
pub use news::{News, Phase, Talk};
pub(crate) use plain::plain;
pub use summary::{Score, Summary};
pub(crate) use table::{Align, Table, terminal_width};
pub(crate) use words::{number, percent, thousands};
