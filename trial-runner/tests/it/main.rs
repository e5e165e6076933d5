//! The real binary, driven as the engine drives it.

mod engine;
mod launcher;
mod predict;
mod tiny;
mod trial;
