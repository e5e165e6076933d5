//! What a run tells while it goes on: facts for whoever listens, in the order they became true.

use std::path::PathBuf;
use std::time::Duration;

/// Listens to a run. Called from the run's own loop: it must not block.
pub trait Talk: Send + Sync {
    /// Takes one piece of news, `at` after the command was typed.
    fn tell(&self, at: Duration, news: &News);
}

/// The phases of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Find and open the table.
    Open,
    /// Read it and look at every column.
    Profile,
    /// Choose the base config.
    Propose,
    /// Split and code the columns.
    Prepare,
    /// Train trials.
    Search,
    /// Evaluate, package and report the best.
    Finish,
}

/// One piece of news.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// The run has its folder.
    RunOpened {
        /// The run's name.
        name: String,
        /// Its folder.
        folder: PathBuf,
    },
    /// A phase has begun.
    PhaseBegan(Phase),
    /// How far the phase is; `of` is absent while it is not known.
    Progress {
        /// What is counted: `bytes`, `rows`, `columns`.
        unit: &'static str,
        /// How many are done.
        done: u64,
        /// Of how many.
        of: Option<u64>,
    },
    /// Something about the data that the user should know.
    Finding(String),
    /// A choice that was made, and why.
    Reason {
        /// What was chosen, as a dotted path or a word.
        what: String,
        /// Why.
        why: String,
    },
    /// Something went wrong and the run goes on.
    Warning(String),
    /// A trial's leg has begun.
    LegStarted {
        /// The trial.
        trial: u32,
        /// Where it came from: `baseline`, `default`, `sobol`, `random`, ...
        origin: String,
        /// Epochs done before.
        from: u32,
        /// Epochs to reach.
        to: u32,
    },
    /// A trial has reported an epoch.
    Reported {
        /// The trial.
        trial: u32,
        /// Epochs done.
        epoch: u32,
        /// The objective on the validation part; not finite when the trial diverged.
        score: f64,
    },
    /// A verdict on a trial, in words.
    Decided {
        /// The trial.
        trial: u32,
        /// `continue`, `pause` or `stop`.
        verdict: String,
        /// The numbers and the rule behind it.
        reason: String,
    },
    /// A trial has come to its end.
    TrialEnded {
        /// The trial.
        trial: u32,
        /// `completed`, `stopped` or `failed`.
        outcome: String,
        /// Why, when it failed.
        cause: Option<String>,
    },
    /// There is a new best model.
    BestChanged {
        /// The trial it comes from.
        trial: u32,
        /// Its epoch.
        epoch: u32,
        /// Its score on the validation part.
        score: f64,
    },
    /// Where the search stands; told a few times a second.
    Standing {
        /// Trials begun.
        n_trials: u32,
        /// Trials finished, paused ones not counted.
        n_finished: u32,
        /// Slots that hold a trial.
        busy: usize,
        /// Slots there are.
        slots: usize,
        /// Until the deadline, when there is one.
        left: Option<Duration>,
    },
}
