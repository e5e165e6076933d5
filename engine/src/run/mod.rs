//! The life of a run: the phases in their order, and what they tell on the way.

mod news;

pub use news::{News, Phase, Talk};
