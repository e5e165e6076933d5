//! What each column is to a model, with the evidence and the second choice; what is left out, and why.

mod verdict;

pub use verdict::{InferOptions, Inference, LeftOut, Role, TargetVerdict, Verdict, infer};
