//! A child process: known by pidfd, and left a zombie until its group is dead, so that its number can never mean
//! another one.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Command;

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tokio::io::unix::AsyncFd;

use super::group::Group;
use super::unix::{self, Confines, Gone};

/// A child and its process group. Dropping it kills both.
#[derive(Debug)]
pub(super) struct Process {
    pid: Pid,
    pidfd: AsyncFd<OwnedFd>,
    group: Group,
}

impl Process {
    /// Spawns it (see [`unix::spawn`]).
    pub(super) fn spawn(
        command: &mut Command,
        pipes: Option<(OwnedFd, OwnedFd)>,
    ) -> io::Result<Self> {
        let (pid, pidfd) = unix::spawn(command, pipes)?;
        Self::watched(pid, pidfd)
    }

    /// Spawns it with no more of the machine than `confines` says.
    pub(super) fn spawn_confined(command: &mut Command, confines: &Confines) -> io::Result<Self> {
        unix::confine(command, confines)?;
        Self::spawn(command, None)
    }

    /// Takes over a child that somebody else has forked, the leader of its own group.
    pub(super) fn adopt(pid: Pid) -> io::Result<Self> {
        Self::watched(pid, unix::pidfd(pid)?)
    }

    fn watched(pid: Pid, pidfd: OwnedFd) -> io::Result<Self> {
        let group = Group::of(pid);
        Ok(Self {
            pid,
            pidfd: unix::registered(pidfd)?,
            group,
        })
    }

    /// Its number.
    pub(super) fn pid(&self) -> u32 {
        self.pid.as_raw().unsigned_abs()
    }

    /// Waits for its end.
    pub(super) async fn ended(&self) -> io::Result<Gone> {
        loop {
            let mut ready = self.pidfd.readable().await?;
            if let Some(gone) = unix::how_it_ended(self.pidfd.get_ref())? {
                return Ok(gone);
            }
            ready.clear_ready();
        }
    }

    /// Sends a signal to it and its group.
    pub(super) fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }
}
