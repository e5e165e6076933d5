//! The pipes and log files of one process: its ends, which travel to it, and ours.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use tokio::net::unix::pipe;

use super::unix;

/// What the process gets, in the order of the protocol.
#[derive(Debug)]
pub(super) struct Theirs {
    pub(super) commands: OwnedFd,
    pub(super) reports: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// What stays here.
#[derive(Debug)]
pub(super) struct Ours {
    /// Closing it tells the process that nobody is left to command it.
    pub(super) commands: pipe::Sender,
    pub(super) reports: pipe::Receiver,
}

/// Opens both sides; the logs lie in `dir` and are added to.
pub(super) fn open(dir: &Path) -> io::Result<(Ours, Theirs)> {
    let (their_commands, our_commands) = unix::pipe()?;
    let (our_reports, their_reports) = unix::pipe()?;
    let log = |name: &str| {
        File::options()
            .create(true)
            .append(true)
            .open(dir.join(name))
    };
    let theirs = Theirs {
        commands: their_commands,
        reports: their_reports,
        stdout: log("stdout.log")?.into(),
        stderr: log("stderr.log")?.into(),
    };
    let ours = Ours {
        commands: pipe::Sender::from_owned_fd(our_commands)?,
        reports: pipe::Receiver::from_owned_fd(our_reports)?,
    };
    Ok((ours, theirs))
}
