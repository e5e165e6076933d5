//! The journal: everything that can happen in a run, one entry each, in the order it happened.
//!
//! It is the truth of a run. The tables of the database are folded from it, and the conductor can be
//! brought to where it stood: an entry carries whatever its readers need, the conductor among them, whose events can
//! be made from the entries again.
//! An entry is a file format: fields may be added with a default, never renamed.

use std::collections::BTreeMap;
use std::time::Duration;

use schedulers::conductor::{Exit, Rules, Sign, StopBy};
use schedulers::explain::Decision;
use schedulers::protocol::FailureKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Number;

/// An entry with its place and time.
#[derive(Debug, Clone, PartialEq)]
pub struct Stamped {
    /// Its place in the journal, from 1, without gaps.
    pub seq: u64,
    /// Run time: since the command was typed, suspensions not counted.
    pub at: Duration,
    /// What happened.
    pub entry: Entry,
}

/// Named scores of one model on one part of the data.
pub type Scores = BTreeMap<String, Number>;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// The run has its folder. Always the first entry.
    RunBegan(RunBegan),
    /// A phase has begun: open, profile, propose, prepare, search, finish.
    PhaseEntered {
        /// Its name.
        phase: String,
    },
    /// Something worth knowing about the data or the run.
    Noted {
        /// How much it matters.
        weight: Weight,
        /// What it is.
        text: String,
    },
    /// A default was chosen.
    Reasoned {
        /// What was chosen, as a dotted path of the config.
        path: String,
        /// The value chosen.
        value: String,
        /// Why.
        why: String,
    },
    /// It is known what is to be predicted and how it is scored.
    TargetKnown {
        /// The column.
        target: String,
        /// `binary`, `category` or `number`.
        target_kind: String,
        /// The metric that is optimised.
        metric: String,
        /// Whether higher is better.
        maximise: bool,
    },
    /// The prepared arrays stand.
    Prepared {
        /// The key of their folder in the cache.
        key: String,
        /// Rows of the training part.
        n_train: u64,
        /// Rows of the validation part.
        n_validation: u64,
        /// Rows of the test part.
        n_test: u64,
    },
    /// The conductor was given its rules.
    RulesSettled {
        /// All of them.
        rules: Rules,
    },
    /// The slots are open for trials.
    SlotsOpened {
        /// Their numbers.
        slots: Vec<u32>,
    },
    /// One epoch of the tuned default was timed.
    Probed {
        /// Seconds of one epoch, evaluation included.
        seconds_per_epoch: f64,
        /// Seconds a leg takes beside its epochs.
        fixed_seconds: f64,
    },
    /// The tuned default could not be timed.
    ProbeFailed {
        /// Why.
        cause: String,
    },
    /// A trial exists, with its parameters.
    TrialCreated {
        /// Its number.
        trial: u32,
        /// Which trials cost about as much an epoch.
        class: u32,
        /// Where it comes from: linear, default, sobol, random, ...
        origin: String,
        /// What the sampler chose: dotted path to value.
        parameters: BTreeMap<String, Value>,
    },
    /// The sampler had nothing new to propose.
    SpaceExhausted {
        /// The trial it was asked for.
        trial: u32,
    },
    /// A leg was given a slot and its process asked for.
    LegStarted {
        /// The trial.
        trial: u32,
        /// Which attempt at this leg.
        attempt: u32,
        /// The slot.
        slot: u32,
        /// Epochs done before.
        from: u32,
        /// Epochs to reach.
        to: u32,
        /// Epochs of its full training.
        full: u32,
        /// Why the attempt before failed.
        retry_of: Option<FailureKind>,
    },
    /// The process of a leg said hello.
    LegReady {
        /// The trial.
        trial: u32,
        /// The attempt.
        attempt: u32,
        /// Its process.
        pid: u32,
    },
    /// The scores of an epoch.
    Reported(Reported),
    /// A checkpoint was written.
    Checkpointed {
        /// The trial.
        trial: u32,
        /// The attempt.
        attempt: u32,
        /// Epochs done in it.
        epoch: u32,
    },
    /// A leg has reached its last epoch.
    LegEnded {
        /// The trial.
        trial: u32,
        /// The attempt.
        attempt: u32,
        /// Epochs done.
        epoch: u32,
        /// The epoch of the best score so far.
        best_epoch: u32,
        /// The best score so far.
        best_score: Number,
        /// Seconds of training in this leg.
        train_s: f64,
        /// Seconds from its hello, or the end of the leg before, to here.
        seconds: f64,
    },
    /// The conductor has decided something, with its numbers.
    Decided {
        /// What and why.
        decision: Decision,
    },
    /// The trial goes on in its process.
    LegContinued {
        /// The trial.
        trial: u32,
        /// Epochs done before.
        from: u32,
        /// Epochs to reach.
        to: u32,
    },
    /// The process of a trial was asked to pause, to stop, or was killed.
    Asked {
        /// The trial.
        trial: u32,
        /// `pause`, `stop` or `kill`.
        what: String,
    },
    /// The process of a leg is gone.
    Exited {
        /// The trial.
        trial: u32,
        /// The attempt.
        attempt: u32,
        /// How.
        how: Exit,
        /// What it said about it.
        message: Option<String>,
        /// It left its pipes open in other processes, which were killed.
        leaked: bool,
    },
    /// The trial waits: paused with a checkpoint, or back in the queue.
    TrialWaits {
        /// The trial.
        trial: u32,
        /// Whether it waits for a promotion rather than for a slot.
        paused: bool,
    },
    /// The trial is finished, for good.
    TrialEnded {
        /// The trial.
        trial: u32,
        /// How.
        outcome: Outcome,
        /// Why, when it was stopped or failed.
        cause: Option<String>,
    },
    /// The model in the run's folder was replaced.
    ModelChosen(Evaluation),
    /// A model was evaluated on a part of the data.
    Evaluated(Evaluation),
    /// The launcher died.
    LauncherDied {
        /// How often it was restarted before.
        restarts: u32,
    },
    /// A process does not do what it should.
    Unresponsive {
        /// The trial.
        trial: u32,
        /// The attempt.
        attempt: u32,
        /// What is missing.
        sign: Sign,
    },
    /// Time alone called for a decision: a deadline, a grace that is over.
    TimeIsUp,
    /// Somebody asked the run to end: finish and save.
    StopAsked {
        /// Who.
        by: StopBy,
    },
    /// Somebody asked for every trial to be killed.
    KillAsked,
    /// Evaluating, packaging and stopping were measured; this much time is kept for them.
    ReserveMeasured {
        /// In milliseconds.
        reserve_ms: u64,
    },
    /// The run may take longer than was said before.
    BudgetAdded {
        /// Milliseconds.
        by_ms: u64,
    },
    /// Another process goes on with the run: whatever was running is gone.
    Resumed,
    /// The process was suspended and its budget with it.
    Suspended {
        /// For how long, in milliseconds.
        for_ms: u64,
    },
    /// The run is over.
    RunEnded {
        /// `done`, `interrupted` or `failed`.
        outcome: String,
    },
}

/// How a run begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunBegan {
    /// Its name.
    pub name: String,
    /// When, in milliseconds since 1970, UTC.
    pub began_at_ms: u64,
    /// What the user called the dataset.
    pub dataset: String,
    /// The seed of everything random.
    pub seed: u64,
    /// From the command to the prompt, in milliseconds.
    pub budget_ms: Option<u64>,
    /// The whole plan of the run.
    pub plan: Value,
    /// The version of the program.
    pub version: String,
}

/// The scores of one epoch of one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reported {
    /// The trial.
    pub trial: u32,
    /// The attempt.
    pub attempt: u32,
    /// Epochs done.
    pub epoch: u32,
    /// The training loss.
    pub loss: Number,
    /// The metric of the run on the validation part, as it is, not turned round.
    pub score: Number,
    /// Every metric on the validation part.
    pub scores: Scores,
    /// The epoch of the best score so far.
    pub best_epoch: u32,
    /// The best score so far.
    pub best_score: Number,
    /// Seconds of training in this epoch.
    pub train_s: f64,
    /// Seconds of evaluation in this epoch.
    pub eval_s: f64,
}

/// Scores of a model on a part of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The trial of the model; absent for the constant.
    pub trial: Option<u32>,
    /// Its epoch.
    pub epoch: u32,
    /// `train`, `validation` or `test`.
    pub part: String,
    /// The metric of the run.
    pub metric: String,
    /// Its value.
    pub score: Number,
    /// Every metric.
    pub scores: Scores,
}

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Worth knowing.
    Note,
    /// Something odd in the data.
    Finding,
    /// Probably not what was wanted.
    Warning,
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was trained to the end.
    Completed,
    /// The scheduler or the user ended it.
    Stopped,
    /// It could not be trained.
    Failed,
}

impl Outcome {
    /// The word for it in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

impl Entry {
    /// The trial it is about.
    pub fn trial(&self) -> Option<u32> {
        match self {
            Self::TrialCreated { trial, .. }
            | Self::SpaceExhausted { trial }
            | Self::LegStarted { trial, .. }
            | Self::LegReady { trial, .. }
            | Self::Checkpointed { trial, .. }
            | Self::LegEnded { trial, .. }
            | Self::LegContinued { trial, .. }
            | Self::Asked { trial, .. }
            | Self::Unresponsive { trial, .. }
            | Self::Exited { trial, .. }
            | Self::TrialWaits { trial, .. }
            | Self::TrialEnded { trial, .. } => Some(*trial),
            Self::Reported(reported) => Some(reported.trial),
            Self::Decided { decision } => decided_trial(decision),
            Self::ModelChosen(evaluation) | Self::Evaluated(evaluation) => evaluation.trial,
            Self::RunBegan(_)
            | Self::PhaseEntered { .. }
            | Self::Noted { .. }
            | Self::Reasoned { .. }
            | Self::TargetKnown { .. }
            | Self::Prepared { .. }
            | Self::RulesSettled { .. }
            | Self::SlotsOpened { .. }
            | Self::Probed { .. }
            | Self::ProbeFailed { .. }
            | Self::LauncherDied { .. }
            | Self::StopAsked { .. }
            | Self::KillAsked
            | Self::TimeIsUp
            | Self::ReserveMeasured { .. }
            | Self::BudgetAdded { .. }
            | Self::Resumed
            | Self::Suspended { .. }
            | Self::RunEnded { .. } => None,
        }
    }

    /// Whether it must survive a power cut and not only a kill: what hours of training hang on.
    pub(crate) fn is_durable(&self) -> bool {
        matches!(
            self,
            Self::RunBegan(_)
                | Self::LegEnded { .. }
                | Self::TrialEnded { .. }
                | Self::ModelChosen(_)
                | Self::Evaluated(_)
                | Self::BudgetAdded { .. }
                | Self::Resumed
                | Self::RunEnded { .. }
        )
    }
}

/// The trial a decision is about.
fn decided_trial(decision: &Decision) -> Option<u32> {
    match decision {
        Decision::Straight { trial, .. }
        | Decision::Judged { trial, .. }
        | Decision::Promoted { trial, .. }
        | Decision::Finished { trial, .. }
        | Decision::Stopped { trial, .. }
        | Decision::Retried { trial, .. }
        | Decision::Failed { trial, .. }
        | Decision::Ignored { trial, .. } => Some(trial.0),
        Decision::Finishing { leader, .. } => leader.map(|leader| leader.0),
        Decision::Length { .. }
        | Decision::Portfolio { .. }
        | Decision::FirstRungRaised { .. }
        | Decision::CapRaised { .. }
        | Decision::Exhausted => None,
    }
}
