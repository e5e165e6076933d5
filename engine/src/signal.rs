//! Signals, and what they ask of a run.
//!
//! | signal | what happens |
//! |---|---|
//! | Ctrl-C once, SIGTERM, SIGHUP | finish and save |
//! | Ctrl-C twice | kill the trials, save what stands |
//! | Ctrl-C three times | abort, now |
//! | Ctrl-Z | the budget stands still until the process goes on |

use std::io;
use std::time::Duration;

use schedulers::RunTime;
use schedulers::conductor::StopBy;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::backend;
use crate::clock::Clock;
use crate::exit::Exit;

/// How long whoever sends SIGTERM waits before SIGKILL: the shortest notice of the usual managers.
pub const NOTICE: Duration = Duration::from_secs(30);

/// What signals have asked for so far. Ordered: it only ever grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Asked {
    /// Nothing.
    #[default]
    Nothing,
    /// Finish and save.
    Finish,
    /// Kill the trials and save what stands.
    Kill,
}

/// What was asked, by whom and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wish {
    /// How much.
    pub asked: Asked,
    /// Who began it; absent before anything was asked.
    pub by: Option<StopBy>,
    /// When it began.
    pub since: RunTime,
    /// How long the process was suspended in all.
    pub suspended: Duration,
}

/// Listens to the signals of this process while it lives.
#[derive(Debug)]
pub struct Signals {
    wish: watch::Receiver<Wish>,
    task: JoinHandle<()>,
}

impl Signals {
    /// Starts to listen. Needs a runtime.
    pub fn listen(clock: Clock) -> io::Result<Self> {
        let streams = Streams {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            suspend: signal(SignalKind::from_raw(libc::SIGTSTP))?,
        };
        let (tell, wish) = watch::channel(Wish::default());
        let task = tokio::spawn(streams.serve(clock, tell));
        Ok(Self { wish, task })
    }

    /// Wishes from elsewhere than signals; for tests, and whoever else decides for the user.
    pub fn from_channel(wish: watch::Receiver<Wish>) -> Self {
        Self {
            wish,
            task: tokio::spawn(async {}),
        }
    }

    /// What was asked so far.
    pub fn wish(&self) -> Wish {
        *self.wish.borrow()
    }

    /// Hears of all that will be asked, beside this listener.
    pub fn subscribe(&self) -> watch::Receiver<Wish> {
        self.wish.clone()
    }

    /// Waits until more is asked, or the process was suspended, and returns all of it.
    pub async fn changed(&mut self) -> Wish {
        if self.wish.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        *self.wish.borrow_and_update()
    }

    /// Waits until anything is asked.
    pub async fn stop(&mut self) -> Wish {
        loop {
            let wish = self.wish();
            if wish.asked > Asked::Nothing {
                return wish;
            }
            self.changed().await;
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Streams {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    suspend: Signal,
}

impl Streams {
    async fn serve(mut self, clock: Clock, tell: watch::Sender<Wish>) {
        let mut wish = Wish::default();
        loop {
            let by = tokio::select! {
                _ = self.interrupt.recv() => StopBy::User,
                _ = self.terminate.recv() => StopBy::Signal,
                _ = self.hangup.recv() => StopBy::Signal,
                _ = self.suspend.recv() => {
                    wish.suspended += suspend(&clock);
                    tell.send_replace(wish);
                    continue;
                }
            };
            match grow(&mut wish, by, clock.now()) {
                Some(exit) => {
                    backend::kill_all();
                    backend::exit_at_once(exit.code());
                }
                None => drop(tell.send_replace(wish)),
            }
        }
    }
}

/// Asks for one step more. A third one is the exit code to leave with at once; SIGTERM never aborts.
fn grow(wish: &mut Wish, by: StopBy, now: RunTime) -> Option<Exit> {
    wish.asked = match (wish.asked, by) {
        (Asked::Nothing, _) => {
            (wish.by, wish.since) = (Some(by), now);
            Asked::Finish
        }
        (Asked::Finish, _) | (Asked::Kill, StopBy::Signal) => Asked::Kill,
        (Asked::Kill, StopBy::User) => return Some(Exit::Interrupted),
    };
    None
}

/// Stops every process and this one until it is continued, and takes that time out of the run.
fn suspend(clock: &Clock) -> Duration {
    backend::suspend_all();
    clock.freeze();
    backend::suspend_self();
    let length = clock.thaw();
    backend::resume_all();
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(signals: &[StopBy], expected: &[Asked], leaves: Option<Exit>) {
        let mut wish = Wish::default();
        let mut left = None;
        let mut seen = Vec::new();
        for (at, by) in (1..).zip(signals) {
            left = grow(&mut wish, *by, RunTime(Duration::from_secs(at)));
            seen.push(wish.asked);
        }
        assert_eq!((seen.as_slice(), left), (expected, leaves), "{signals:?}");
        assert_eq!(
            wish.since,
            RunTime(Duration::from_secs(1)),
            "the notice counts from the first"
        );
        assert_eq!(wish.by, Some(signals[0]));
    }

    #[test]
    fn each_interrupt_asks_for_more_and_the_third_leaves() {
        use Asked::{Finish, Kill};
        use StopBy::{Signal, User};
        check(&[User], &[Finish], None);
        check(&[User, User], &[Finish, Kill], None);
        check(
            &[User, User, User],
            &[Finish, Kill, Kill],
            Some(Exit::Interrupted),
        );
        check(&[Signal, Signal, Signal], &[Finish, Kill, Kill], None);
        check(
            &[Signal, User, User],
            &[Finish, Kill, Kill],
            Some(Exit::Interrupted),
        );
    }
}
