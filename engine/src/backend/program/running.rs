//! A program that runs: its output, line by line, then its end.

use std::io;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe;
use tokio::time::timeout;

use crate::backend::process::Process;
use crate::backend::unix::{self, Confines, Gone};

/// How long its output is read on after its end. Only another holder of the pipe can make this long.
const DRAIN: Duration = Duration::from_millis(100);

/// The longest line; the rest of a longer one is another line.
const MAX_LINE_BYTES: usize = 1 << 20;

/// A program and the reading end of its output. Dropping it kills the program and its group.
pub(super) struct Running {
    process: Process,
    output: BufReader<pipe::Receiver>,
    is_open: bool,
    /// What has been read of the line that is being read.
    line: Vec<u8>,
    gone: Option<Gone>,
}

/// What comes next of a program.
pub(super) enum Next {
    /// A line, with its line break if it has one.
    Line(String),
    /// Its end; nothing comes after.
    Ended(Gone),
}

impl Running {
    pub(super) fn start(mut command: Command, confines: &Confines) -> io::Result<Self> {
        let (reading, writing) = unix::pipe()?;
        command.stdout(writing);
        let process = Process::spawn_confined(&mut command, confines)?;
        Ok(Self {
            process,
            output: BufReader::new(pipe::Receiver::from_owned_fd(reading)?),
            is_open: true,
            line: Vec::new(),
            gone: None,
        })
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.pid()
    }

    pub(super) fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    /// Waits for the next line, or the end. Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            if let Some(gone) = self.gone {
                return match timeout(DRAIN, self.read()).await {
                    Ok(Some(line)) => Next::Line(line),
                    Ok(None) | Err(_) => Next::Ended(gone),
                };
            }
            let is_open = self.is_open;
            tokio::select! {
                biased;
                line = read(&mut self.output, &mut self.line), if is_open => match line {
                    Some(line) => return Next::Line(line),
                    None => self.is_open = false,
                },
                gone = self.process.ended() => {
                    // A process that cannot be waited for is not there any more.
                    self.gone = Some(gone.unwrap_or(Gone::Killed(Signal::SIGKILL)));
                }
            }
        }
    }

    async fn read(&mut self) -> Option<String> {
        if !self.is_open {
            return None;
        }
        read(&mut self.output, &mut self.line).await
    }
}

/// The next line; `None` at the end. What is read of an unfinished one stays in `line`.
async fn read(output: &mut BufReader<pipe::Receiver>, line: &mut Vec<u8>) -> Option<String> {
    loop {
        let bytes = output.fill_buf().await.unwrap_or_default();
        let end = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .map(|at| at + 1);
        let n_bytes = end.unwrap_or(bytes.len());
        line.extend_from_slice(&bytes[..n_bytes]);
        output.consume(n_bytes);
        if end.is_some() || n_bytes == 0 || line.len() >= MAX_LINE_BYTES {
            let whole = std::mem::take(line);
            return (!whole.is_empty()).then(|| String::from_utf8_lossy(&whole).into_owned());
        }
    }
}
