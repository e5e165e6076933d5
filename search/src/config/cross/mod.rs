//! What the keys of a config say together: checks that no single key can fail.

#[expect(clippy::module_inception, reason = "the file is named by its one noun")]
mod cross;
mod features;
mod language;
mod network;
mod program;
mod search;

pub(crate) use cross::check;
