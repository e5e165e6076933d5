//! What values become: pure fits and transforms, and the encoder of whole tables.
//!
//! Two stages. [`Encoder`] turns a table into plain arrays (numbers, codes, hashed words) by a
//! [`Schema`]; nothing in it is learned but the list of levels. The codings ([`NumberCoding`],
//! [`CategoryCoding`], [`TextCoding`], [`TargetScale`]) are what a trial fits on its own training
//! rows, keeps in its model, and applies to the arrays batch by batch.

mod block;
pub mod category;
pub mod date;
mod encoder;
mod levels;
pub mod normal;
pub mod number;
mod plan;
mod precision;
mod quantiles;
mod reading;
mod recode;
mod schema;
mod schema_fit;
pub mod target;
pub mod text;
mod unknown;

pub use block::{Block, TextBlock};
pub use category::{CategoryCoding, CategorySpec};
pub use encoder::{Encoder, Reading, With};
pub use levels::Levels;
pub use number::{Fill, Normalization, NumberCoding, NumberSpec};
pub use plan::{InputKind, InputPlan, RowFill, TargetPlan};
pub(crate) use reading::{is_missing, read_numbers, read_times};
pub use recode::Recode;
pub use schema::{Feature, Schema, Slot, Target, TargetKind};
pub use target::TargetScale;
pub use text::{Terms, TextCoding, TextRows};
pub use unknown::UnknownTargets;
