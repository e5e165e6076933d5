//! Watches one process from its first word to its last: reports out, orders in, then its end.

use std::io;
use std::time::Duration;

use nix::sys::signal::Signal;
use schedulers::conductor::Exit;
use schedulers::protocol::{FailureKind, Lines, TrialMessage, encode};
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::local::{Happening, LaunchId, Order};
use super::pipes::Ours;
use super::process::Process;
use super::unix::Gone;

/// How long a group may take from SIGTERM to its end before it gets SIGKILL.
const TERM_GRACE: Duration = Duration::from_millis(250);

/// How long the report pipe is read on after the process has ended. What is in it is read in
/// microseconds; only another holder of the pipe can make this long.
const DRAIN: Duration = Duration::from_millis(100);

/// One process under watch.
pub(super) struct Watch {
    pub(super) id: LaunchId,
    pub(super) process: Process,
    pub(super) ours: Ours,
    /// Bounded by the conductor: a command a leg, one to stop, a kill a tick while it does not die.
    pub(super) orders: mpsc::UnboundedReceiver<Order>,
    pub(super) out: mpsc::Sender<Happening>,
}

/// What a process has said, as far as its end needs it.
#[derive(Default)]
struct Said {
    lines: Lines,
    failed: Option<(FailureKind, String)>,
    /// It broke the protocol and is not listened to any more.
    nonsense: Option<String>,
}

impl Watch {
    /// Watches until the process is gone, its pipe drained and its group dead; tells all of it.
    pub(super) async fn run(mut self) {
        let mut said = Said::default();
        let mut reports_open = true;
        let mut kill_at: Option<tokio::time::Instant> = None;
        let gone = loop {
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(Order::Tell(command)) => self.tell(&command),
                    // A second one does not wait for the grace of the first.
                    Some(Order::Kill) if kill_at.is_some() => self.process.signal(Signal::SIGKILL),
                    Some(Order::Kill) => {
                        self.process.signal(Signal::SIGTERM);
                        kill_at = Some(tokio::time::Instant::now() + TERM_GRACE);
                    }
                    // The backend is closed.
                    Some(Order::KillNow) | None => self.process.signal(Signal::SIGKILL),
                },
                () = sleep_until(kill_at) => self.process.signal(Signal::SIGKILL),
                gone = self.process.ended() => break gone,
                read = read(&self.ours.reports), if reports_open => {
                    reports_open = self.heard(&mut said, read).await;
                }
            }
        };
        let leaked = reports_open && self.drain(&mut said).await;
        let (how, message) = how_it_ended(gone, said);
        // Before the word is out: whoever hears it may count on the group being dead.
        drop(self.process);
        let ended = Happening::Exited {
            id: self.id,
            how,
            message,
            leaked,
        };
        // Nobody listens when the run is over.
        let _ = self.out.send(ended).await;
    }

    /// A command is far smaller than the pipe. One that does not fit is for a process that has not
    /// read for thousands of commands, and the missing heartbeat ends it.
    fn tell(&self, command: &schedulers::protocol::Command) {
        if let Ok(line) = encode(command) {
            let _ = self.ours.commands.try_write(&line);
        }
    }

    /// Takes what was read. False when there is nothing more to read.
    async fn heard(&self, said: &mut Said, read: io::Result<Vec<u8>>) -> bool {
        let bytes = match read {
            Ok(bytes) if bytes.is_empty() => return false,
            Ok(bytes) => bytes,
            Err(_) => return false,
        };
        said.lines.push(&bytes);
        loop {
            match said.lines.next_message::<TrialMessage>() {
                Ok(Some(TrialMessage::Failed { failure, message })) => {
                    said.failed = Some((failure, message))
                }
                Ok(Some(message)) => {
                    let _ = self
                        .out
                        .send(Happening::Said {
                            id: self.id,
                            message,
                        })
                        .await;
                }
                Ok(None) => return true,
                Err(error) => {
                    said.nonsense = Some(error.to_string());
                    self.process.signal(Signal::SIGKILL);
                    return false;
                }
            }
        }
    }

    /// Reads what is left in the pipe. True when somebody else still holds it open.
    async fn drain(&self, said: &mut Said) -> bool {
        let reading = async { while self.heard(said, read(&self.ours.reports).await).await {} };
        timeout(DRAIN, reading).await.is_err()
    }
}

/// What can be read now; empty at the end of the pipe.
async fn read(reports: &pipe::Receiver) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; 16 << 10];
    loop {
        reports.readable().await?;
        match reports.try_read(&mut buffer) {
            Ok(n_bytes) => {
                buffer.truncate(n_bytes);
                return Ok(buffer);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// Puts the exit code, the signal and the last words together. The process's own word on its failure
/// counts only when it did fail.
fn how_it_ended(gone: io::Result<Gone>, said: Said) -> (Exit, Option<String>) {
    if let Some(nonsense) = said.nonsense {
        let message = format!("it does not speak the protocol: {nonsense}");
        return (Exit::Failed(FailureKind::Internal), Some(message));
    }
    let own_words = said.failed.as_ref().map(|(_, message)| message.clone());
    match gone {
        Ok(Gone::Exited(0)) => (Exit::Ok, None),
        Ok(Gone::Exited(code)) => {
            let failure = FailureKind::from_exit_code(code);
            let failure = said.failed.map_or(failure, |(failure, _)| failure);
            (
                Exit::Failed(failure),
                own_words.or_else(|| Some(format!("exit code {code}"))),
            )
        }
        Ok(Gone::Killed(signal @ (Signal::SIGKILL | Signal::SIGTERM))) => (
            Exit::Failed(FailureKind::Killed),
            Some(format!("ended by {signal}")),
        ),
        Ok(Gone::Killed(signal)) => (
            Exit::Failed(FailureKind::Crashed),
            Some(format!("ended by {signal}")),
        ),
        Err(error) => (Exit::Failed(FailureKind::Lost), Some(error.to_string())),
    }
}

async fn sleep_until(end: Option<tokio::time::Instant>) {
    match end {
        Some(end) => tokio::time::sleep_until(end).await,
        None => std::future::pending().await,
    }
}
