//! Layers, each with its forward and its backward pass written out.
//!
//! There is no autograd: for networks of this size its bookkeeping costs as much as a layer. A
//! layer keeps what its backward pass needs from the last forward pass, writes the gradients of its
//! parameters into the flat buffer, and hands the gradient of its input down. The tests compare both
//! passes with PyTorch.

pub mod activate;
pub mod activation;
pub mod dropout;
pub mod embedding;
pub mod linear;
pub mod norm;
pub mod periodic;
pub mod scale;
pub mod stack;

pub use activate::Activate;
pub use activation::Activation;
pub use dropout::Dropout;
pub use embedding::Embedding;
pub use linear::Linear;
pub use norm::Norm;
pub use periodic::Periodic;
pub use scale::Scale;
pub use stack::Stack;

#[cfg(test)]
mod tests;
