//! What the training loop and the listening thread share: how far it is, and whether it
//! may go on.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What the engine wants of a training loop, as of its last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Nothing: go on.
    GoOn,
    /// Leave at the next epoch border, with a checkpoint.
    Pause,
    /// Leave at this step.
    Stop,
    /// The engine is gone: leave at this step; whoever resumes the run finds the last checkpoint.
    Gone,
}

/// Invariant: `ask` only rises, from go on over pause and stop to gone.
#[derive(Debug, Default)]
pub struct Pulse {
    step: AtomicU64,
    ask: AtomicU8,
}

impl Pulse {
    /// Counts one step and says what is wanted. Cheap enough for every step.
    pub fn beat(&self) -> Ask {
        self.step.fetch_add(1, Ordering::Relaxed);
        self.ask()
    }

    /// What is wanted, without counting a step.
    pub fn ask(&self) -> Ask {
        match self.ask.load(Ordering::Acquire) {
            0 => Ask::GoOn,
            1 => Ask::Pause,
            2 => Ask::Stop,
            _ => Ask::Gone,
        }
    }

    /// Steps so far.
    pub fn step(&self) -> u64 {
        self.step.load(Ordering::Relaxed)
    }

    /// Wants `ask`, unless more was wanted before.
    pub fn want(&self, ask: Ask) {
        let rank = match ask {
            Ask::GoOn => 0,
            Ask::Pause => 1,
            Ask::Stop => 2,
            Ask::Gone => 3,
        };
        self.ask.fetch_max(rank, Ordering::Release);
    }
}
