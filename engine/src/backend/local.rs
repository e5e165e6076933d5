//! The processes of one run on this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schedulers::Direction;
use schedulers::conductor::Exit;
use schedulers::protocol::{Command, FailureKind, TrialMessage};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::launcher::{Launcher, Request};
use super::watch::Watch;
use super::{pipes, program};

/// Names one process that was asked for; never used twice in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaunchId(pub u64);

/// A process to start.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its name here.
    pub id: LaunchId,
    /// The task, a file (`schedulers::protocol::TaskSpec`).
    pub spec: PathBuf,
    /// The folder of its `stdout.log` and `stderr.log`.
    pub dir: PathBuf,
}

/// What a process is told, or gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A command on its pipe.
    Tell(Command),
    /// SIGTERM to its group, and SIGKILL a little later; SIGKILL at once when it is the second.
    Kill,
    /// SIGKILL to its group.
    KillNow,
}

/// What happened to processes. Of one launch: at most one `Started`, any number of `Said`, and exactly
/// one `Exited`, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// The launcher has loaded its libraries.
    LauncherReady,
    /// The launcher died; launches that it had not answered have failed or will.
    LauncherDied {
        /// How often it was started again before.
        restarts: u32,
        /// Whether it is started again; if not, processes start cold from now on.
        again: bool,
    },
    /// The process exists.
    Started {
        /// Which.
        id: LaunchId,
        /// Its number.
        pid: u32,
    },
    /// It said something other than `Failed`, which comes with its exit.
    Said {
        /// Which.
        id: LaunchId,
        /// What.
        message: TrialMessage,
    },
    /// It is gone, its pipe drained and its group dead; or it could not be started.
    Exited {
        /// Which.
        id: LaunchId,
        /// How.
        how: Exit,
        /// Why, when it failed: its own words, or ours.
        message: Option<String>,
        /// Somebody outside its group held its pipe open.
        leaked: bool,
    },
}

/// Happenings on their way to the dispatcher. When it is full, processes wait in their reports.
const QUEUE: usize = 1_024;

/// How long the end of all processes is waited for when a run is over.
const FAREWELL: std::time::Duration = std::time::Duration::from_millis(300);

/// Starts processes, watches them, passes orders on. Dropping it kills them all.
#[derive(Debug)]
pub struct Local {
    starter: Starter,
    orders: BTreeMap<LaunchId, mpsc::UnboundedSender<Order>>,
    tasks: JoinSet<()>,
    out: mpsc::Sender<Happening>,
}

/// How processes come to be.
#[derive(Debug)]
enum Starter {
    /// Forked by the launcher.
    Launcher(mpsc::Sender<Request>),
    /// Programs of the user's, whose scores are to become large or small.
    Shell(Direction),
}

impl Local {
    /// Starts the launcher (`binary launcher`), whose own words go to the file `log`. Processes may
    /// be launched at once: they start when it is ready.
    pub fn open(binary: &Path, log: &Path) -> (Self, mpsc::Receiver<Happening>) {
        let (out, happenings) = mpsc::channel(QUEUE);
        // One request for each slot waits at most.
        let (launcher, requests) = mpsc::channel(64);
        let mut tasks = JoinSet::new();
        let actor = Launcher::new(binary.to_owned(), log.to_owned(), out.clone());
        tasks.spawn(actor.run(requests));
        (
            Self {
                starter: Starter::Launcher(launcher),
                orders: BTreeMap::new(),
                tasks,
                out,
            },
            happenings,
        )
    }

    /// Runs programs of the user's, whose scores are better in this direction.
    pub fn programs(direction: Direction) -> (Self, mpsc::Receiver<Happening>) {
        let (out, happenings) = mpsc::channel(QUEUE);
        let local = Self {
            starter: Starter::Shell(direction),
            orders: BTreeMap::new(),
            tasks: JoinSet::new(),
            out,
        };
        (local, happenings)
    }

    /// Starts a process. What becomes of it is told as happenings.
    pub fn launch(&mut self, launch: Launch) {
        while self.tasks.try_join_next().is_some() {}
        self.orders.retain(|_, orders| !orders.is_closed());
        let (orders, inbox) = mpsc::unbounded_channel();
        self.orders.insert(launch.id, orders);
        let out = self.out.clone();
        match &self.starter {
            Starter::Launcher(launcher) => {
                let launcher = launcher.clone();
                self.tasks
                    .spawn(start_and_watch(launch, launcher, inbox, out))
            }
            Starter::Shell(direction) => self
                .tasks
                .spawn(program::run(launch, *direction, inbox, out)),
        };
    }

    /// Passes an order on. One for a process that is gone is dropped.
    pub fn order(&mut self, id: LaunchId, order: Order) {
        if let Some(orders) = self.orders.get(&id) {
            let _ = orders.send(order);
        }
    }

    /// Kills what is left, ends the launcher and waits for all of it; not for long, where something does not answer.
    pub async fn close(mut self) {
        self.orders.clear();
        drop(self.starter);
        let all_gone = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(FAREWELL, all_gone).await.is_err() {
            // A dropped task takes its processes with it.
            self.tasks.shutdown().await;
        }
    }
}

async fn start_and_watch(
    launch: Launch,
    launcher: mpsc::Sender<Request>,
    orders: mpsc::UnboundedReceiver<Order>,
    out: mpsc::Sender<Happening>,
) {
    let id = launch.id;
    match start(launch, &launcher).await {
        Ok((process, ours)) => {
            let _ = out
                .send(Happening::Started {
                    id,
                    pid: process.pid(),
                })
                .await;
            Watch {
                id,
                process,
                ours,
                orders,
                out,
            }
            .run()
            .await;
        }
        Err((failure, message)) => {
            let how = Exit::Failed(failure);
            let _ = out
                .send(Happening::Exited {
                    id,
                    how,
                    message: Some(message),
                    leaked: false,
                })
                .await;
        }
    }
}

type Started = (super::process::Process, pipes::Ours);

async fn start(
    launch: Launch,
    launcher: &mpsc::Sender<Request>,
) -> Result<Started, (FailureKind, String)> {
    let (ours, theirs) = pipes::open(&launch.dir).map_err(|error| {
        (
            FailureKind::Storage,
            format!("cannot open its pipes and logs: {error}"),
        )
    })?;
    let closed = || (FailureKind::LaunchFailed, "the run is over".to_owned());
    let (answer, answered) = tokio::sync::oneshot::channel();
    let request = Request {
        spec: launch.spec,
        theirs,
        answer,
    };
    launcher.send(request).await.map_err(|_| closed())?;
    let process = answered.await.map_err(|_| closed())??;
    Ok((process, ours))
}
