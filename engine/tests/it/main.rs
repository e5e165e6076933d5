//! Tests of the engine against a scripted trial program: real processes, no model.

mod backend;
mod bench;
mod search;
