//! The only clock of this crate: how long something took.

use std::time::{Duration, Instant};

/// Measures from when it was started.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts measuring.
    #[expect(clippy::disallowed_methods, reason = "the clock of a trial process")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// Time since the start, in seconds.
    pub fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }

    /// Time since the start or the last lap, in seconds; starts the next lap.
    pub fn lap(&mut self) -> f64 {
        let seconds = self.seconds();
        *self = Self::start();
        seconds
    }
}
