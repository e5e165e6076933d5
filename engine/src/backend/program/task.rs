//! What is run: the command with its values, and what stands around it.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use schedulers::protocol::{FailureKind, Task, TaskSpec, TrainTask};
use search::config::{Config, command};
use search::space::Assignment;
use serde_json::{Value, json};

use super::account::Best;

/// Why it cannot be run.
pub(super) type Refusal = (FailureKind, String);

/// One trial's program.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) spec: TaskSpec,
    pub(super) task: TrainTask,
    template: String,
    parameters: Assignment,
    /// Whether it keeps its state in the folder it is given.
    pub(super) keeps_checkpoints: bool,
}

impl Program {
    /// Reads the task in `spec` and the config it names.
    pub(super) fn read(spec: &Path) -> Result<Self, Refusal> {
        let text = read(spec)?;
        let spec = TaskSpec::from_json(&text)
            .map_err(|error| (FailureKind::Internal, error.to_string()))?;
        let Task::Train(task) = spec.task.clone() else {
            let what = "a program can only be trained".to_owned();
            return Err((FailureKind::Internal, what));
        };
        let bad = |what: String| (FailureKind::BadConfig, what);
        let file = task.config.display().to_string();
        let one_line = |errors: Vec<search::ConfigError>| {
            let lines: Vec<String> = errors.iter().map(search::ConfigError::one_line).collect();
            bad(lines.join("; "))
        };
        let (config, _) = Config::parse(&read(&task.config)?, &file).map_err(one_line)?;
        let program = config
            .program()
            .map_err(one_line)?
            .ok_or_else(|| bad(format!("{file} is no config of a program")))?;
        Ok(Self {
            keeps_checkpoints: program.keeps_checkpoints(),
            template: program.command,
            parameters: program.parameters,
            spec,
            task,
        })
    }

    /// The command of a leg that ends at `to`, every value in its place.
    fn line(&self, to: u32) -> String {
        let built_in = |name: &str| match name {
            "trial" => Some(json!(self.task.trial)),
            "seed" => Some(json!(seed(self.task.seed))),
            "epochs" => Some(json!(to)),
            "max_epochs" => Some(json!(self.task.full)),
            "checkpoint" => Some(json!(self.checkpoint())),
            _ => None,
        };
        command::filled(&self.template, |name| {
            let value = self.parameters.get(name).cloned();
            value.or_else(|| built_in(name))
        })
    }

    /// The shell that runs it, to go on from epoch `from` and to reach `to`; its words go to the logs in `dir`.
    pub(super) fn command(&self, dir: &Path, from: u32, to: u32) -> Result<Command, Refusal> {
        let checkpoint = self.checkpoint();
        let storage = |error: std::io::Error| (FailureKind::Storage, error.to_string());
        if self.keeps_checkpoints {
            fs::create_dir_all(&checkpoint).map_err(storage)?;
        }
        let parameters = Value::from_iter(self.parameters.clone());
        let stderr = fs::File::options()
            .create(true)
            .append(true)
            .open(dir.join("stderr.log"))
            .map_err(storage)?;
        let mut shell = Command::new("/bin/sh");
        shell
            .arg("-c")
            .arg(self.line(to))
            .env("AUTOTUNE_PARAMETERS", parameters.to_string())
            .env("AUTOTUNE_SEED", seed(self.task.seed).to_string())
            .env("AUTOTUNE_EPOCH", from.to_string())
            .env("AUTOTUNE_MAX_EPOCHS", self.task.full.to_string())
            .env("AUTOTUNE_CHECKPOINT", &checkpoint)
            .env("OMP_NUM_THREADS", self.spec.threads.max(1).to_string())
            .env(
                "CUDA_VISIBLE_DEVICES",
                self.spec.gpu.as_deref().unwrap_or_default(),
            )
            .stdin(Stdio::null())
            .stderr(stderr);
        Ok(shell)
    }

    fn checkpoint(&self) -> PathBuf {
        self.task.trial_dir.join("checkpoint")
    }

    /// The best score of earlier legs.
    pub(super) fn best(&self) -> Option<Best> {
        let text = fs::read_to_string(self.best_file()).ok()?;
        serde_json::from_str(&text)
            .ok()
            .filter(|_| self.task.from > 0)
    }

    /// Keeps the best score for later legs. What cannot be kept costs a later leg its memory, and nothing else.
    pub(super) fn keep_best(&self, best: Best) {
        let part = self.best_file().with_extension("part");
        let kept = serde_json::to_string(&best)
            .map_err(std::io::Error::other)
            .and_then(|text| fs::write(&part, text))
            .and_then(|()| fs::rename(&part, self.best_file()));
        drop(kept);
    }

    /// Lines that an earlier process printed beyond the end of its leg; they are told of once.
    pub(super) fn pending(&self) -> VecDeque<String> {
        let file = self.pending_file();
        let text = fs::read_to_string(&file).unwrap_or_default();
        drop(fs::remove_file(&file));
        if self.task.from == 0 {
            return VecDeque::new();
        }
        text.lines().map(str::to_owned).collect()
    }

    /// Keeps such lines. What cannot be kept is not known, as if it had not been printed.
    pub(super) fn keep_pending(&self, lines: &VecDeque<String>) {
        if !lines.is_empty() {
            let text: String = lines
                .iter()
                .map(|line| format!("{}\n", line.trim_end()))
                .collect();
            drop(fs::write(self.pending_file(), text));
        }
    }

    fn pending_file(&self) -> PathBuf {
        self.task.trial_dir.join("pending.jsonl")
    }

    fn best_file(&self) -> PathBuf {
        self.task.trial_dir.join("best.json")
    }
}

/// The command of the trial that `spec` describes, as it is run in full.
///
/// # Errors
/// What cannot be read, in words.
pub fn command_line(spec: &Path) -> Result<String, String> {
    let program = Program::read(spec).map_err(|(_, why)| why)?;
    Ok(program.line(program.task.full))
}

/// A seed that every language's generator takes: 31 bits.
const fn seed(of_trial: u64) -> u64 {
    of_trial >> 33
}

fn read(path: &Path) -> Result<String, Refusal> {
    fs::read_to_string(path).map_err(|error| {
        let what = format!("cannot read {}: {error}", path.display());
        (FailureKind::Storage, what)
    })
}
