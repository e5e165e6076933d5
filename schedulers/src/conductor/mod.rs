//! The pure machine that decides: `(state, now, event) -> effects`.
//!
//! Used unchanged by the engine, by resume and by the simulator. Read `event` and `effect` for what it is
//! told and what it asks for, `rules` for what it is given; `machine` is the whole in one view, `trials` what becomes of a
//! trial that speaks, `wake` who gets a free slot, `limits` what still fits, `end` how a run ends.

mod effect;
mod end;
mod event;
mod limits;
mod machine;
mod rules;
mod trials;
mod wake;

use std::time::Duration;

pub use effect::{Effect, Phase, StopReason};
pub use event::{Event, Exit, Sign, StopBy};
pub use machine::Conductor;
pub use rules::{Baseline, Cap, Full, Levels, Limits, Policy, Rules, Shares};

/// How often `Conductor::due` wants to be asked, at least.
pub const TICK: Duration = Duration::from_millis(100);

/// A process that has not said hello for so long after its launch is given up: a cold start on a busy machine with
/// a GPU takes a few seconds.
pub const LAUNCH_TIMEOUT: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;
