//! What time buys: the reserve before the end, the choice of R, and what an epoch costs.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::ids::{CostClass, Epochs};

/// Lengths of full training to choose from, longest first.
const LENGTHS: [Epochs; 5] = [256, 128, 64, 32, 16];

/// R where no clock decides.
const UNTIMED_LENGTH: Epochs = 64;

/// The part of slot time that is counted on; the rest is starts, waits and the last legs.
const USABLE: f64 = 0.8;

/// The leader is begun while its estimate, raised by a tenth and by the time that a slot takes to become free, still
/// fits, so that it is not cut in its last epoch.
const MARGIN: f64 = 1.1;
const CHANGE_OF_SLOT: f64 = 0.2;

/// Seconds of a leg beside its epochs, before any was measured: fork, first steps, checkpoint.
const FIXED_SECONDS: f64 = 0.05;

/// Time to keep back before the end: 1.5 times what evaluating, packaging and stopping was measured to take, at least
/// half a second, at most 40 % of the budget.
#[must_use]
pub fn reserve(measured: Duration, budget: Duration) -> Duration {
    measured
        .mul_f64(1.5)
        .max(Duration::from_millis(500))
        .min(budget.mul_f64(0.4))
}

/// How long a process that is told to stop may take before it is killed.
#[must_use]
pub fn grace(reserve: Duration) -> Duration {
    (reserve / 4).min(Duration::from_secs(2))
}

/// The longest R of 256, 128, 64, 32, 16 epochs that leaves room for a search; nothing when even 16 do not.
///
/// The first full trial of ASHA costs 3 to 6 R of slot time, and each slot holds a leg at the end: so
/// `left * slots * 0.8` must be at least `(4 + slots) * R`.
#[must_use]
pub fn choose_full(left: Duration, slots: usize, seconds_per_epoch: f64) -> Option<Epochs> {
    let slots = slot_count(slots);
    let affordable =
        left.as_secs_f64() * slots * USABLE / (4.0 + slots) / seconds_per_epoch.max(1e-9);
    LENGTHS
        .into_iter()
        .find(|full| f64::from(*full) <= affordable)
}

/// R by a budget of epochs instead of time, by the same rule; 64 without any.
#[must_use]
pub fn choose_full_untimed(max_epochs: Option<u64>, slots: usize) -> Epochs {
    let Some(epochs) = max_epochs else {
        return UNTIMED_LENGTH;
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "a budget is far below 2^53 epochs"
    )]
    let affordable = epochs as f64 * USABLE / (4.0 + slot_count(slots));
    let shortest = Epochs::try_from(epochs).unwrap_or(Epochs::MAX).clamp(1, 16);
    LENGTHS
        .into_iter()
        .find(|full| f64::from(*full) <= affordable)
        .unwrap_or(shortest)
}

/// What one trial may train where no R fits: as much as the time left allows, at most 16 epochs; 0 when not even
/// one fits.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cut to 0 .. 16 before"
)]
pub fn portfolio_full(left: Duration, seconds_per_epoch: f64) -> Epochs {
    (left.as_secs_f64() * USABLE / seconds_per_epoch.max(1e-9)).clamp(0.0, 16.0) as Epochs
}

fn slot_count(slots: usize) -> f64 {
    f64::from(u32::try_from(slots.max(1)).unwrap_or(u32::MAX))
}

/// Seconds of an epoch, learned for each cost class from what was measured.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    /// What the probe said; stands until epochs of a class were seen.
    probed: Option<f64>,
    /// Seconds of a leg beside its epochs.
    fixed: Option<f64>,
    classes: BTreeMap<CostClass, Mean>,
    all: Mean,
}

/// A running mean.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mean {
    sum: f64,
    n: u32,
}

impl Mean {
    /// Takes one more; what is no length of time is left out.
    pub(crate) fn take(&mut self, seconds: f64) {
        if seconds.is_finite() && seconds >= 0.0 {
            self.sum += seconds;
            self.n += 1;
        }
    }

    /// What was taken, together.
    pub(crate) const fn sum(self) -> f64 {
        self.sum
    }

    pub(crate) fn get(self) -> Option<f64> {
        (self.n > 0).then(|| self.sum / f64::from(self.n))
    }
}

impl Rates {
    /// Takes what the probe said.
    pub fn probed(&mut self, seconds_per_epoch: f64, fixed_seconds: f64) {
        self.probed = Some(seconds_per_epoch).filter(|s| s.is_finite() && *s >= 0.0);
        self.fixed = Some(fixed_seconds).filter(|s| s.is_finite() && *s >= 0.0);
    }

    /// Takes the seconds of one epoch.
    pub fn learn(&mut self, class: CostClass, seconds: f64) {
        self.classes.entry(class).or_default().take(seconds);
        self.all.take(seconds);
    }

    /// Seconds of an epoch of this class: measured on it, else probed, else measured on the others.
    #[must_use]
    pub fn seconds_per_epoch(&self, class: CostClass) -> Option<f64> {
        self.classes
            .get(&class)
            .and_then(|mean| mean.get())
            .or(self.probed)
            .or(self.all.get())
    }

    /// What a leg of so many epochs takes.
    #[must_use]
    pub fn leg(&self, epochs: Epochs, seconds_per_epoch: f64) -> Duration {
        let seconds = self.fixed.unwrap_or(FIXED_SECONDS) + f64::from(epochs) * seconds_per_epoch;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

/// How long before the deadline a leg must be begun to be safe.
#[must_use]
pub fn with_margin(leg: Duration) -> Duration {
    Duration::try_from_secs_f64(leg.as_secs_f64() * MARGIN + CHANGE_OF_SLOT)
        .unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    #[test]
    fn the_reserve_is_bounded_on_both_sides() {
        let check = |measured, budget, expected: f64| {
            assert_eq!(
                reserve(Duration::from_millis(measured), secs(budget)),
                Duration::from_secs_f64(expected)
            );
        };
        check(0, 60, 0.5);
        check(2000, 60, 3.0);
        check(2000, 5, 2.0);
        check(0, 1, 0.4);
        assert_eq!(grace(secs(60)), secs(2));
        assert_eq!(grace(secs(2)), Duration::from_millis(500));
    }

    #[test]
    fn r_is_the_longest_that_leaves_room_for_a_search() {
        let check = |left, slots, seconds, expected| {
            assert_eq!(choose_full(secs(left), slots, seconds), expected)
        };
        // 60 s on 2 slots buy 96 s; six times R must fit.
        check(60, 2, 0.5, Some(32));
        check(60, 2, 1.0, Some(16));
        check(60, 2, 1.01, None);
        check(7200, 2, 1.0, Some(256));
        check(60, 1, 0.0, Some(256));
        check(0, 2, 0.5, None);
        check(60, 0, 0.5, Some(16));
    }

    #[test]
    fn without_a_clock_r_comes_from_the_epochs() {
        assert_eq!(choose_full_untimed(None, 2), 64);
        assert_eq!(choose_full_untimed(Some(480), 2), 64);
        assert_eq!(choose_full_untimed(Some(20), 2), 16);
        assert_eq!(choose_full_untimed(Some(3), 2), 3);
        assert_eq!(choose_full_untimed(Some(0), 2), 1);
    }

    #[test]
    fn where_no_r_fits_a_trial_is_sized_to_what_does() {
        assert_eq!(portfolio_full(secs(10), 1.0), 8);
        assert_eq!(portfolio_full(secs(1000), 1.0), 16);
        assert_eq!(portfolio_full(secs(10), 9.0), 0);
        assert_eq!(portfolio_full(secs(10), f64::NAN), 16);
    }

    #[test]
    fn an_epoch_is_priced_by_its_class_then_the_probe_then_the_others() {
        let (a, b) = (CostClass(0), CostClass(1));
        let mut rates = Rates::default();
        assert_eq!(rates.seconds_per_epoch(a), None);
        rates.learn(b, 4.0);
        assert_eq!(rates.seconds_per_epoch(a), Some(4.0));
        rates.probed(2.0, 0.1);
        assert_eq!(rates.seconds_per_epoch(a), Some(2.0));
        rates.learn(a, 1.0);
        rates.learn(a, f64::NAN);
        rates.learn(a, 2.0);
        assert_eq!(rates.seconds_per_epoch(a), Some(1.5));
        assert_eq!(rates.leg(10, 1.0), Duration::from_secs_f64(10.1));
        assert_eq!(rates.leg(10, f64::INFINITY), Duration::MAX);
        assert_eq!(with_margin(secs(10)), Duration::from_secs_f64(11.2));
        assert_eq!(with_margin(Duration::MAX), Duration::MAX);
    }
}
