//! A tree against the schema: every fault at once, each with its place, and the nearest legal name.
//!
//! What is written in a short form (`encoder: dense`, `drop: yes`) is brought to its full form on the way.

mod keys;
mod log;
mod scalar;
mod walk;

pub(crate) use log::{Log, Spot, join};
pub(crate) use scalar::whole_number;
pub(crate) use walk::check;
