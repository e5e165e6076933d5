//! Checkpoints of a training: two generations on disk, each whole or not used.

mod file;

pub use file::{Checkpoint, Progress, VERSION, load, save};
