//! Holds the hard deadline, in a thread of its own: whatever the loop does, the prompt is back in time.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use schedulers::RunTime;

use crate::backend;
use crate::clock::Clock;
use crate::exit::Exit;

/// What to say and how to leave when time is up; kept current by the run, so that nothing has to be
/// asked of a loop that may hang.
#[derive(Debug, Clone)]
pub struct LastWords {
    /// What stands, for people.
    pub text: String,
    /// The exit code that says the same.
    pub exit: Exit,
    /// A folder that is worth nothing yet, and goes.
    pub abandon: Option<PathBuf>,
}

#[derive(Debug)]
struct State {
    /// Absent once the watchdog is off duty.
    deadline: Option<RunTime>,
    words: LastWords,
    /// Somebody asked for the end: that is what the exit code says then.
    asked: Option<Exit>,
}

/// The thread. Dropping it ends its duty.
#[derive(Debug)]
pub struct Watchdog {
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Starts to watch. At `deadline` every process is killed and this one left, whatever happens.
    pub fn start(clock: Clock, deadline: RunTime, words: LastWords) -> Self {
        let state = Arc::new(Mutex::new(State {
            deadline: Some(deadline),
            words,
            asked: None,
        }));
        let watched = state.clone();
        let thread = thread::spawn(move || watch(&clock, &watched));
        Self {
            state,
            thread: Some(thread),
        }
    }

    /// Moves the deadline nearer; it never moves away.
    pub fn no_later_than(&self, deadline: RunTime) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.deadline = state.deadline.map(|old| old.min(deadline));
        self.wake();
    }

    /// Somebody asked for the end, which has this exit code.
    pub fn asked(&self, exit: Exit) {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .asked = Some(exit);
    }

    /// Says what stands now.
    pub fn remember(&self, words: LastWords) {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .words = words;
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .deadline = None;
        self.wake();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say.
            let _ = thread.join();
        }
    }
}

fn watch(clock: &Clock, state: &Mutex<State>) {
    loop {
        let left = {
            let state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(deadline) = state.deadline else {
                return;
            };
            let left = deadline.since(clock.now());
            if left.is_zero() {
                leave(&state.words, state.asked.unwrap_or(state.words.exit));
            }
            left
        };
        // Not in one go: Ctrl-Z moves the run time, and a machine that slept moves it too.
        thread::park_timeout(left.min(Duration::from_secs(1)));
    }
}

/// Kills all and leaves. The words may be lost on a terminal that does not read; the time is not.
fn leave(words: &LastWords, exit: Exit) -> ! {
    backend::kill_all();
    if let Some(folder) = &words.abandon {
        // What cannot be removed is seen to be unfinished by its journal.
        let _ = fs::remove_dir_all(folder);
    }
    let text = format!(
        "\nwarning: the deadline was held by force. {}\n",
        words.text
    );
    let writer = thread::spawn(move || {
        let _ = std::io::stderr().write_all(text.as_bytes());
    });
    for _ in 0..20 {
        if writer.is_finished() {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    backend::exit_at_once(exit.code())
}
