//! The process groups that must be dead when this program is.
//!
//! The one piece of shared state of the engine: the watchdog, the third Ctrl-C and Ctrl-Z must reach
//! every process even when the loop that owns them hangs.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use super::unix;

static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// A process group that is listed while this value lives. Dropping it kills what is left of the group.
#[derive(Debug)]
pub(super) struct Group(Pid);

impl Group {
    /// Lists the group of its leader.
    pub(super) fn of(leader: Pid) -> Self {
        live().insert(leader.as_raw());
        Self(leader)
    }

    /// Sends a signal to all of it.
    pub(super) fn signal(&self, signal: Signal) {
        unix::signal_group(self.0, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
        unix::reap_group(self.0);
        live().remove(&self.0.as_raw());
    }
}

/// Kills every process that was started here.
pub fn kill_all() {
    signal_all(Signal::SIGKILL);
}

/// Stops every process that was started here, until [`resume_all`].
pub fn suspend_all() {
    signal_all(Signal::SIGSTOP);
}

/// Lets every process go on.
pub fn resume_all() {
    signal_all(Signal::SIGCONT);
}

fn signal_all(signal: Signal) {
    for group in live().iter() {
        unix::signal_group(Pid::from_raw(*group), signal);
    }
}

fn live() -> MutexGuard<'static, BTreeSet<i32>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}
