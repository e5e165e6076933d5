//! From what was seen to a base config, with the reason for every choice: a glass box.
//!
//! Pure: the same profile, verdicts and wishes give the same config. Reading order: [`propose`], which
//! puts the sections together; `features`, `split`, `network`, `space`, one section each; `draft`, the
//! config while it is written.

mod draft;
mod features;
mod network;
mod propose;
mod space;
mod split;
#[cfg(test)]
mod tests;
mod wishes;

pub use draft::Reason;
pub use propose::{Proposal, propose};
pub use wishes::Wishes;
