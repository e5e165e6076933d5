//! Which rows train, which validate and which are kept back for the test.
//!
//! Read [`SplitSpec`] first, then [`Parts`]. Everything is a function of the
//! table, the spec and a seed; nothing here draws from an ambient generator.

mod error;
mod fixed;
mod grouped;
mod hashed;
mod ordered;
mod parts;
mod shuffled;
mod spec;

pub use error::SplitError;
pub use fixed::{by_fold, by_label};
pub use grouped::by_group;
pub use hashed::{PlainValue, by_hash};
pub use ordered::by_time;
pub use parts::{Part, Parts};
pub(crate) use shuffled::mix;
pub use shuffled::{Shuffle, Shuffled, Units};
pub(crate) use spec::rounded;
pub use spec::{Shares, SplitSpec, TestFold};
