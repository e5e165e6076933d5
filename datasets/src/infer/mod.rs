//! What each column is to a model, with the evidence and the second choice; what is left out, and why.

mod copies;
mod decide;
mod kinds;
mod names;
mod target;
mod verdict;

pub use decide::infer;
pub use verdict::{InferOptions, Inference, LeftOut, Role, TargetVerdict, Verdict};

#[cfg(test)]
mod tests;
