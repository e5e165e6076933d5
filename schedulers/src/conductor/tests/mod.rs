//! The conductor in scripted stories, and in a world that misbehaves.

mod stories;
mod world;

use std::time::Duration;

use super::{Baseline, Cap, Full, Levels, Limits, Policy, Rules, Shares};
use crate::ids::RunTime;

/// A run of 100 s with a reserve of 4 s, R = 16, one slot's worth of everything.
fn rules() -> Rules {
    Rules {
        limits: Limits {
            end: Some(RunTime(Duration::from_secs(100))),
            max_trials: None,
            max_epochs: None,
        },
        reserve: Duration::from_secs(4),
        full: Full::Fixed(16),
        levels: Levels::Coslog4,
        policy: Policy::AshaPromotion { eta: 3 },
        brackets: 1,
        shares: Shares::Falling,
        guard: false,
        cap: Cap::Full,
        baseline: Some(Baseline { full: 1 }),
        straight: 1,
    }
}
