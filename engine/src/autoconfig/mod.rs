//! From what was seen to a base config, with the reason for every choice: a glass box.
//!
//! Pure: the same profile, verdicts, machine and wishes give the same config. Read first: `propose`.

mod propose;

pub use propose::{Reason, Wishes};
