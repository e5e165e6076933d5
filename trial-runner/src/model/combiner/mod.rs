//! Combiners: what joins the encoded inputs.

pub mod either;
pub mod realmlp;

pub use either::Combiner;
pub use realmlp::Realmlp;
pub(super) use realmlp::dense;
