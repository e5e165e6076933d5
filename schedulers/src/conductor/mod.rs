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

pub use effect::{Effect, Phase, StopReason};
pub use event::{Event, Exit, Sign, StopBy};
pub use machine::{Conductor, LAUNCH_TIMEOUT, TICK};
pub use rules::{Baseline, Cap, Full, Levels, Limits, Policy, Rules, Shares};

#[cfg(test)]
mod tests;
