//! The engine's end of the launcher, without an engine: one thread, and `poll`.

use std::fs::File;
use std::io::{IoSlice, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, ControlMessage, MsgFlags, SockFlag, SockType, UnixAddr, recv, sendmsg,
    socketpair,
};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{Pid, pipe2};
use schedulers::protocol::{Command, LauncherReply, LauncherRequest, Lines, TrialMessage, encode};

use super::Result;

pub(crate) struct Launcher {
    process: Child,
    socket: OwnedFd,
    n_forked: u64,
}

impl Launcher {
    pub(crate) fn start(trial: &Path) -> Result<Self> {
        nix::sys::prctl::set_child_subreaper(true)?;
        let (socket, theirs) = socketpair(
            AddressFamily::Unix,
            SockType::SeqPacket,
            None,
            SockFlag::SOCK_CLOEXEC,
        )?;
        let process = Process::new(trial)
            .arg("launcher")
            .stdin(Stdio::from(theirs))
            .spawn()?;
        let launcher = Self {
            process,
            socket,
            n_forked: 0,
        };
        match launcher.reply()? {
            LauncherReply::Ready { .. } => Ok(launcher),
            other @ (LauncherReply::Forked { .. } | LauncherReply::Refused { .. }) => {
                Err(format!("not ready: {other:?}").into())
            }
        }
    }

    fn reply(&self) -> Result<LauncherReply> {
        let mut block = [0; 4096];
        let n = recv(self.socket.as_raw_fd(), &mut block, MsgFlags::empty())?;
        Ok(serde_json::from_slice(&block[..n])?)
    }

    /// Forks the task in `dir/spec.json`.
    pub(crate) fn fork(&mut self, dir: &Path) -> Result<Leg> {
        let (their_commands, commands) = pipe2(OFlag::O_CLOEXEC)?;
        let (reports, their_reports) = pipe2(OFlag::O_CLOEXEC)?;
        let (stdout, stderr) = (
            File::create(dir.join("stdout.log"))?,
            File::create(dir.join("stderr.log"))?,
        );
        self.n_forked += 1;
        let request = serde_json::to_vec(&LauncherRequest::Fork {
            id: self.n_forked,
            spec: dir.join("spec.json"),
        })?;
        let fds: [RawFd; 4] = [
            their_commands.as_raw_fd(),
            their_reports.as_raw_fd(),
            stdout.as_raw_fd(),
            stderr.as_raw_fd(),
        ];
        sendmsg::<UnixAddr>(
            self.socket.as_raw_fd(),
            &[IoSlice::new(&request)],
            &[ControlMessage::ScmRights(&fds)],
            MsgFlags::empty(),
            None,
        )?;
        match self.reply()? {
            LauncherReply::Forked { pid, .. } => Ok(Leg {
                pid: Pid::from_raw(pid.cast_signed()),
                commands: commands.into(),
                reports: reports.into(),
                lines: Lines::default(),
            }),
            other @ (LauncherReply::Ready { .. } | LauncherReply::Refused { .. }) => {
                Err(format!("not forked: {other:?}").into())
            }
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        // It may be dead already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// A leg on its way.
pub(crate) struct Leg {
    pid: Pid,
    commands: File,
    reports: File,
    lines: Lines,
}

impl Leg {
    /// Reads what it says and lets it pause at its end. Whether it is gone.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        let mut block = [0; 4096];
        let n = self.reports.read(&mut block)?;
        if n == 0 {
            let status = waitpid(self.pid, None)?;
            if status == WaitStatus::Exited(self.pid, 0) {
                return Ok(true);
            }
            return Err(format!("a leg ended with {status:?}").into());
        }
        self.lines.push(&block[..n]);
        while let Some(message) = self.lines.next_message::<TrialMessage>()? {
            match message {
                TrialMessage::LegEnd { .. } => {
                    self.commands.write_all(&encode(&Command::Pause)?)?
                }
                TrialMessage::Failed { message, .. } => return Err(message.into()),
                TrialMessage::Hello { .. }
                | TrialMessage::Started { .. }
                | TrialMessage::Heartbeat { .. }
                | TrialMessage::Report(_)
                | TrialMessage::Checkpoint { .. }
                | TrialMessage::Result(_) => {}
            }
        }
        Ok(false)
    }
}

/// Waits until some of the legs have something to say, and gives their places.
pub(crate) fn await_any<'a>(legs: impl Iterator<Item = &'a Leg>) -> Result<Vec<usize>> {
    let mut fds: Vec<PollFd<'_>> = legs
        .map(|leg| PollFd::new(leg.reports.as_fd(), PollFlags::POLLIN))
        .collect();
    poll(&mut fds, PollTimeout::NONE)?;
    Ok((0..fds.len())
        .filter(|&at| fds[at].any().unwrap_or(false))
        .collect())
}
