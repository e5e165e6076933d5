//! Rows as they are read: plain values, one struct a table.

use std::collections::BTreeMap;
use std::time::Duration;

use schedulers::explain::Decision;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use crate::journal::{Outcome, Scores};
use crate::{Error, Number, Result};

/// The run itself.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its name.
    pub name: String,
    /// When it began, in milliseconds since 1970, UTC.
    pub began_at_ms: u64,
    /// What the user called the dataset.
    pub dataset: String,
    /// The seed of everything random.
    pub seed: u64,
    /// From the command to the prompt.
    pub budget: Option<Duration>,
    /// The whole plan.
    pub plan: Value,
    /// The version of the program that made it.
    pub version: String,
    /// The column to predict, once known.
    pub target: Option<String>,
    /// `binary`, `category` or `number`, once known.
    pub target_kind: Option<String>,
    /// The metric that is optimised, once known.
    pub metric: Option<String>,
    /// Whether higher is better, once known.
    pub maximise: Option<bool>,
    /// Epochs of a full training, once known.
    pub full_epochs: Option<u32>,
    /// Where it is; `ended` when it is over.
    pub phase: String,
    /// How it ended; absent while it goes on and after a crash.
    pub outcome: Option<String>,
    /// Run time at its end.
    pub ended: Option<Duration>,
}

/// Where a trial is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It waits for a slot.
    Pending,
    /// A process trains it.
    Running,
    /// It waits for a promotion, with a checkpoint.
    Paused,
    /// It is over.
    Finished(Outcome),
}

impl Phase {
    /// The word for it in tables: an outcome says more than "finished".
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Finished(outcome) => outcome.word(),
        }
    }
}

/// One trial.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRow {
    /// Its number.
    pub trial: u32,
    /// Where it comes from: baseline, default, sobol, random, ...
    pub origin: String,
    /// What the sampler chose: dotted path to value.
    pub parameters: BTreeMap<String, Value>,
    /// Run time at its birth.
    pub created: Duration,
    /// Where it is.
    pub phase: Phase,
    /// Why it was stopped or failed.
    pub cause: Option<String>,
    /// Run time at its end.
    pub finished: Option<Duration>,
    /// Epochs done.
    pub epoch: u32,
    /// The epoch of its best score.
    pub best_epoch: Option<u32>,
    /// Its best score, as the metric has it.
    pub best_score: Option<Number>,
    /// Every metric at the best epoch.
    pub scores: Scores,
    /// Time spent training.
    pub train: Duration,
    /// Time spent evaluating.
    pub eval: Duration,
}

/// One leg of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegRow {
    /// Its number in the trial, from 0.
    pub leg: u32,
    /// Which attempt.
    pub attempt: u32,
    /// The slot it held.
    pub slot: u32,
    /// Epochs done before.
    pub from: u32,
    /// Epochs to reach.
    pub to: u32,
    /// Run time when it was given its slot.
    pub began: Duration,
    /// Its process, once it said hello.
    pub pid: Option<u32>,
    /// Run time at hello.
    pub ready: Option<Duration>,
    /// Run time at its end.
    pub ended: Option<Duration>,
    /// How it ended.
    pub ending: Option<String>,
}

/// The scores of one epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportRow {
    /// Epochs done.
    pub epoch: u32,
    /// The attempt.
    pub attempt: u32,
    /// Run time.
    pub at: Duration,
    /// The training loss.
    pub loss: Number,
    /// The metric of the run on the validation part.
    pub score: Number,
    /// Every metric.
    pub scores: Scores,
    /// Time spent training in this epoch.
    pub train: Duration,
    /// Time spent evaluating.
    pub eval: Duration,
}

/// One verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionRow {
    /// Its place in the journal.
    pub seq: u64,
    /// Run time.
    pub at: Duration,
    /// What was decided, with its numbers.
    pub decision: Decision,
}

/// One model that stood in `model/`, or an evaluation of one.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRow {
    /// Its place in the journal.
    pub seq: u64,
    /// Its trial; absent for the constant.
    pub trial: Option<u32>,
    /// Its epoch.
    pub epoch: u32,
    /// Run time.
    pub at: Duration,
    /// `train`, `validation` or `test`.
    pub part: String,
    /// The metric of the run.
    pub metric: String,
    /// Its value, when finite.
    pub score: Option<f64>,
    /// Every metric.
    pub scores: Scores,
    /// It became the model of the run.
    pub chosen: bool,
}

impl RunRow {
    pub(super) fn read(row: &SqliteRow) -> Result<Self> {
        let seed: String = row.try_get("seed")?;
        Ok(Self {
            name: row.try_get("name")?,
            began_at_ms: row.try_get::<i64, _>("began_at_ms")?.unsigned_abs(),
            dataset: row.try_get("dataset")?,
            seed: seed
                .parse()
                .map_err(|error| understand("the seed", &error))?,
            budget: duration(row, "budget_ms")?,
            plan: json(row, "plan")?,
            version: row.try_get("version")?,
            target: row.try_get("target")?,
            target_kind: row.try_get("target_kind")?,
            metric: row.try_get("metric")?,
            maximise: row.try_get("maximise")?,
            full_epochs: row.try_get("full_epochs")?,
            phase: row.try_get("phase")?,
            outcome: row.try_get("outcome")?,
            ended: duration(row, "ended_ms")?,
        })
    }
}

impl TrialRow {
    pub(super) fn read(row: &SqliteRow) -> Result<Self> {
        let best_kind: Option<String> = row.try_get("best_kind")?;
        Ok(Self {
            trial: row.try_get("id")?,
            origin: row.try_get("origin")?,
            parameters: json(row, "parameters")?,
            created: time(row, "created_ms")?,
            phase: phase(row)?,
            cause: row.try_get("cause")?,
            finished: duration(row, "finished_ms")?,
            epoch: row.try_get("epoch")?,
            best_epoch: row.try_get("best_epoch")?,
            best_score: best_kind
                .map(|kind| number(row, "best_score", &kind))
                .transpose()?,
            scores: row.try_get::<Option<String>, _>("scores")?.map_or_else(
                || Ok(Scores::new()),
                |text| serde_json::from_str(&text).map_err(|error| understand("scores", &error)),
            )?,
            train: time(row, "train_ms")?,
            eval: time(row, "eval_ms")?,
        })
    }
}

impl LegRow {
    pub(super) fn read(row: &SqliteRow) -> Result<Self> {
        Ok(Self {
            leg: row.try_get("leg")?,
            attempt: row.try_get("attempt")?,
            slot: row.try_get("slot")?,
            from: row.try_get("from_epoch")?,
            to: row.try_get("to_epoch")?,
            began: time(row, "began_ms")?,
            pid: row.try_get("pid")?,
            ready: duration(row, "ready_ms")?,
            ended: duration(row, "ended_ms")?,
            ending: row.try_get("ending")?,
        })
    }
}

impl ReportRow {
    pub(super) fn read(row: &SqliteRow) -> Result<Self> {
        Ok(Self {
            epoch: row.try_get("epoch")?,
            attempt: row.try_get("attempt")?,
            at: time(row, "at_ms")?,
            loss: number(row, "loss", row.try_get("loss_kind")?)?,
            score: number(row, "score", row.try_get("score_kind")?)?,
            scores: json(row, "scores")?,
            train: time(row, "train_ms")?,
            eval: time(row, "eval_ms")?,
        })
    }
}

impl DecisionRow {
    pub(super) fn read(row: &SqliteRow) -> Result<Self> {
        Ok(Self {
            seq: row.try_get::<i64, _>("seq")?.unsigned_abs(),
            at: time(row, "at_ms")?,
            decision: json(row, "decision")?,
        })
    }
}

impl ModelRow {
    pub(super) fn read(row: &SqliteRow) -> Result<Self> {
        Ok(Self {
            seq: row.try_get::<i64, _>("seq")?.unsigned_abs(),
            trial: row.try_get("trial")?,
            epoch: row.try_get("epoch")?,
            at: time(row, "at_ms")?,
            part: row.try_get("part")?,
            metric: row.try_get("metric")?,
            score: row.try_get("score")?,
            scores: json(row, "scores")?,
            chosen: row.try_get("chosen")?,
        })
    }
}

/// Reads every row by `read`.
pub(super) fn all<T>(rows: &[SqliteRow], read: impl Fn(&SqliteRow) -> Result<T>) -> Result<Vec<T>> {
    rows.iter().map(read).collect()
}

pub(super) fn time(row: &SqliteRow, column: &'static str) -> Result<Duration> {
    Ok(Duration::from_millis(
        row.try_get::<i64, _>(column)?.unsigned_abs(),
    ))
}

pub(super) fn json<T: DeserializeOwned>(row: &SqliteRow, column: &'static str) -> Result<T> {
    serde_json::from_str(row.try_get(column)?).map_err(|error| understand(column, &error))
}

fn duration(row: &SqliteRow, column: &'static str) -> Result<Option<Duration>> {
    let ms: Option<i64> = row.try_get(column)?;
    Ok(ms.map(|ms| Duration::from_millis(ms.unsigned_abs())))
}

fn number(row: &SqliteRow, column: &'static str, kind: &str) -> Result<Number> {
    Number::from_columns(row.try_get(column)?, kind)
        .ok_or_else(|| understand(column, &"value and kind disagree"))
}

fn phase(row: &SqliteRow) -> Result<Phase> {
    let (phase, outcome): (&str, Option<&str>) = (row.try_get("phase")?, row.try_get("outcome")?);
    match (phase, outcome) {
        ("pending", None) => Ok(Phase::Pending),
        ("running", None) => Ok(Phase::Running),
        ("paused", None) => Ok(Phase::Paused),
        ("finished", Some("completed")) => Ok(Phase::Finished(Outcome::Completed)),
        ("finished", Some("stopped")) => Ok(Phase::Finished(Outcome::Stopped)),
        ("finished", Some("failed")) => Ok(Phase::Finished(Outcome::Failed)),
        (phase, outcome) => Err(understand(
            "the phase of a trial",
            &format!("{phase}, {outcome:?}"),
        )),
    }
}

fn understand(what: &str, why: &dyn std::fmt::Display) -> Error {
    Error::Row {
        what: what.to_owned(),
        why: why.to_string(),
    }
}
