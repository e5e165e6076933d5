//! From a dataset's name, path or URL to a local file.
//!
//! The only place that speaks to the network. Read first: [`locate()`].

mod download;
mod locate;
mod part;

pub use download::{Download, Patience, Progress, download};
pub use locate::{Located, fetch_entry, locate, silently};
pub(crate) use locate::{is_address, label, local};
