//! Training: one network on the prepared arrays, epoch by epoch.
//!
//! Read [`Trainer`] first. It reads no clock and knows no engine: its caller asks for one epoch at a time,
//! has it judged, and decides.

pub mod guard;
pub mod order;
pub mod schedule;
pub mod trainer;

pub use guard::guarded;
pub use schedule::Rate;
pub use trainer::{Best, Control, Flow, Judged, Options, Trained, Trainer};

#[cfg(test)]
pub(crate) mod tests;
