//! Whether a table can be read in the share of the budget that reading may take, or must be sampled.
//!
//! Decides from what was seen of the reading so far; knows neither files nor processes.

use std::time::Duration;

/// The share of the budget in which a table is to be read. What follows (profile, arrays) takes about as long again, so
/// that all of it stays under 30 % of the budget.
const SHARE: f64 = 0.15;

/// The rate of reading is measured over no less than this.
const FIRST_LOOK: Duration = Duration::from_millis(300);

/// The cost of a row that is passed over, beside that of one that is kept: it is unpacked and its end is found.
const PASSED_OVER: f64 = 0.3;

/// The fewest rows that are kept, as a share of the file.
const ONE_IN_AT_MOST: u32 = 1024;

/// Watches one reading.
pub(super) struct Watch {
    budget: Duration,
    /// When the first block was done, and how many bytes it had: what lies before is the start of a process.
    first: Option<(Duration, u64)>,
}

impl Watch {
    pub(super) fn new(budget: Duration) -> Self {
        Self {
            budget,
            first: None,
        }
    }

    /// How many rows to keep, as one in so many, when `done` of `of` bytes are read `elapsed` after the start; 1 when the
    /// reading can go on as it does. Powers of two, so that a second run on the same table finds it decoded already.
    pub(super) fn one_in(&mut self, elapsed: Duration, done: u64, of: u64) -> u32 {
        let (since, from) = *self.first.get_or_insert((elapsed, done));
        let took = elapsed.saturating_sub(since);
        // Past the middle, beginning again would take longer than going on.
        if took < FIRST_LOOK || done == from || done >= of / 2 {
            return 1;
        }
        let whole = took.as_secs_f64() * of as f64 / (done - from) as f64;
        let fits = self.budget.as_secs_f64() * SHARE / whole;
        if fits >= 1.0 {
            return 1;
        }
        let share = (fits - PASSED_OVER) / (1.0 - PASSED_OVER);
        let mut n = 2;
        while n < ONE_IN_AT_MOST && f64::from(n) * share < 1.0 {
            n *= 2;
        }
        n
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Watch;

    /// A budget of 60 s has 9 s for reading; the first tenth of a second goes without a byte.
    fn check(took_ms: u64, done: u64, of: u64, expected: u32) {
        let start = Duration::from_millis(100);
        let mut watch = Watch::new(Duration::from_secs(60));
        assert_eq!(watch.one_in(start, 0, of), 1);
        let kept = watch.one_in(start + Duration::from_millis(took_ms), done, of);
        assert_eq!(kept, expected, "{done} of {of} bytes in {took_ms} ms");
    }

    #[test]
    fn a_table_that_can_be_read_in_time_is_read_whole() {
        check(1_000, 20, 100, 1);
        check(1_000, 12, 100, 1);
    }

    #[test]
    fn a_table_that_takes_too_long_is_sampled_as_much_as_it_takes() {
        check(1_000, 10, 100, 2);
        check(1_000, 5, 100, 8);
        check(1_000, 1, 100, 1024);
    }

    #[test]
    fn nothing_is_decided_too_early_or_too_late() {
        check(200, 1, 1_000, 1);
        check(5_000, 0, 1_000, 1);
        check(30_000, 60, 100, 1);
    }
}
