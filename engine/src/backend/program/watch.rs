//! One trial's program: lines in, messages out, orders obeyed.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::Signal;
use schedulers::Direction;
use schedulers::conductor::Exit;
use schedulers::protocol::{Command, FailureKind, TrialMessage, VERSION};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::account::Account;
use super::running::{Next, Running};
use super::task::{Program, Refusal};
use crate::backend::local::{Happening, Launch, LaunchId, Order};
use crate::backend::unix::{Confines, Gone};

/// How long a program may take to end after SIGTERM when its trial is paused or stopped: it may save something.
const GRACE: Duration = Duration::from_secs(2);

/// The same when it is killed.
const TERM_GRACE: Duration = Duration::from_millis(250);

/// Time between two heartbeats.
const BEAT: Duration = Duration::from_secs(1);

/// The longest last word of a program that is told, in bytes.
const MAX_WORDS: u64 = 400;

/// Runs the program of `launch`, and tells what becomes of it.
pub(in crate::backend) async fn run(
    launch: Launch,
    direction: Direction,
    orders: mpsc::UnboundedReceiver<Order>,
    out: mpsc::Sender<Happening>,
) {
    let id = launch.id;
    let (how, message) = match Watch::begin(launch, direction, orders, out.clone()).await {
        Ok(watch) => watch.whole().await,
        Err((kind, message)) => (Exit::Failed(kind), Some(message)),
    };
    let ended = Happening::Exited {
        id,
        how,
        message,
        leaked: false,
    };
    // Nobody listens when the run is over.
    let _ = out.send(ended).await;
}

struct Watch {
    id: LaunchId,
    dir: PathBuf,
    program: Program,
    account: Account,
    /// The program; `None` once it has ended by itself.
    running: Option<Running>,
    /// Where it was to stop when it was started last; 0 before that.
    asked_to: u32,
    /// Where the leg began.
    leg_from: u32,
    /// Lines that it printed beyond the end of a leg before it was paused: they count in the next one.
    pending: VecDeque<String>,
    log: File,
    orders: mpsc::UnboundedReceiver<Order>,
    out: mpsc::Sender<Happening>,
    last_report: Instant,
    /// The end of a leg was told, and a verdict is waited for. Lines are not read meanwhile.
    is_waiting: bool,
    step: u64,
}

/// How the watch ends.
type End = (Exit, Option<String>);

impl Watch {
    async fn begin(
        launch: Launch,
        direction: Direction,
        orders: mpsc::UnboundedReceiver<Order>,
        out: mpsc::Sender<Happening>,
    ) -> Result<Self, Refusal> {
        let program = Program::read(&launch.spec)?;
        let task = &program.task;
        let legs = (task.from, task.to, task.full);
        let account = Account::new(
            &task.metric,
            direction,
            legs,
            program.keeps_checkpoints,
            program.best(),
        );
        let log = File::options()
            .create(true)
            .append(true)
            .open(launch.dir.join("stdout.log"))
            .map_err(|error| (FailureKind::Storage, error.to_string()))?;
        let pending = program.pending();
        let (asked_to, running) = if pending.is_empty() {
            let (asked_to, running) = start(&program, &launch.dir, task.from, task.to)?;
            (asked_to, Some(running))
        } else {
            (0, None)
        };
        let pid = running.as_ref().map_or(std::process::id(), Running::pid);
        let hello = TrialMessage::Hello {
            version: VERSION,
            pid,
            trial: task.trial,
            attempt: task.attempt,
        };
        let mut watch = Self {
            id: launch.id,
            dir: launch.dir,
            program,
            account,
            running,
            asked_to,
            leg_from: 0,
            pending,
            log,
            orders,
            out,
            last_report: Instant::now(),
            is_waiting: false,
            step: 0,
        };
        watch.leg_from = watch.account.epoch();
        let id = watch.id;
        let _ = watch.out.send(Happening::Started { id, pid }).await;
        watch.say(hello).await;
        Ok(watch)
    }

    async fn whole(mut self) -> End {
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        if let Some(end) = self.catch_up().await {
            return end;
        }
        loop {
            let end = tokio::select! {
                order = self.orders.recv() => self.obey(order).await,
                next = next(&mut self.running), if !self.is_waiting => match next {
                    Next::Line(line) => {
                        // A log that cannot be written to is no reason to lose a score.
                        let _ = self.log.write_all(line.as_bytes());
                        self.hear(&line).await;
                        None
                    }
                    Next::Ended(gone) => self.ended(gone).await,
                },
                _ = beat.tick() => {
                    // A program says nothing of its steps: it is taken to make some as long as it lives.
                    self.step += 1;
                    self.say(TrialMessage::Heartbeat { step: self.step }).await;
                    None
                }
            };
            if let Some(end) = end {
                return end;
            }
        }
    }

    /// Takes the lines that were printed before, then lets the program go on where there is more to be done.
    async fn catch_up(&mut self) -> Option<End> {
        while !self.is_waiting {
            match self.pending.pop_front() {
                Some(line) => self.hear(&line).await,
                None if self.running.is_some() => return None,
                None => return self.go_on().await,
            }
        }
        None
    }

    async fn hear(&mut self, line: &str) {
        let seconds = self.last_report.elapsed().as_secs_f64();
        let n_lines = self.account.n_lines();
        let report = self.account.line(line, seconds);
        if self.account.n_lines() > n_lines {
            self.last_report = Instant::now();
        }
        let Some(report) = report else { return };
        self.report(report).await;
        if self.account.is_at_end() {
            self.end_leg().await;
        }
    }

    async fn report(&mut self, report: schedulers::protocol::Report) {
        if let Some(best) = self.account.best() {
            self.program.keep_best(best);
        }
        let epoch = report.epoch;
        self.say(TrialMessage::Report(report)).await;
        if self.program.keeps_checkpoints {
            // It is written before the line is printed: this is asked of a program.
            self.say(TrialMessage::Checkpoint { epoch }).await;
        }
    }

    /// Tells the end of a leg, which is the end of the trial when it is short of where it was to end. False when there
    /// is nothing to be judged.
    async fn end_leg(&mut self) -> bool {
        let Some(end) = self.account.leg_end() else {
            return false;
        };
        self.is_waiting = true;
        self.say(end).await;
        true
    }

    /// The program has ended by itself.
    async fn ended(&mut self, gone: Gone) -> Option<End> {
        self.running = None;
        match gone {
            Gone::Exited(0) => {
                if let Some(report) = self.account.ended() {
                    self.report(report).await;
                }
                self.go_on().await
            }
            Gone::Exited(code) => {
                let words = last_words(&self.dir.join("stderr.log"));
                let message = words.map_or_else(
                    || format!("exit code {code}"),
                    |words| format!("exit code {code}: {words}"),
                );
                Some((Exit::Failed(FailureKind::Crashed), Some(message)))
            }
            Gone::Killed(signal) => {
                let kind = if matches!(signal, Signal::SIGKILL | Signal::SIGTERM) {
                    FailureKind::Killed
                } else {
                    FailureKind::Crashed
                };
                Some((Exit::Failed(kind), Some(format!("ended by {signal}"))))
            }
        }
    }

    /// Without a program: it is started again where it stopped because it was told to, else its trial is over.
    async fn go_on(&mut self) -> Option<End> {
        let (epoch, to) = (self.account.epoch(), self.account.to());
        let was_told = epoch >= self.asked_to && self.asked_to < to;
        if was_told && self.program.keeps_checkpoints {
            self.account.started_again();
            match start(&self.program, &self.dir, epoch, to) {
                Ok((asked_to, running)) => {
                    (self.asked_to, self.running) = (asked_to, Some(running));
                }
                Err((kind, message)) => return Some((Exit::Failed(kind), Some(message))),
            }
            return None;
        }
        if self.account.epoch() > 0 && self.account.epoch() == self.leg_from {
            // Nothing came after the end of the leg before: it has nothing more to learn.
            return Some((Exit::Ok, None));
        }
        if self.end_leg().await {
            return None;
        }
        let message = format!(
            "it ended without a line of JSON that has \"{}\", as {{\"{0}\": 0.5}}",
            self.program.task.metric
        );
        Some((Exit::Failed(FailureKind::BadConfig), Some(message)))
    }

    async fn obey(&mut self, order: Option<Order>) -> Option<End> {
        let killed = |message: &str| {
            let how = Exit::Failed(FailureKind::Killed);
            Some((how, Some(message.to_owned())))
        };
        match order {
            Some(Order::Tell(Command::Continue { to })) => {
                self.account.go_on(to);
                self.leg_from = self.account.epoch();
                self.is_waiting = false;
                self.catch_up().await
            }
            Some(Order::Tell(Command::Pause | Command::Stop)) => {
                self.end_program(GRACE).await;
                if self.program.keeps_checkpoints {
                    self.program.keep_pending(&self.pending);
                }
                Some((Exit::Ok, None))
            }
            Some(Order::Kill) => {
                self.end_program(TERM_GRACE).await;
                killed("ended by SIGTERM")
            }
            // The backend is closed.
            Some(Order::KillNow) | None => killed("ended by SIGKILL"),
        }
    }

    /// Ends the program: SIGTERM, and SIGKILL when the grace is over or somebody becomes impatient.
    async fn end_program(&mut self, grace: Duration) {
        let Some(mut running) = self.running.take() else {
            return;
        };
        running.signal(Signal::SIGTERM);
        let Self {
            log,
            orders,
            pending,
            ..
        } = self;
        let gone = async {
            while let Next::Line(line) = running.next().await {
                let _ = log.write_all(line.as_bytes());
                pending.push_back(line);
            }
        };
        tokio::select! {
            _ = timeout(grace, gone) => {}
            _ = orders.recv() => {}
        }
    }

    async fn say(&self, message: TrialMessage) {
        let id = self.id;
        let _ = self.out.send(Happening::Said { id, message }).await;
    }
}

/// What comes next of the program; nothing ever, while there is none.
async fn next(running: &mut Option<Running>) -> Next {
    match running {
        Some(running) => running.next().await,
        None => std::future::pending().await,
    }
}

/// Starts the program, and where it was told to stop: at the end of the leg where it can go on from there.
fn start(program: &Program, dir: &Path, from: u32, to: u32) -> Result<(u32, Running), Refusal> {
    let asked_to = if program.keeps_checkpoints {
        to
    } else {
        program.task.full
    };
    let command = program.command(dir, from, asked_to)?;
    let confines = Confines {
        cpus: program.spec.cpus.clone(),
        memory_bytes: program.spec.memory_limit_bytes,
    };
    let running = Running::start(command, &confines).map_err(|error| {
        let what = format!("cannot start /bin/sh: {error}");
        (FailureKind::LaunchFailed, what)
    })?;
    Ok((asked_to, running))
}

/// The last line that is not empty.
fn last_words(log: &Path) -> Option<String> {
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_WORDS)))
        .ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim().to_owned())
}
