//! From a dataset's name, path or URL to a local file.
//!
//! The only place that speaks to the network. Read first: [`download`].

mod download;

pub use download::{Download, Patience, Progress, download};
