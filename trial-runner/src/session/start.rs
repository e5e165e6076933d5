//! A trial process from its descriptors to its exit code.

use std::fs;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::{SFlag, fstat};
use schedulers::protocol::{Task, TaskSpec, TrialMessage, VERSION};

use super::{Link, Stopwatch, confine};
use crate::error::{Error, Result};
use crate::sys::{COMMANDS_FD, REPORTS_FD, own_inherited};
use crate::task;

/// Runs the task in the file `spec` in a process that a launcher has just forked and
/// given its descriptors. Returns the exit code.
pub fn run_forked(spec: &Path) -> i32 {
    run(spec, own_inherited(COMMANDS_FD), own_inherited(REPORTS_FD))
}

/// Runs the task in the file `spec` in this process. Its pipes are descriptors 3 and 4
/// where they are open; a person who runs a trial by hand has none, and reads the
/// reports on standard output. Returns the exit code.
pub fn run_cold(spec: &Path) -> i32 {
    let pipe = |number, mode| own_inherited(number).filter(|fd| is_pipe(fd, mode));
    run(
        spec,
        pipe(COMMANDS_FD, OFlag::O_RDONLY),
        pipe(REPORTS_FD, OFlag::O_WRONLY),
    )
}

/// A descriptor that a shell or a build tool left open is not mistaken for ours.
fn is_pipe(fd: &OwnedFd, mode: OFlag) -> bool {
    let is_fifo = fstat(fd).is_ok_and(|stat| {
        SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFIFO
    });
    let access = fcntl(fd, FcntlArg::F_GETFL)
        .map(|flags| OFlag::from_bits_truncate(flags) & OFlag::O_ACCMODE);
    is_fifo && access == Ok(mode)
}

fn run(spec: &Path, commands: Option<OwnedFd>, reports: Option<OwnedFd>) -> i32 {
    let clock = Stopwatch::start();
    keep_panics_quiet();
    let mut link = Link::new(reports);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        perform(spec, commands, &mut link, clock)
    }));
    let error = match outcome {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error,
        Err(_) => from_panic(),
    };
    let failure = error.failure();
    let message = error.to_string();
    // The log is for people; a full disk is no reason to hide the failure itself.
    drop(std::io::Write::write_fmt(
        &mut std::io::stderr(),
        format_args!("error: {message}\n"),
    ));
    link.send(&TrialMessage::Failed { failure, message });
    failure.exit_code().map_or(1, i32::from)
}

fn perform(
    path: &Path,
    commands: Option<OwnedFd>,
    link: &mut Link,
    clock: Stopwatch,
) -> Result<()> {
    let spec = read_spec(path)?;
    confine(&spec)?;
    if let Some(commands) = commands {
        link.listen(commands)?;
    }
    let (trial, attempt) = match &spec.task {
        Task::Train(train) => (train.trial, train.attempt),
        Task::Probe(_) | Task::Evaluate(_) => (0, 0),
    };
    link.send(&TrialMessage::Hello {
        version: VERSION,
        pid: std::process::id(),
        trial,
        attempt,
    });
    task::run(&spec.task, link, clock)
}

/// Reads a task; one of another version is refused as such.
pub fn read_spec(path: &Path) -> Result<TaskSpec> {
    let text = fs::read_to_string(path).map_err(Error::reading(path))?;
    TaskSpec::from_json(&text).map_err(|error| match error {
        schedulers::error::Error::WrongVersion { ours, theirs } => Error::WrongVersion {
            what: format!("the task in {}", path.display()),
            found: theirs,
            expected: ours,
        },
        other => Error::Usage(format!("{}: {other}", path.display())),
    })
}

/// The last panic's words, for the report pipe.
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// A panic is told once, by `run`, and not by the runtime as well.
fn keep_panics_quiet() {
    set_hook(Box::new(|info| {
        let words = info.payload_as_str().unwrap_or("a panic without words");
        let place = info
            .location()
            .map(|at| format!(" ({}:{})", at.file(), at.line()))
            .unwrap_or_default();
        *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(format!("{words}{place}"));
    }));
}

/// tch panics where libtorch throws in a call that has no fallible form; memory is told
/// from faults by the words.
fn from_panic() -> Error {
    let words = LAST_PANIC
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
        .unwrap_or_default();
    match Error::from_torch_message(&words) {
        Error::OutOfMemory(words) => Error::OutOfMemory(words),
        _ => Error::Bug(format!(
            "panic: {}",
            words.lines().next().unwrap_or_default()
        )),
    }
}
