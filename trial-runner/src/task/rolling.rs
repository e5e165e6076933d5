//! When a checkpoint between two rungs is due.

/// The share of the time that checkpoints between rungs may take.
const SHARE: f64 = 0.02;

/// Decides by the times it is told; reads no clock. Times are seconds since the leg began.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rolling {
    /// Least time between two checkpoints.
    every_s: f64,
    last_at_s: f64,
    last_cost_s: f64,
    spent_s: f64,
}

impl Rolling {
    /// Nothing was written yet.
    pub(super) fn new(every_s: f64) -> Self {
        Self {
            every_s,
            last_at_s: 0.0,
            last_cost_s: 0.0,
            spent_s: 0.0,
        }
    }

    /// Whether to write one now: enough time has passed, and one more as dear as the last
    /// keeps all of them within their share.
    pub(super) fn is_due(&self, now_s: f64) -> bool {
        now_s - self.last_at_s >= self.every_s && self.spent_s + self.last_cost_s <= SHARE * now_s
    }

    /// One was written, and took this long.
    pub(super) fn on_written(&mut self, now_s: f64, cost_s: f64) {
        self.last_at_s = now_s;
        self.last_cost_s = cost_s;
        self.spent_s += cost_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Epochs of `epoch_s`, checkpoints that take `cost_s`: the epochs at whose end one is written.
    fn written(epoch_s: f64, cost_s: f64, n_epochs: u32) -> Vec<u32> {
        let mut rolling = Rolling::new(2.0);
        let mut now = 0.0;
        let mut epochs = Vec::new();
        for epoch in 1..=n_epochs {
            now += epoch_s;
            if rolling.is_due(now) {
                now += cost_s;
                rolling.on_written(now, cost_s);
                epochs.push(epoch);
            }
        }
        epochs
    }

    #[test]
    fn checkpoints_come_every_two_seconds_unless_they_cost_too_much() {
        assert_eq!(written(0.5, 0.0, 10), [4, 8]);
        assert_eq!(written(3.0, 0.01, 3), [1, 2, 3]);
        assert_eq!(
            written(1.0, 0.5, 120),
            [2, 50, 74, 99],
            "2 % of the time is one of 0.5 s every 25 s"
        );
    }

    #[test]
    fn their_share_of_the_time_is_kept() {
        for cost_s in [0.001, 0.05, 0.3] {
            let n = 2000;
            let spent = cost_s * written(0.25, cost_s, n).len() as f64;
            let time = 0.25 * f64::from(n) + spent;
            assert!(
                spent <= SHARE * time + cost_s,
                "{cost_s}: {spent} of {time}"
            );
        }
    }
}
