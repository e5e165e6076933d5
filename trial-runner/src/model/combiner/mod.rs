//! Combiners: what joins the encoded inputs.

mod combiner;
mod realmlp;

pub use combiner::Combiner;
pub use realmlp::Realmlp;
pub(super) use realmlp::dense;
