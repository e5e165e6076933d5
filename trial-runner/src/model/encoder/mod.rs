//! Encoders: from the arrays to the matrix that the combiner sees.
//!
//! An input is encoded in two stages. Its [`Coding`] is fitted on the training rows once and saved with
//! the model: scales, levels, term weights. From it an encoder either writes plain columns or learns
//! vectors. Read [`Inputs`] first: it puts all encoders of a network side by side.

pub mod binary;
mod build;
pub mod category;
pub mod coding;
pub mod columns;
pub mod date;
pub mod inputs;
mod learned;
pub mod number;
pub mod text;

pub use coding::{Coding, Codings};
pub use columns::{Columns, Sheet};
pub use inputs::{Inputs, Style};

#[cfg(test)]
mod tests;
