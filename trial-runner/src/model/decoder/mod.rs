//! Decoders: from what the combiner gives to predictions, and their losses.
//!
//! Losses run on the host over the few outputs of a batch. On the CPU that is the fastest way; on a GPU
//! it costs one round trip a step.

pub mod binary;
pub mod category;
pub mod number;
pub mod whole;

pub use binary::Binary;
pub use category::Category;
pub use number::Number;
pub use whole::{Decoder, Targets};

#[cfg(test)]
mod tests;
