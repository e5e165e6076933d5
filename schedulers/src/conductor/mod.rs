//! The pure machine that decides: `(state, now, event) -> effects`.
//!
//! Used unchanged by the engine, by resume and by the simulator. Read `event` and `effect` for what it is
//! told and what it asks for, `rules` for what it is given, `machine` for the decisions.

mod effect;
mod event;
mod rules;

use std::time::Duration;

pub use effect::{Effect, Phase, StopReason};
pub use event::{Event, Exit, StopBy};
pub use rules::{Baseline, Full, Levels, Limits, Policy, Rules};

/// How often the conductor wants to hear `Event::Tick`, at least.
pub const TICK: Duration = Duration::from_millis(100);
