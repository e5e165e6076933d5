//! From a path to a `Source`: what format it is in, how large it is, and a fingerprint of its content.

mod fingerprint;
mod open;
mod sniff;
mod stream;

pub use open::{Compression, Format, ReadOptions, Source};
pub(crate) use stream::{BadText, TextStream, read_full, unreadable};
