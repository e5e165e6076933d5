//! The engine's end of the launcher and of trials: small, blocking, with deadlines.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use schedulers::protocol::{
    Command, LauncherReply, LauncherRequest, Lines, TaskSpec, TrialMessage, encode,
};
use trial_runner::launcher::Socket;

/// Far above what any of these tests needs, and the end of one that waits in vain.
const DEADLINE_MS: u16 = 30_000;

pub(crate) fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_autotune-trial")
}

/// Waits until there is something to read, or fails the test.
fn await_readable(fd: impl AsFd, what: &str) {
    let mut fds = [PollFd::new(fd.as_fd(), PollFlags::POLLIN)];
    assert_eq!(
        poll(&mut fds, PollTimeout::from(DEADLINE_MS)),
        Ok(1),
        "waited too long for {what}"
    );
}

pub(crate) struct Launcher {
    pub(crate) process: Child,
    /// The socket, and a second descriptor of it to wait on; `None` after `hang_up`.
    socket: Option<(Socket, OwnedFd)>,
    next_id: u64,
}

impl Launcher {
    pub(crate) fn start() -> Self {
        nix::sys::prctl::set_child_subreaper(true).unwrap();
        let (ours, theirs) = socketpair(
            AddressFamily::Unix,
            SockType::SeqPacket,
            None,
            SockFlag::SOCK_CLOEXEC,
        )
        .unwrap();
        let process = Process::new(binary())
            .arg("launcher")
            .stdin(Stdio::from(theirs))
            .spawn()
            .unwrap();
        let watch = ours.try_clone().unwrap();
        let mut launcher = Self {
            process,
            socket: Some((Socket::new(ours), watch)),
            next_id: 7,
        };
        assert!(matches!(
            launcher.reply(),
            LauncherReply::Ready { version: 1, .. }
        ));
        launcher
    }

    pub(crate) fn reply(&mut self) -> LauncherReply {
        let (socket, watch) = self.socket.as_mut().unwrap();
        await_readable(&*watch, "the launcher's reply");
        socket.receive().unwrap().expect("the launcher lives").0
    }

    pub(crate) fn request(&mut self, request: &LauncherRequest, fds: &[OwnedFd]) -> LauncherReply {
        let numbers: Vec<i32> = fds.iter().map(AsRawFd::as_raw_fd).collect();
        self.socket
            .as_ref()
            .unwrap()
            .0
            .send(request, &numbers)
            .unwrap();
        self.reply()
    }

    pub(crate) fn quit(&mut self) {
        self.socket
            .as_ref()
            .unwrap()
            .0
            .send(&LauncherRequest::Quit, &[])
            .unwrap();
    }

    pub(crate) fn hang_up(&mut self) {
        self.socket = None;
    }

    /// Forks the task in `dir/spec.json`.
    pub(crate) fn fork(&mut self, dir: &Path) -> Trial {
        let (command_read, commands) = nix::unistd::pipe().unwrap();
        let (reports, report_write) = nix::unistd::pipe().unwrap();
        let log = |name: &str| OwnedFd::from(File::create(dir.join(name)).unwrap());
        self.next_id += 1;
        let request = LauncherRequest::Fork {
            id: self.next_id,
            spec: dir.join("spec.json"),
        };
        let reply = self.request(
            &request,
            &[
                command_read,
                report_write,
                log("stdout.log"),
                log("stderr.log"),
            ],
        );
        let LauncherReply::Forked { id, pid } = reply else {
            panic!("not forked: {reply:?}")
        };
        assert_eq!(id, self.next_id);
        Trial {
            pid: Pid::from_raw(pid.cast_signed()),
            commands: Some(File::from(commands)),
            reports: File::from(reports),
            lines: Lines::default(),
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

pub(crate) struct Trial {
    pub(crate) pid: Pid,
    /// `None` once the engine is gone.
    pub(crate) commands: Option<File>,
    reports: File,
    lines: Lines,
}

impl Trial {
    /// The next message but heartbeats; `None` at the end of the pipe.
    pub(crate) fn next(&mut self) -> Option<TrialMessage> {
        loop {
            match self.lines.next_message().unwrap() {
                Some(TrialMessage::Heartbeat { .. }) => {}
                Some(message) => return Some(message),
                None => {
                    await_readable(&self.reports, "a report");
                    let mut block = [0; 4096];
                    let n = self.reports.read(&mut block).unwrap();
                    if n == 0 {
                        return None;
                    }
                    self.lines.push(&block[..n]);
                }
            }
        }
    }

    /// All messages up to and including the first that `last` accepts.
    pub(crate) fn until(&mut self, last: impl Fn(&TrialMessage) -> bool) -> Vec<TrialMessage> {
        let mut messages = Vec::new();
        while let Some(message) = self.next() {
            let done = last(&message);
            messages.push(message);
            if done {
                return messages;
            }
        }
        panic!("the pipe ended after {messages:#?}");
    }

    pub(crate) fn say(&mut self, command: Command) {
        self.commands
            .as_mut()
            .unwrap()
            .write_all(&encode(&command).unwrap())
            .unwrap();
    }

    /// Everything that is still said, and the exit.
    pub(crate) fn end(mut self) -> (Vec<TrialMessage>, WaitStatus) {
        let mut messages = Vec::new();
        while let Some(message) = self.next() {
            messages.push(message);
        }
        (messages, waitpid(self.pid, None).unwrap())
    }

    pub(crate) fn lives(&self) -> bool {
        waitpid(self.pid, Some(WaitPidFlag::WNOHANG)) == Ok(WaitStatus::StillAlive)
    }
}

/// Writes `spec` where `Launcher::fork` looks for it.
pub(crate) fn write_spec(dir: &Path, spec: &TaskSpec) {
    std::fs::write(dir.join("spec.json"), spec.to_json().unwrap()).unwrap();
}
