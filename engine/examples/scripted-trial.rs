//! A trial program without a model, for tests of the engine: it speaks the protocol as a script says.
//!
//! It stands in for `autotune-trial`, verb by verb. A file `script` beside a task's `spec.json` says,
//! word by word, what that process does; without one it trains well. A file `launcher-script` beside
//! this program (as it was called, links not followed) says how the launcher misbehaves.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IoSlice, IoSliceMut, Write};
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, raise};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, UnixAddr, recvmsg, sendmsg};
use schedulers::protocol::{
    self, FailureKind, LauncherReply, LauncherRequest, Report, Task, TaskResult, TaskSpec,
    TrainTask, TrialMessage, VERSION, decode, encode,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let args: Vec<String> = std::env::args().collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        [me, "launcher"] => launcher(Path::new(me)),
        [me, "between", rest @ ..] => between(me, rest),
        [_, "at", spec, commands, reports] => {
            perform(Path::new(spec), commands.parse()?, reports.parse()?)
        }
        [_, "run", spec] => perform(Path::new(spec), 3, 4),
        _ => Err("no such verb".into()),
    }
}

/// As the real one, but with an `exec` for each trial, since it may not be `unsafe`.
fn launcher(me: &Path) -> Result<ExitCode> {
    let script = fs::read_to_string(me.with_file_name("launcher-script")).unwrap_or_default();
    let words: Vec<&str> = script.split_whitespace().collect();
    if words == ["die"] {
        return Ok(ExitCode::FAILURE);
    }
    let version = if words == ["wrong-version"] {
        VERSION + 1
    } else {
        VERSION
    };
    reply(&LauncherReply::Ready {
        version,
        pid: std::process::id(),
    })?;
    let mut n_forks = 0;
    loop {
        let mut buffer = vec![0; 16 << 10];
        let mut space = nix::cmsg_space!([RawFd; 8]);
        let (n_bytes, fds) = {
            let mut parts = [IoSliceMut::new(&mut buffer)];
            let got = recvmsg::<UnixAddr>(0, &mut parts, Some(&mut space), MsgFlags::empty())?;
            let mut fds = Vec::new();
            for message in got.cmsgs()? {
                if let ControlMessageOwned::ScmRights(numbers) = message {
                    fds.extend(numbers);
                }
            }
            (got.bytes, fds)
        };
        if n_bytes == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        match decode(&buffer[..n_bytes])? {
            LauncherRequest::Quit => return Ok(ExitCode::SUCCESS),
            LauncherRequest::Fork { id, .. } if words == ["refuse"] => {
                reply(&LauncherReply::Refused {
                    id,
                    why: "it is told to refuse".to_owned(),
                })?;
            }
            LauncherRequest::Fork { .. } if words == ["die-on-fork"] => raise(Signal::SIGKILL)?,
            LauncherRequest::Fork { id, spec } => {
                let mut between = Command::new(me);
                between
                    .arg("between")
                    .arg(spec)
                    .args(fds.iter().map(ToString::to_string));
                let pid = String::from_utf8(between.stdin(Stdio::null()).output()?.stdout)?
                    .trim()
                    .parse()?;
                reply(&LauncherReply::Forked { id, pid })?;
                n_forks += 1;
            }
        }
        for fd in fds {
            nix::unistd::close(fd)?;
        }
        if words == ["die-after-fork"] && n_forks == 1 {
            raise(Signal::SIGKILL)?;
        }
    }
}

fn reply(reply: &LauncherReply) -> Result<()> {
    let bytes = serde_json::to_vec(reply)?;
    sendmsg::<UnixAddr>(
        0,
        &[IoSlice::new(&bytes)],
        &[],
        MsgFlags::MSG_NOSIGNAL,
        None,
    )?;
    Ok(())
}

/// Starts the trial and ends, so that the trial goes to the subreaper.
fn between(me: &str, rest: &[&str]) -> Result<ExitCode> {
    let [spec, commands, reports, stdout, stderr] = rest else {
        return Err("between needs 5 words".into());
    };
    let mut trial = Command::new(me);
    trial.args(["at", spec, commands, reports]).process_group(0);
    trial
        .stdout(inherited(stdout.parse()?, false)?)
        .stderr(inherited(stderr.parse()?, false)?);
    let pid = trial.spawn()?.id();
    writeln!(io::stdout(), "{pid}")?;
    Ok(ExitCode::SUCCESS)
}

/// Opens an inherited descriptor once more, which needs no trust in its number.
fn inherited(fd: RawFd, reading: bool) -> io::Result<File> {
    File::options()
        .read(reading)
        .write(!reading)
        .append(!reading)
        .open(format!("/proc/self/fd/{fd}"))
}

/// A process at work.
struct Trial {
    task: TrainTask,
    dir: PathBuf,
    commands: BufReader<File>,
    reports: File,
    numbers: [RawFd; 2],
    epoch: u32,
    best: (u32, f64),
}

fn perform(spec: &Path, commands: RawFd, reports: RawFd) -> Result<ExitCode> {
    let dir = spec.parent().unwrap_or(Path::new(".")).to_owned();
    let script =
        fs::read_to_string(dir.join("script")).unwrap_or_else(|_| "hello train".to_owned());
    let spec = TaskSpec::from_json(&fs::read_to_string(spec)?)?;
    let (mut reports_file, commands_file) =
        (inherited(reports, false)?, inherited(commands, true)?);
    let task = match spec.task {
        Task::Train(task) => task,
        Task::Probe(_) => {
            let result = TaskResult::Probe {
                seconds_per_epoch: 0.001,
                fixed_seconds: 0.001,
                validation_seconds: 0.001,
                n_params: 7,
            };
            return answer(&mut reports_file, result);
        }
        Task::Evaluate(task) => {
            let scores = task.metrics.into_iter().map(|name| (name, 0.75)).collect();
            return answer(
                &mut reports_file,
                TaskResult::Evaluate {
                    scores,
                    seconds: 0.001,
                },
            );
        }
    };
    let mut trial = Trial {
        epoch: task.from,
        task,
        dir,
        commands: BufReader::new(commands_file),
        reports: reports_file,
        numbers: [commands, reports],
        best: (0, f64::NEG_INFINITY),
    };
    for word in script.split_whitespace() {
        if let Some(code) = trial.act(word)? {
            return Ok(ExitCode::from(code));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn answer(reports: &mut File, result: TaskResult) -> Result<ExitCode> {
    let hello = TrialMessage::Hello {
        version: VERSION,
        pid: std::process::id(),
        trial: 0,
        attempt: 0,
    };
    for message in [hello, TrialMessage::Result(result)] {
        reports.write_all(&encode(&message)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Trial {
    /// Does one word of the script; an exit code ends it.
    fn act(&mut self, word: &str) -> Result<Option<u8>> {
        let (verb, value) = word.split_once('=').unwrap_or((word, ""));
        match verb {
            "hello" => self.hello(VERSION, self.task.trial)?,
            "wrong-version" => self.hello(VERSION + 1, self.task.trial)?,
            "another-trial" => self.hello(VERSION, self.task.trial + 1)?,
            "train" => return self.train(),
            "report" => self.report(value.parse()?)?,
            "wait" => drop(self.command()?),
            "exit" => return Ok(Some(value.parse()?)),
            "fail" => {
                let failure = FailureKind::Diverged;
                self.say(&TrialMessage::Failed {
                    failure,
                    message: value.to_owned(),
                })?;
                return Ok(failure.exit_code());
            }
            "raise" => raise(value.parse()?)?,
            "hang" => loop {
                thread::sleep(Duration::from_secs(60));
            },
            "deaf" => {
                use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};
                let mut terminate = SigSet::empty();
                terminate.add(Signal::SIGTERM);
                sigprocmask(SigmaskHow::SIG_BLOCK, Some(&terminate), None)?;
            }
            "garbage" => self.reports.write_all(b"{\"kind\":\"nonsense\"}\n")?,
            "endless-line" => loop {
                self.reports.write_all(&[b'x'; 4096])?;
            },
            "flood" => {
                for step in 0..value.parse()? {
                    self.say(&TrialMessage::Heartbeat { step })?;
                }
            }
            "close" => {
                for fd in self.numbers {
                    nix::unistd::close(fd)?;
                }
                self.reports = File::options().write(true).open("/dev/null")?;
                self.commands = BufReader::new(File::open("/dev/null")?);
            }
            // A child that outlives its parent and holds the pipes: in the group, or out of it.
            "leave-child" => drop(Command::new("sleep").arg("600").spawn()?),
            "leave-stranger" => drop(Command::new("sleep").arg("600").process_group(0).spawn()?),
            "say" => writeln!(io::stdout(), "{value}")?,
            _ => return Err(format!("no word {word}").into()),
        }
        Ok(None)
    }

    fn hello(&mut self, version: u32, trial: u32) -> Result<()> {
        self.say(&TrialMessage::Hello {
            version,
            pid: std::process::id(),
            trial,
            attempt: self.task.attempt,
        })
    }

    /// Trains leg after leg, as long as it is told to go on.
    fn train(&mut self) -> Result<Option<u8>> {
        let mut to = self.task.to;
        loop {
            while self.epoch < to {
                let trial = f64::from(self.task.trial % 7);
                self.report(0.9 - 0.3 / f64::from(self.epoch + 2) - 0.01 * trial)?;
            }
            self.package()?;
            let (best_epoch, best_score) = self.best;
            self.say(&TrialMessage::Checkpoint { epoch: self.epoch })?;
            self.say(&TrialMessage::LegEnd {
                epoch: self.epoch,
                best_epoch,
                best_score,
                train_s: 0.001,
            })?;
            match self.command()? {
                Some(protocol::Command::Continue { to: next }) => to = next,
                Some(protocol::Command::Pause | protocol::Command::Stop) | None => {
                    return Ok(Some(0));
                }
            }
        }
    }

    fn report(&mut self, score: f64) -> Result<()> {
        self.epoch += 1;
        if score > self.best.1 {
            self.best = (self.epoch, score);
        }
        self.say(&TrialMessage::Report(Report {
            epoch: self.epoch,
            loss: 1.0 - score,
            score,
            scores: BTreeMap::from([(self.task.metric.clone(), score)]),
            best_epoch: self.best.0,
            best_score: self.best.1,
            train_s: 0.001,
            eval_s: 0.0,
            n_rows: 10,
        }))
    }

    fn package(&self) -> Result<()> {
        let (new, old) = (self.dir.join("model.new"), self.dir.join("model"));
        fs::create_dir_all(&new)?;
        let scores = serde_json::json!({ &self.task.metric: self.best.1 });
        let about =
            serde_json::json!({ "trial": self.task.trial, "epoch": self.best.0, "scores": scores });
        fs::write(new.join("model.json"), about.to_string())?;
        fs::write(new.join("weights.safetensors"), self.task.trial.to_string())?;
        let _ = fs::remove_dir_all(&old);
        Ok(fs::rename(new, old)?)
    }

    fn say(&mut self, message: &TrialMessage) -> Result<()> {
        Ok(self.reports.write_all(&encode(message)?)?)
    }

    /// The next command; `None` when the engine is gone.
    fn command(&mut self) -> Result<Option<protocol::Command>> {
        let mut line = String::new();
        self.commands.read_line(&mut line)?;
        Ok(if line.is_empty() {
            None
        } else {
            Some(decode(line.as_bytes())?)
        })
    }
}
