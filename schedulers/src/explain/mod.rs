//! Why something was done, with its numbers: the glass box at run time.
//!
//! A `Decision` is made where it is decided, journalled, and read back for `explain`; its sentence is made
//! from the same numbers, never from a guess afterwards.

mod decision;
mod sentence;

pub use decision::{Decision, FinishWhy, Place, Rule, Unit, Verdict};

#[cfg(test)]
mod tests;
