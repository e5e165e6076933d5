//! Whether a process is alive, and getting on.

use std::time::Duration;

use crate::ids::RunTime;

/// A process that is not heard of for so long is lost.
pub const LOST_AFTER: Duration = Duration::from_secs(10);

/// A process hangs when it takes no step for this long, or for `HUNG_STEPS` median steps if that is longer.
const HUNG_AFTER: Duration = Duration::from_secs(30);
const HUNG_STEPS: f64 = 20.0;

/// How many step times the median is taken of.
const KEPT: usize = 15;

/// Signs of life of one process.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulse {
    /// When it was heard last.
    heard: RunTime,
    /// When it got on last: a step, a report, a command.
    moved: RunTime,
    /// Steps when it was heard last.
    steps: u64,
    /// Seconds of a step, of the last heartbeats that saw any.
    step_seconds: Vec<f64>,
}

impl Pulse {
    /// A process that is heard for the first time.
    #[must_use]
    pub const fn new(now: RunTime) -> Self {
        Self {
            heard: now,
            moved: now,
            steps: 0,
            step_seconds: Vec::new(),
        }
    }

    /// A heartbeat with the steps taken so far.
    #[expect(
        clippy::cast_precision_loss,
        reason = "steps between two heartbeats are few"
    )]
    pub fn beat(&mut self, now: RunTime, steps: u64) {
        self.heard = now;
        if steps > self.steps {
            if self.step_seconds.len() == KEPT {
                self.step_seconds.remove(0);
            }
            self.step_seconds
                .push(now.since(self.moved).as_secs_f64() / (steps - self.steps) as f64);
            self.steps = steps;
            self.moved = now;
        }
    }

    /// It said or was told something that means it gets on.
    pub const fn moved(&mut self, now: RunTime) {
        self.heard = now;
        self.moved = now;
    }

    /// For so long nobody was listening: that silence is not held against it.
    pub fn forgive(&mut self, deaf: Duration) {
        self.heard = self.heard + deaf;
        self.moved = self.moved + deaf;
    }

    /// Whether its heartbeat has stopped.
    #[must_use]
    pub fn is_lost(&self, now: RunTime) -> bool {
        now.since(self.heard) > LOST_AFTER
    }

    /// Whether it lives, but does not get on.
    #[must_use]
    pub fn is_hung(&self, now: RunTime) -> bool {
        let mut sorted = self.step_seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        now.since(self.moved).as_secs_f64() > HUNG_AFTER.as_secs_f64().max(HUNG_STEPS * median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64) -> RunTime {
        RunTime::from_secs_f64(seconds)
    }

    #[test]
    fn silence_of_more_than_ten_seconds_is_a_loss() {
        let mut pulse = Pulse::new(at(0.0));
        pulse.beat(at(5.0), 1);
        assert!(!pulse.is_lost(at(15.0)) && pulse.is_lost(at(15.1)));
        pulse.forgive(Duration::from_secs(3));
        assert!(!pulse.is_lost(at(18.0)) && pulse.is_lost(at(18.1)));
    }

    #[test]
    fn beating_without_steps_is_hanging() {
        let mut pulse = Pulse::new(at(0.0));
        for second in 1..=31 {
            pulse.beat(at(f64::from(second)), 1);
        }
        assert!(!pulse.is_lost(at(31.0)));
        assert!(
            !pulse.is_hung(at(31.0)) && pulse.is_hung(at(31.1)),
            "the one step was at second 1"
        );
        pulse.moved(at(31.5));
        assert!(!pulse.is_hung(at(60.0)));
    }

    #[test]
    fn slow_steps_get_twenty_of_their_own_time() {
        let mut pulse = Pulse::new(at(0.0));
        for step in 1..=5_u32 {
            pulse.beat(at(f64::from(step) * 4.0), u64::from(step));
        }
        // Twenty steps of 4 s after the last one, at 20 s.
        assert!(!pulse.is_hung(at(100.0)) && pulse.is_hung(at(100.1)));
    }
}
