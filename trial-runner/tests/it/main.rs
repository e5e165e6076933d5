//! The real binary, driven as the engine drives it.
#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod engine;
mod launcher;
mod predict;
mod tiny;
mod trial;
