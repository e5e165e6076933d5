//! What the engine, the launcher and trial processes say to each other: JSON, one object a line.
//!
//! One task is one process. Read `task` for what a process is asked to do, `message` for what it says
//! meanwhile, `launcher` for how it comes to be, `codec` for lines and their limits. Both binaries are
//! of one version or do not talk: readers are strict, and the version is looked at first.

mod codec;
mod exit;
mod launcher;
mod message;
mod predict;
mod prepare;
pub mod real;
mod task;

pub use codec::{Lines, MAX_LINE_BYTES, check_version, decode, encode};
pub use exit::FailureKind;
pub use launcher::{LauncherReply, LauncherRequest};
pub use message::{Command, Report, TaskResult, TrialMessage};
pub use predict::{PredictSpec, Reading};
pub use prepare::{PrepareMessage, PrepareSpec};
pub use task::{EvaluateTask, ProbeTask, Task, TaskSpec, TrainOn, TrainTask};

/// The version of this protocol. Any change to a type in here raises it.
pub const VERSION: u32 = 1;

#[cfg(test)]
mod tests;
