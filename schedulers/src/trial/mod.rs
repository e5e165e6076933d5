//! The life of one trial. `trial` has its phases and the one function that changes them, `pulse` tells the
//! living from the hung.

mod pulse;
#[expect(
    clippy::module_inception,
    reason = "the file is named by its one noun, as the others are"
)]
mod trial;

pub use pulse::{LOST_AFTER, Pulse};
pub use trial::{Course, IllegalTransition, Outcome, Phase, StoppedBy, Trial, TrialEvent};
