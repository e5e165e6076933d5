//! Keeps the launcher alive and asks it for processes; does its work cold when it keeps dying.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::sys::socket::{ControlMessage, MsgFlags, UnixAddr, recvmsg, sendmsg};
use nix::unistd::Pid;
use schedulers::protocol::{FailureKind, LauncherReply, LauncherRequest, check_version};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot};

use super::local::Happening;
use super::pipes::Theirs;
use super::process::Process;
use super::unix;

/// How often it is started again; after that every process starts cold.
const MAX_RESTARTS: u32 = 3;

/// How long a fork may take: a launcher on a cold disk loads its libraries for seconds first.
const STUCK: Duration = Duration::from_secs(5);

/// Longest message: a request is a number and a path (`trial_runner::launcher::Socket`).
const MESSAGE_BYTES: usize = 16 << 10;

/// Why there is no process.
pub(super) type Refusal = (FailureKind, String);

/// One process asked for.
#[derive(Debug)]
pub(super) struct Request {
    /// The task, a file.
    pub(super) spec: PathBuf,
    /// The process's ends of its pipes.
    pub(super) theirs: Theirs,
    /// Where the process goes.
    pub(super) answer: oneshot::Sender<Result<Process, Refusal>>,
}

/// The launcher, over all its lives.
#[derive(Debug)]
pub(super) struct Launcher {
    binary: PathBuf,
    log: PathBuf,
    out: mpsc::Sender<Happening>,
    next_id: u64,
}

/// Why one life of the launcher is over.
enum End {
    /// Nobody will ask any more.
    Closed,
    /// It died.
    Died,
    /// It is of another version, as every process of this binary will be.
    WrongVersion(String),
}

type Waiting = BTreeMap<u64, oneshot::Sender<Result<Process, Refusal>>>;

impl Launcher {
    pub(super) fn new(binary: PathBuf, log: PathBuf, out: mpsc::Sender<Happening>) -> Self {
        Self {
            binary,
            log,
            out,
            next_id: 0,
        }
    }

    /// Serves requests until there will be no more, then ends the launcher.
    pub(super) async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        for restarts in 0..=MAX_RESTARTS {
            let mut waiting = Waiting::new();
            let end = match self.spawn() {
                Ok((process, socket)) => {
                    self.live(&process, &socket, &mut requests, &mut waiting)
                        .await
                }
                Err(_) => End::Died,
            };
            for (_, answer) in waiting {
                let refusal = (
                    FailureKind::LauncherDied,
                    "the launcher died while starting it".to_owned(),
                );
                let _ = answer.send(Err(refusal));
            }
            match end {
                End::Closed => return,
                End::Died => {
                    let again = restarts < MAX_RESTARTS;
                    let _ = self
                        .out
                        .send(Happening::LauncherDied { restarts, again })
                        .await;
                }
                End::WrongVersion(why) => {
                    while let Some(request) = requests.recv().await {
                        let _ = request
                            .answer
                            .send(Err((FailureKind::WrongVersion, why.clone())));
                    }
                    return;
                }
            }
        }
        while let Some(request) = requests.recv().await {
            let Request {
                spec,
                theirs,
                answer,
            } = request;
            let _ = answer.send(self.start_cold(&spec, theirs));
        }
    }

    fn spawn(&self) -> io::Result<(Process, AsyncFd<OwnedFd>)> {
        let (ours, theirs) = unix::seqpacket_pair()?;
        let log = File::options().create(true).append(true).open(&self.log)?;
        let mut command = Command::new(&self.binary);
        command
            .arg("launcher")
            .stdin(theirs)
            .stdout(log.try_clone()?)
            .stderr(log);
        Ok((Process::spawn(&mut command, None)?, unix::registered(ours)?))
    }

    /// One life of the launcher.
    async fn live(
        &mut self,
        process: &Process,
        socket: &AsyncFd<OwnedFd>,
        requests: &mut mpsc::Receiver<Request>,
        waiting: &mut Waiting,
    ) -> End {
        loop {
            tokio::select! {
                request = requests.recv() => {
                    let Some(Request { spec, theirs, answer }) = request else {
                        let _ = send(socket, &LauncherRequest::Quit, None).await;
                        process.signal(Signal::SIGKILL);
                        let _ = process.ended().await;
                        return End::Closed;
                    };
                    let id = self.next_id;
                    self.next_id += 1;
                    waiting.insert(id, answer);
                    if send(socket, &LauncherRequest::Fork { id, spec }, Some(theirs)).await.is_err() {
                        process.signal(Signal::SIGKILL);
                    }
                }
                reply = receive(socket) => match reply {
                    Ok(LauncherReply::Ready { version, .. }) => match check_version(version) {
                        Ok(()) => { let _ = self.out.send(Happening::LauncherReady).await; }
                        Err(error) => return End::WrongVersion(format!("{}: {error}", self.binary.display())),
                    },
                    Ok(LauncherReply::Forked { id, pid }) => {
                        let process = Process::adopt(Pid::from_raw(pid.cast_signed()));
                        let failed = |error| (FailureKind::LaunchFailed, format!("cannot watch it: {error}"));
                        answer(waiting, id, process.map_err(failed));
                    }
                    Ok(LauncherReply::Refused { id, why }) => answer(waiting, id, Err((FailureKind::LaunchFailed, why))),
                    // It is dead, or talks nonsense and soon is. Its end is told by its socket and not by its
                    // pidfd, because replies may be in the socket still.
                    Err(_) => return died(process).await,
                },
                // The only sign of one that hangs.
                () = tokio::time::sleep(STUCK), if !waiting.is_empty() => return died(process).await,
            }
        }
    }

    fn start_cold(&self, spec: &Path, theirs: Theirs) -> Result<Process, Refusal> {
        let Theirs {
            commands,
            reports,
            stdout,
            stderr,
        } = theirs;
        let mut command = Command::new(&self.binary);
        command
            .arg("run")
            .arg(spec)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr);
        Process::spawn(&mut command, Some((commands, reports))).map_err(|error| {
            (
                FailureKind::LaunchFailed,
                format!("cannot start {}: {error}", self.binary.display()),
            )
        })
    }
}

async fn died(process: &Process) -> End {
    process.signal(Signal::SIGKILL);
    // It cannot outlive that.
    let _ = process.ended().await;
    End::Died
}

fn answer(waiting: &mut Waiting, id: u64, result: Result<Process, Refusal>) {
    if let Some(answer) = waiting.remove(&id) {
        let _ = answer.send(result);
    }
}

/// Sends a message and the descriptors with it; our copies are closed by the drop of `theirs`.
async fn send(
    socket: &AsyncFd<OwnedFd>,
    request: &LauncherRequest,
    theirs: Option<Theirs>,
) -> io::Result<()> {
    let bytes = serde_json::to_vec(request)?;
    let fds: Vec<RawFd> = theirs
        .iter()
        .flat_map(|theirs| {
            [
                &theirs.commands,
                &theirs.reports,
                &theirs.stdout,
                &theirs.stderr,
            ]
        })
        .map(AsRawFd::as_raw_fd)
        .collect();
    let rights = [ControlMessage::ScmRights(&fds)];
    let rights = if fds.is_empty() { &[][..] } else { &rights };
    let parts = [IoSlice::new(&bytes)];
    socket
        .async_io(Interest::WRITABLE, |socket| {
            sendmsg::<UnixAddr>(
                socket.as_raw_fd(),
                &parts,
                rights,
                MsgFlags::MSG_NOSIGNAL,
                None,
            )
            .map_err(Errno::into)
        })
        .await
        .map(drop)
}

/// The next reply. A peer that died over unread requests is `ECONNRESET` once, and what it has said
/// before can be read after that.
async fn receive(socket: &AsyncFd<OwnedFd>) -> io::Result<LauncherReply> {
    let mut buffer = vec![0; MESSAGE_BYTES];
    let n_bytes = socket
        .async_io(Interest::READABLE, |socket| {
            loop {
                let mut parts = [IoSliceMut::new(&mut buffer)];
                match recvmsg::<UnixAddr>(socket.as_raw_fd(), &mut parts, None, MsgFlags::empty()) {
                    Err(Errno::ECONNRESET | Errno::EINTR) => {}
                    got => return got.map(|got| got.bytes).map_err(Errno::into),
                }
            }
        })
        .await?;
    if n_bytes == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&buffer[..n_bytes])?)
}
