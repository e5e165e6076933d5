//! A helper process that does one thing and ends: preparing, profiling.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe;

use super::process::Process;
use super::unix::{self, Gone};

/// How a helper ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code or the signal that ended it.
    pub status: ExitStatus,
    /// What it said on its standard error.
    pub words: String,
}

/// Runs `command` to its end and passes each line of its output on. Its standard error goes to the
/// file `log`. Dropping the future kills the process.
pub async fn run_child(
    mut command: Command,
    log: &Path,
    mut on_line: impl FnMut(&str),
) -> io::Result<Ended> {
    let (reading, writing): (OwnedFd, OwnedFd) = unix::pipe()?;
    command
        .stdin(Stdio::null())
        .stdout(writing)
        .stderr(File::create(log)?);
    let process = Process::spawn(&mut command, None)?;
    // It holds the other end of the pipe.
    drop(command);
    let mut lines = BufReader::new(pipe::Receiver::from_owned_fd(reading)?).lines();
    while let Some(line) = lines.next_line().await? {
        on_line(&line);
    }
    let status = match process.ended().await? {
        Gone::Exited(code) => ExitStatus::from_raw(code << 8),
        Gone::Killed(signal) => ExitStatus::from_raw(signal as i32),
    };
    Ok(Ended {
        status,
        words: fs::read_to_string(log).unwrap_or_default(),
    })
}
