//! The life of one trial. `phase` says what it can be doing, `event` what can happen to it, `trial` has the
//! one function that changes it, `pulse` tells the living from the hung.

mod event;
mod phase;
mod pulse;
#[expect(
    clippy::module_inception,
    reason = "the file is named by its one noun, as the others are"
)]
mod trial;

pub use event::{IllegalTransition, TrialEvent};
pub use phase::{Course, Outcome, Phase, StoppedBy};
pub use pulse::{LOST_AFTER, Pulse};
pub use trial::Trial;

#[cfg(test)]
mod tests;
