//! A trial process from its descriptors to its exit code.

use std::fs;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::panic::set_hook;
use std::path::Path;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::stat::{SFlag, fstat};
use schedulers::protocol::{FailureKind, Task, TaskSpec, TrialMessage, VERSION};

use super::{Held, Link, Stopwatch, confine};
use crate::error::{Error, Result};
use crate::sys::{Inherited, says_out_of_memory};
use crate::task;
use crate::train::guarded;

/// Runs the task in the file `spec` in a process that a launcher has just forked and
/// given its descriptors; `held` is what the launcher has open. Returns the exit code.
pub fn run_forked(spec: &Path, held: &Held) -> i32 {
    run(
        spec,
        held,
        Inherited::Commands.take(),
        Inherited::Reports.take(),
    )
}

/// Runs the task in the file `spec` in this process. Its pipes are descriptors 3 and 4
/// where they are open; a person who runs a trial by hand has none, and reads the
/// reports on standard output. Returns the exit code.
pub fn run_cold(spec: &Path) -> i32 {
    let pipe = |fd: Inherited, mode| fd.take().filter(|fd| is_pipe(fd, mode));
    run(
        spec,
        &Held::default(),
        pipe(Inherited::Commands, OFlag::O_RDONLY),
        pipe(Inherited::Reports, OFlag::O_WRONLY),
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

fn run(spec: &Path, held: &Held, commands: Option<OwnedFd>, reports: Option<OwnedFd>) -> i32 {
    let clock = Stopwatch::start();
    quiet_panics();
    says_out_of_memory(exit_code(FailureKind::OutOfMemory));
    let mut link = Link::new(reports);
    let Err(error) = guarded(|| perform(spec, held, commands, &mut link, clock)) else {
        return 0;
    };
    let failure = error.failure();
    let message = error.to_string();
    // The log is for people; a full disk is no reason to hide the failure itself.
    drop(writeln!(io::stderr(), "error: {message}"));
    link.send(&TrialMessage::Failed { failure, message });
    exit_code(failure)
}

fn exit_code(failure: FailureKind) -> i32 {
    failure.exit_code().map_or(1, i32::from)
}

fn perform(
    path: &Path,
    held: &Held,
    commands: Option<OwnedFd>,
    link: &mut Link,
    clock: Stopwatch,
) -> Result<()> {
    let spec = read_spec(path)?;
    let device = confine(&spec)?;
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
    task::run(
        &spec,
        &task::Setting {
            link,
            held,
            clock,
            device,
        },
    )
}

/// Reads a task; one of another version is refused as such.
pub fn read_spec(path: &Path) -> Result<TaskSpec> {
    let text = fs::read_to_string(path).map_err(Error::reading(path))?;
    TaskSpec::from_json(&text).map_err(|error| {
        if let schedulers::error::Error::WrongVersion { ours, theirs } = error {
            let what = format!("the task in {}", path.display());
            return Error::WrongVersion {
                what,
                found: theirs,
                expected: ours,
            };
        }
        Error::Usage(format!("{}: {error}", path.display()))
    })
}

/// A panic becomes an error where it is caught; the log only learns where it was.
pub fn quiet_panics() {
    set_hook(Box::new(|info| {
        if let Some(at) = info.location() {
            drop(writeln!(
                io::stderr(),
                "panic at {}:{}",
                at.file(),
                at.line()
            ));
        }
    }));
}
