//! Networks: encoders of the inputs, a combiner, a decoder, and the layers they are made of.
//!
//! Read [`Network`] first. `parameters` holds all weights of a network in one flat buffer; `arrays` is
//! what inputs are read from; `memory` is the one place with `unsafe`.

pub mod arrays;
pub mod combiner;
pub mod decoder;
pub mod encoder;
pub mod layer;
pub mod memory;
pub mod network;
pub mod parameters;
pub mod pass;
pub mod stream;
pub mod weights;

pub use arrays::Arrays;
pub use encoder::Codings;
pub use network::Network;
pub use parameters::Parameters;

#[cfg(test)]
mod tests;
