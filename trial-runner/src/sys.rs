//! What needs `unsafe`: forking, descriptors that arrive as numbers, leaving at once,
//! the environment, a library loaded at run time, the allocator. Nothing else in the launcher or the
//! session is unsafe; each function here says why it is sound.
#![expect(
    unsafe_code,
    reason = "fork and inherited descriptors have no safe form"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use nix::sys::signal::{SigHandler, Signal};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, UnixAddr, recvmsg};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, getpid, getppid, setpgid};

use crate::error::Class;

/// The proof that this process has one thread. Only such a process may fork: a lock held
/// by another thread would stay locked in the child for ever.
pub struct OneThread(());

impl OneThread {
    /// Counts the threads; an error names their number.
    pub fn check() -> io::Result<Self> {
        match fs::read_dir("/proc/self/task")?.count() {
            1 => Ok(Self(())),
            n => Err(io::Error::other(format!(
                "this process has {n} threads, and only one with a single thread can fork"
            ))),
        }
    }
}

/// Forks a process that runs `body` and leaves with the code it returns. Its parent is
/// the nearest subreaper above the launcher (the engine), its group is its own, and both
/// are true before this returns its process id. `body` panicking is exit code 101.
///
/// Costs two forks, about 2.5 ms with libtorch loaded: the process between ends at once,
/// which is what hands its child up.
pub fn fork_trial(_proof: &OneThread, body: impl FnOnce() -> i32) -> io::Result<Pid> {
    let (mut hear, mut tell) = io::pipe()?;
    // SAFETY: the process has one thread (`OneThread`), so that no lock can be held by a
    // thread that the child lacks; the child may do all that the parent could.
    match unsafe { nix::unistd::fork() }? {
        ForkResult::Parent { child } => {
            // Only the children hold the other end now: their death is an end of file.
            drop(tell);
            let mut number = [0; 4];
            let said = hear.read_exact(&mut number);
            waitpid(child, None)?;
            said?;
            match i32::from_ne_bytes(number) {
                pid if pid > 0 => Ok(Pid::from_raw(pid)),
                errno => Err(io::Error::from_raw_os_error(-errno)),
            }
        }
        ForkResult::Child => {
            let between = getpid();
            // SAFETY: as above; this copy has one thread as well.
            match unsafe { nix::unistd::fork() } {
                Ok(ForkResult::Parent { .. }) => exit_now(0),
                Err(errno) => {
                    let told = tell.write_all(&(-(errno as i32)).to_ne_bytes());
                    exit_now(i32::from(told.is_err()))
                }
                Ok(ForkResult::Child) => {
                    // The process between is ending: a few microseconds.
                    while getppid() == between {
                        std::thread::yield_now();
                    }
                    let grouped = setpgid(Pid::from_raw(0), Pid::from_raw(0));
                    if grouped.is_err() || tell.write_all(&getpid().as_raw().to_ne_bytes()).is_err()
                    {
                        exit_now(1);
                    }
                    drop((hear, tell));
                    exit_now(catch_unwind(AssertUnwindSafe(body)).unwrap_or(101))
                }
            }
        }
    }
}

/// Leaves the process without running destructors or exit handlers: those of libtorch
/// belong to the launcher's copy. Output that this process has buffered is flushed.
pub fn exit_now(code: i32) -> ! {
    // A closed output is no reason to stay.
    drop(io::stdout().flush());
    abandon(code)
}

/// Leaves as [`exit_now`] does, and flushes nothing: another thread may hold standard output, waiting for a reader.
pub fn abandon(code: i32) -> ! {
    // SAFETY: `_exit` has no preconditions and does not return.
    unsafe { libc::_exit(code) }
}

/// Makes this process deaf to the signals that a terminal sends to all of its programs.
pub fn ignore_terminal() -> io::Result<()> {
    for signal in [Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT] {
        // SAFETY: no handler of ours is replaced, and none is installed.
        unsafe { nix::sys::signal::signal(signal, SigHandler::SigIgn) }?;
    }
    Ok(())
}

/// A message of a socket.
pub struct Received {
    /// Bytes of it that stand in the buffer; 0 when the other end is closed.
    pub n_bytes: usize,
    /// Whether all of it, and every descriptor, has arrived.
    pub is_whole: bool,
    /// The descriptors that it brought.
    pub fds: Vec<OwnedFd>,
}

/// Waits for one message, which is written to `buffer`, and takes over the descriptors that it brings.
pub fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> nix::Result<Received> {
    let mut space = nix::cmsg_space!([RawFd; 8]);
    let mut parts = [io::IoSliceMut::new(buffer)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let got = recvmsg::<UnixAddr>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    let mut fds = Vec::new();
    for message in got.cmsgs()? {
        if let ControlMessageOwned::ScmRights(numbers) = message {
            // SAFETY: the kernel has just made these numbers for this process (`SCM_RIGHTS`), and
            // nobody else has seen them.
            fds.extend(
                numbers
                    .into_iter()
                    .map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }),
            );
        }
    }
    Ok(Received {
        n_bytes: got.bytes,
        is_whole: !got
            .flags
            .intersects(MsgFlags::MSG_TRUNC | MsgFlags::MSG_CTRUNC),
        fds,
    })
}

/// A descriptor that a process of ours finds open when it begins, under a number that is agreed upon.
#[derive(Debug, Clone, Copy)]
pub enum Inherited {
    /// The launcher's socket: its standard input.
    Socket,
    /// A trial's commands.
    Commands,
    /// A trial's pipe for its reports.
    Reports,
}

impl Inherited {
    /// Takes it over; `None` where it is not open, and from the second time on. Call it before the process
    /// opens anything of its own, which might get the number.
    pub fn take(self) -> Option<OwnedFd> {
        static TAKEN: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
        let (fd, taken) = match self {
            Self::Socket => (libc::STDIN_FILENO, &TAKEN[0]),
            Self::Commands => (COMMANDS_FD, &TAKEN[1]),
            Self::Reports => (REPORTS_FD, &TAKEN[2]),
        };
        if taken.swap(true, Ordering::Relaxed) {
            return None;
        }
        // SAFETY: `F_GETFD` reads a flag of any number; a closed one is `EBADF`.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1 {
            return None;
        }
        // SAFETY: the descriptor is open, the number is given to this process by its parent (or by
        // `take_over`), and no other code has it: it is taken once.
        Some(unsafe { OwnedFd::from_raw_fd(fd) })
    }
}

/// The descriptors of a trial, in the order in which the engine sends them.
pub struct TrialFds {
    /// Commands of the engine, to read.
    pub commands: OwnedFd,
    /// Reports to the engine, to write.
    pub reports: OwnedFd,
    /// The trial's `stdout.log`.
    pub stdout: OwnedFd,
    /// The trial's `stderr.log`.
    pub stderr: OwnedFd,
}

/// The number under which a trial finds its commands.
pub const COMMANDS_FD: RawFd = 3;
/// The number under which a trial finds the pipe for its reports.
pub const REPORTS_FD: RawFd = 4;

/// Gives a freshly forked trial its descriptors 0 to 4 and closes every other one, the
/// launcher's own among them.
pub fn take_over(fds: TrialFds) -> io::Result<()> {
    use std::os::fd::IntoRawFd;
    let null = fs::File::open("/dev/null")?;
    let order = [
        null.into(),
        fds.stdout,
        fds.stderr,
        fds.commands,
        fds.reports,
    ];
    // First out of the way: a source may stand where another has to go.
    let mut high = [0; 5];
    for (high, fd) in high.iter_mut().zip(order) {
        // SAFETY: duplicates a descriptor we own onto a free number from 16 on.
        *high = unsafe { libc::fcntl(fd.into_raw_fd(), libc::F_DUPFD, 16) };
        if *high == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    for (to, from) in (0..).zip(high) {
        // SAFETY: whatever holds the number `to` belongs to the launcher's copy of this
        // process and is not used again in this one.
        if unsafe { libc::dup2(from, to) } == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    // SAFETY: closes what is above 4; the owners of those numbers live in the launcher's
    // frames, which this process never returns to.
    if unsafe { libc::close_range(5, libc::c_uint::MAX, 0) } == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Sets an environment variable, while this process has one thread.
pub fn set_env(_proof: &OneThread, name: &str, value: &str) {
    // SAFETY: nobody else can be reading the environment: there is one thread.
    unsafe { std::env::set_var(name, value) }
}

/// Loads a shared library for the effects of its initialisers, for the process's life.
pub fn load_library(name: &str) -> std::result::Result<(), libloading::Error> {
    // SAFETY: used for libtorch's own CUDA part, whose initialisers register its kernels
    // and nothing else.
    let library = unsafe {
        libloading::os::unix::Library::open(Some(name), libc::RTLD_NOW | libc::RTLD_GLOBAL)
    }?;
    std::mem::forget(library);
    Ok(())
}

/// The allocator of the binary. Memory that has run out ends the process with a code that
/// says so, where Rust would abort.
pub struct Memory;

/// The exit code when memory runs out: that of a verb, until `says_out_of_memory` names
/// that of a trial.
static OUT_OF_MEMORY: AtomicI32 = AtomicI32::new(Class::Environment as i32);

/// Sets the exit code with which this process ends when memory runs out.
pub fn says_out_of_memory(code: i32) {
    OUT_OF_MEMORY.store(code, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the one that is asked for.
        enough(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        enough(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        enough(unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

fn enough(block: *mut u8) -> *mut u8 {
    if block.is_null() {
        out_of_memory()
    } else {
        block
    }
}

/// Nothing here may allocate or unwind.
#[cold]
fn out_of_memory() -> ! {
    let words = b"error: out of memory\n";
    // SAFETY: a write of a static slice, and `_exit`.
    unsafe {
        libc::write(libc::STDERR_FILENO, words.as_ptr().cast(), words.len());
        libc::_exit(OUT_OF_MEMORY.load(Ordering::Relaxed))
    }
}
