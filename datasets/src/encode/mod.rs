//! What values become: pure fits and transforms, and the encoder of whole tables.
//!
//! Two stages. [`Encoder`] turns a table into plain arrays (numbers, codes, hashed words) by a
//! [`Schema`]; nothing in it is learned but the list of levels. The codings ([`NumberCoding`],
//! [`CategoryCoding`], [`TextCoding`], [`TargetScale`]) are what a trial fits on its own training
//! rows, keeps in its model, and applies to the arrays batch by batch.

pub mod category;
pub mod date;
mod levels;
pub mod normal;
pub mod number;
mod quantiles;
mod schema;
pub mod target;
pub mod text;

pub use category::{CategoryCoding, CategorySpec};
pub use levels::Levels;
pub use number::{Fill, Normalization, NumberCoding, NumberSpec};
pub use schema::{Feature, Schema, Slot, Target, TargetKind};
pub use target::TargetScale;
pub use text::{Terms, TextCoding, TextRows};
