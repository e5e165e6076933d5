//! Tests of the engine against a scripted trial program: real processes, no model.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod backend;
mod bench;
mod search;
