//! The one place that reads a clock. Everybody else is given a [`RunTime`].
//!
//! Run time counts from the start of the process, so that a budget covers everything between the
//! command and the prompt, and stands still while the process is suspended (Ctrl-Z). It is a whole
//! number of milliseconds, so that the journal holds exactly what the conductor was told.
#![expect(clippy::disallowed_methods, reason = "this is the clock")]

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use schedulers::RunTime;

/// Tells the run time. Clones tell the same time.
#[derive(Debug, Clone)]
pub struct Clock {
    zero: Instant,
    /// Run time, in milliseconds, that earlier processes of the run took.
    before_ms: u64,
    /// Milliseconds that the process was suspended.
    suspended_ms: Arc<AtomicU64>,
    /// One more than the run time, in milliseconds, at which it stands still; 0 while it runs.
    frozen: Arc<AtomicU64>,
}

impl Clock {
    /// A clock whose zero is the start of this process, to 10 ms; now, where the system does not say.
    pub fn of_process() -> Self {
        let now = Instant::now();
        let zero = age().and_then(|age| now.checked_sub(age)).unwrap_or(now);
        Self {
            zero,
            before_ms: 0,
            suspended_ms: Arc::default(),
            frozen: Arc::default(),
        }
    }

    /// The same clock for a run that goes on at `at`, where an earlier process left it.
    #[must_use]
    pub fn going_on_at(mut self, at: RunTime) -> Self {
        self.before_ms = u64::try_from(at.0.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// The time now.
    pub fn now(&self) -> RunTime {
        let ms = match self.frozen.load(Ordering::Acquire) {
            0 => self.running_ms(),
            frozen => frozen - 1,
        };
        RunTime(Duration::from_millis(ms))
    }

    fn running_ms(&self) -> u64 {
        let suspended = Duration::from_millis(self.suspended_ms.load(Ordering::Acquire));
        let ms = self.zero.elapsed().saturating_sub(suspended).as_millis();
        u64::try_from(ms)
            .unwrap_or(u64::MAX)
            .saturating_add(self.before_ms)
    }

    /// Stands still from now on, for every clone: the process is about to be suspended. Before it is, so that no
    /// thread that wakes early takes the suspension for time that was spent.
    pub fn freeze(&self) {
        self.frozen.store(self.running_ms() + 1, Ordering::Release);
    }

    /// Goes on where it stood still; says for how long it did.
    pub fn thaw(&self) -> Duration {
        let frozen = self.frozen.load(Ordering::Acquire);
        if frozen == 0 {
            return Duration::ZERO;
        }
        let ms = self.running_ms().saturating_sub(frozen - 1);
        self.suspended_ms.fetch_add(ms, Ordering::Release);
        self.frozen.store(0, Ordering::Release);
        Duration::from_millis(ms)
    }

    /// Waits until `end`, suspensions added on the way included.
    pub async fn until(&self, end: RunTime) {
        loop {
            let left = end.since(self.now());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
    }
}

/// Milliseconds since 1970, UTC.
pub fn unix_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// How long this process has existed. Both files count from boot, in hundredths of a second
/// (`USER_HZ` is 100 on every Linux this runs on).
fn age() -> Option<Duration> {
    let uptime = fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_ascii_whitespace().next()?.parse().ok()?;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    Duration::try_from_secs_f64(uptime - started_at(&stat)?).ok()
}

/// Field 22 of `/proc/PID/stat`, in seconds since boot. The second field is the program's name in
/// parentheses and may hold spaces and parentheses itself.
fn started_at(stat: &str) -> Option<f64> {
    let ticks: u32 = stat
        .rsplit_once(')')?
        .1
        .split_ascii_whitespace()
        .nth(19)?
        .parse()
        .ok()?;
    Some(f64::from(ticks) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_process_is_read_past_an_odd_name() {
        let stat = "4711 (a b) 0 :-)) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 12345 20 21";
        assert_eq!(started_at(stat), Some(123.45));
        assert_eq!(started_at(""), None);
    }

    #[test]
    fn run_time_counts_from_the_start_of_the_process_and_stands_still_while_suspended() {
        let clock = Clock::of_process();
        let before = clock.now();
        assert!(
            before.as_secs_f64() < 600.0,
            "a test process is not {before:?} old"
        );
        clock.freeze();
        let at = clock.now();
        let late = Instant::now() + Duration::from_millis(20);
        while Instant::now() < late {
            std::hint::spin_loop();
        }
        assert_eq!(clock.clone().now(), at, "every clone stands still");
        assert!(clock.thaw() > Duration::ZERO);
        assert!(
            clock.now().since(at) < Duration::from_millis(20),
            "the time in between is not counted"
        );
        assert_eq!(clock.thaw(), Duration::ZERO);
    }

    #[tokio::test]
    async fn waiting_for_a_time_that_is_past_returns_at_once() {
        Clock::of_process().until(RunTime::ZERO).await;
    }
}
