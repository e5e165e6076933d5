//! The system calls: spawning with a parent-death signal and fixed descriptors, waiting by pidfd,
//! leaving at once. Every `unsafe` of this crate is here.
#![expect(
    unsafe_code,
    reason = "descriptors and processes by number have no safe form"
)]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, getpid, getppid, pipe2};
use tokio::io::unix::AsyncFd;

/// The number under which a cold trial finds its commands (`trial_runner::sys::COMMANDS_FD`).
const COMMANDS_FD: RawFd = 3;
/// The number under which a cold trial finds the pipe for its reports.
const REPORTS_FD: RawFd = 4;

/// What of the machine a program is given.
#[derive(Debug, Clone)]
pub(super) struct Confines {
    /// The cores it stays on; empty for any.
    pub(super) cpus: Vec<u32>,
    /// The most memory of its own.
    pub(super) memory_bytes: Option<u64>,
}

/// How a process is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gone {
    /// By itself, with this exit code.
    Exited(i32),
    /// By a signal.
    Killed(Signal),
}

/// Makes this process the parent of its orphaned descendants: trials are forked by the launcher,
/// and their exit statuses come here.
pub fn become_subreaper() -> io::Result<()> {
    Ok(prctl::set_child_subreaper(true)?)
}

/// Leaves without destructors, exit handlers or anything else that could hang.
pub fn exit_at_once(code: u8) -> ! {
    // SAFETY: `_exit` has no preconditions and does not return.
    unsafe { libc::_exit(i32::from(code)) }
}

/// A pipe whose ends no child inherits: (read, write).
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe2(OFlag::O_CLOEXEC)?)
}

/// A pair of sockets that keep the borders of messages. Ours does not block; no child inherits it.
pub(super) fn seqpacket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SockFlag::SOCK_CLOEXEC;
    let (ours, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?;
    let nonblocking = nix::fcntl::FcntlArg::F_SETFL(OFlag::O_NONBLOCK);
    nix::fcntl::fcntl(&ours, nonblocking)?;
    Ok((ours, theirs))
}

/// Spawns `command` in a process group of its own, to be killed by the kernel when this process
/// dies. `pipes` (commands, reports) become descriptors 3 and 4.
///
/// The parent-death signal fires when the *thread* that spawned ends: call it from a thread that
/// lives as long as the program, not from the blocking pool.
pub(super) fn spawn(
    command: &mut Command,
    pipes: Option<(OwnedFd, OwnedFd)>,
) -> io::Result<(Pid, OwnedFd)> {
    let parent = getpid();
    let numbers = pipes
        .as_ref()
        .map(|(commands, reports)| (commands.as_raw_fd(), reports.as_raw_fd()));
    command.process_group(0);
    // SAFETY: the closure makes system calls that are safe between fork and exec, and nothing else.
    unsafe {
        command.pre_exec(move || {
            prctl::set_pdeathsig(Signal::SIGKILL)?;
            if getppid() != parent {
                return Err(Errno::ESRCH.into());
            }
            if let Some((commands, reports)) = numbers {
                // First out of the way: one may stand where the other has to go.
                let commands = Errno::result(libc::fcntl(commands, libc::F_DUPFD_CLOEXEC, 16))?;
                let reports = Errno::result(libc::fcntl(reports, libc::F_DUPFD_CLOEXEC, 16))?;
                Errno::result(libc::dup2(commands, COMMANDS_FD))?;
                Errno::result(libc::dup2(reports, REPORTS_FD))?;
            }
            Ok(())
        });
    }
    let child = command.spawn()?;
    // Ours close here, so that end-of-file means what it should.
    drop(pipes);
    let pid = Pid::from_raw(child.id().cast_signed());
    Ok((pid, pidfd(pid)?))
}

/// Makes `command` confine itself before it begins. What the system refuses is a command that does not start.
pub(super) fn confine(command: &mut Command, confines: &Confines) -> io::Result<()> {
    let mut cpus = CpuSet::new();
    for &cpu in &confines.cpus {
        cpus.set(cpu as usize)?;
    }
    let is_bound = !confines.cpus.is_empty();
    let memory_bytes = confines.memory_bytes;
    // SAFETY: the closure makes two system calls on values made before, and nothing else.
    unsafe {
        command.pre_exec(move || {
            if is_bound {
                sched_setaffinity(Pid::from_raw(0), &cpus)?;
            }
            if let Some(bytes) = memory_bytes {
                setrlimit(Resource::RLIMIT_DATA, bytes, bytes)?;
            }
            Ok(())
        });
    }
    Ok(())
}

/// A descriptor that the runtime watches.
pub(super) fn registered(fd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned by the value it is registered through, and stays open as long.
    Ok(unsafe { AsyncFd::register(fd) }?)
}

/// A descriptor of a child that is readable when the child has ended.
pub(super) fn pidfd(pid: Pid) -> io::Result<OwnedFd> {
    // SAFETY: takes two numbers; the result is a new descriptor or an error.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0) };
    let fd = Errno::result(fd)?;
    let fd = RawFd::try_from(fd).map_err(io::Error::other)?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// How the child behind `pidfd` has ended; `None` while it lives. Leaves its status where it is: the number of a child,
/// and of its group, is nobody else's until [`reap_group`] has taken it.
pub(super) fn how_it_ended(pidfd: &OwnedFd) -> io::Result<Option<Gone>> {
    use std::os::fd::AsFd;
    match waitid(
        Id::PIDFd(pidfd.as_fd()),
        WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT,
    ) {
        Ok(WaitStatus::Exited(_, code)) => Ok(Some(Gone::Exited(code))),
        Ok(WaitStatus::Signaled(_, signal, _)) => Ok(Some(Gone::Killed(signal))),
        Ok(_) | Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

/// Sends `signal` to a whole process group. A group that is gone already is no error.
pub(super) fn signal_group(group: Pid, signal: Signal) {
    match kill(Pid::from_raw(-group.as_raw()), signal) {
        Ok(()) | Err(_) => {}
    }
}

/// Takes the statuses of ended members of `group` that have become our children. True when
/// members live on.
pub(super) fn reap_group(group: Pid) -> bool {
    loop {
        match waitpid(Pid::from_raw(-group.as_raw()), Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

/// Kills every child of this process and takes its status: the last act of a run. What it finds was
/// orphaned by a dead launcher, or by a trial that left processes behind.
pub fn reap_all() {
    for _ in 0..100 {
        for child in children() {
            signal_group(child, Signal::SIGKILL);
            // Not every stranger leads a group of its own.
            let _ = kill(child, Signal::SIGKILL);
        }
        loop {
            match waitpid(None::<Pid>, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => break,
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => return,
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// The children of every thread of this process.
fn children() -> Vec<Pid> {
    let threads = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let lists =
        threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_ascii_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<i32>>()
        })
        .map(Pid::from_raw)
        .collect()
}

/// Stops this process until somebody continues it.
pub fn suspend_self() {
    // A process may always stop itself.
    let _ = kill(getpid(), Signal::SIGSTOP);
}
