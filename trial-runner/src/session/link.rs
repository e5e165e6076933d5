//! The two pipes of a trial: reports to the engine, commands from it.
//!
//! One thread beside the training loop reads the commands and, each second, sends the
//! step counter. A report is one line and one `write`, so that a kill leaves whole lines.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use schedulers::protocol::{Command, FailureKind, Lines, TrialMessage, encode};

use super::{Ask, Pulse};
use crate::error::{Error, Result};
use crate::sys::exit_now;

/// The time between two heartbeats.
const BEAT: Duration = Duration::from_secs(1);

/// How long a trial whose engine is gone may take to save itself. A step longer than
/// this, or a library that hangs, is not waited for.
const LAST_WORDS: Duration = Duration::from_secs(20);

/// What the engine answers at the end of a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Train on, to this epoch.
    Continue {
        /// The epoch, counted from the trial's start.
        to: u32,
    },
    /// Leave; the checkpoint is for later.
    Pause,
    /// Leave; nothing will come after.
    Stop,
    /// Nobody is there to answer.
    Gone,
}

/// The trial's end of both pipes.
pub struct Link {
    out: Arc<Out>,
    pulse: Arc<Pulse>,
    /// Bounded by the commands the engine sends: one a leg, and one to stop.
    verdicts: Option<Receiver<Verdict>>,
}

/// Where messages go. Shared by the training loop and the listening thread.
struct Out(Mutex<Box<dyn Write + Send>>);

impl Out {
    fn send(&self, message: &TrialMessage) -> io::Result<()> {
        let line = encode(message).map_err(io::Error::other)?;
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(&line)?;
        out.flush()
    }
}

impl Link {
    /// A link that speaks, to `reports` or else to standard output, and does not listen yet.
    pub fn new(reports: Option<OwnedFd>) -> Self {
        let sink: Box<dyn Write + Send> = match reports {
            Some(fd) => Box::new(File::from(fd)),
            None => Box::new(io::stdout()),
        };
        Self {
            out: Arc::new(Out(Mutex::new(sink))),
            pulse: Arc::default(),
            verdicts: None,
        }
    }

    /// Starts the thread that listens and sends heartbeats. Without it (a trial run by
    /// hand) nothing interrupts a leg, and the end of the first one is the end.
    pub fn listen(&mut self, commands: OwnedFd) -> Result<()> {
        let (answer, verdicts) = sync_channel(8);
        let (pulse, out) = (self.pulse.clone(), self.out.clone());
        let listener = Listener {
            commands,
            pulse,
            out,
            answer,
            lines: Lines::default(),
        };
        std::thread::Builder::new()
            .name("listener".to_owned())
            .stack_size(128 << 10)
            .spawn(move || listener.run())
            .map_err(Error::system(
                "cannot start the thread that listens to the engine",
            ))?;
        self.verdicts = Some(verdicts);
        Ok(())
    }

    /// What the training loop asks at every step.
    pub fn pulse(&self) -> &Pulse {
        &self.pulse
    }

    /// Sends a message. A pipe without a reader means that the engine is gone, which the
    /// next step learns from the pulse.
    pub fn send(&self, message: &TrialMessage) {
        if self.out.send(message).is_err() {
            self.pulse.want(Ask::Gone);
        }
    }

    /// Waits for the verdict on a leg that has ended.
    pub fn verdict(&self) -> Verdict {
        match &self.verdicts {
            Some(verdicts) => verdicts.recv().unwrap_or(Verdict::Gone),
            None => Verdict::Pause,
        }
    }
}

/// The thread beside the training loop. It ends with the process, or with the pipe.
struct Listener {
    commands: OwnedFd,
    pulse: Arc<Pulse>,
    out: Arc<Out>,
    answer: SyncSender<Verdict>,
    lines: Lines,
}

impl Listener {
    fn run(mut self) {
        loop {
            match self.wait(BEAT) {
                Ok(false) => {
                    if self
                        .out
                        .send(&TrialMessage::Heartbeat {
                            step: self.pulse.step(),
                        })
                        .is_err()
                    {
                        break;
                    }
                }
                Ok(true) => match self.read() {
                    Ok(true) => {}
                    Ok(false) | Err(_) => break,
                },
                Err(_) => break,
            }
        }
        self.last_words();
    }

    /// Whether there is something to read before the time is over.
    fn wait(&self, time: Duration) -> io::Result<bool> {
        let timeout = PollTimeout::try_from(time).map_err(io::Error::other)?;
        let mut fds = [PollFd::new(self.commands.as_fd(), PollFlags::POLLIN)];
        match poll(&mut fds, timeout) {
            Ok(n) => Ok(n > 0),
            Err(Errno::EINTR) => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    /// Reads what is there and obeys every whole line; false at the end of the pipe.
    fn read(&mut self) -> io::Result<bool> {
        let mut block = [0; 512];
        let n = nix::unistd::read(&self.commands, &mut block)?;
        self.lines.push(&block[..n]);
        while let Some(command) = self.lines.next_message().map_err(io::Error::other)? {
            self.obey(command);
        }
        Ok(n > 0)
    }

    fn obey(&self, command: Command) {
        let (ask, verdict) = match command {
            Command::Continue { to } => (Ask::GoOn, Verdict::Continue { to }),
            Command::Pause => (Ask::Pause, Verdict::Pause),
            Command::Stop => (Ask::Stop, Verdict::Stop),
        };
        self.pulse.want(ask);
        // Nobody waits any more: the trial is leaving.
        let _ = self.answer.try_send(verdict);
    }

    /// The engine is gone. The training loop leaves at its next step and the process with
    /// it; where it does not, this thread ends the process.
    fn last_words(self) {
        self.pulse.want(Ask::Gone);
        drop(self.answer);
        std::thread::sleep(LAST_WORDS);
        let code = FailureKind::Internal.exit_code().unwrap_or(1);
        exit_now(i32::from(code));
    }
}
