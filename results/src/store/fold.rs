//! Folds an entry of the journal into the tables that answer questions, in the same transaction.

use std::time::Duration;

use schedulers::conductor::Exit;
use schedulers::explain::Decision;
use serde::Serialize;
use sqlx::Sqlite;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteConnection};

use crate::journal::{Evaluation, Outcome, Reported, RunBegan};
use crate::{Entry, Number};

type Result<T = ()> = std::result::Result<T, sqlx::Error>;

/// Writes `entry` as number `seq` of the journal and folds it.
pub(super) async fn apply(
    db: &mut SqliteConnection,
    seq: i64,
    at: Duration,
    entry: &Entry,
) -> Result {
    let payload = serde_json::to_value(entry).map_err(encode)?;
    let kind = payload["kind"].as_str().unwrap_or_default().to_owned();
    sqlx::query("INSERT INTO events (seq, at_ms, kind, trial, payload) VALUES (?, ?, ?, ?, ?)")
        .bind(seq)
        .bind(ms(at))
        .bind(kind)
        .bind(entry.trial())
        .bind(payload.to_string())
        .execute(&mut *db)
        .await?;
    fold(db, seq, ms(at), entry).await
}

async fn fold(db: &mut SqliteConnection, seq: i64, at_ms: i64, entry: &Entry) -> Result {
    let query = match entry {
        Entry::RunBegan(began) => run_began(began)?,
        Entry::PhaseEntered { phase } => sqlx::query("UPDATE runs SET phase = ?").bind(phase),
        Entry::TargetKnown { target, target_kind, metric, maximise } => {
            sqlx::query("UPDATE runs SET target = ?, target_kind = ?, metric = ?, maximise = ?")
                .bind(target)
                .bind(target_kind)
                .bind(metric)
                .bind(maximise)
        }
        Entry::TrialCreated { trial, origin, parameters , ..
        } => sqlx::query(
            "INSERT INTO trials (id, origin, parameters, created_ms, phase) VALUES (?, ?, ?, ?, 'pending')",
        )
        .bind(trial)
        .bind(origin)
        .bind(json(parameters)?)
        .bind(at_ms),
        Entry::LegStarted { trial, attempt, slot, from, to , ..
        } => {
            set_phase("running", *trial).execute(&mut *db).await?;
            leg_started(at_ms, *trial, *from, *to).bind(attempt).bind(slot)
        }
        Entry::LegReady { trial, attempt, pid } => sqlx::query(
            "UPDATE legs SET pid = ?, ready_ms = ? WHERE trial = ? AND attempt = ? AND ended_ms IS NULL",
        )
        .bind(pid)
        .bind(at_ms)
        .bind(trial)
        .bind(attempt),
        Entry::Reported(reported) => {
            return fold_report(db, at_ms, reported).await;
        }
        Entry::LegEnded { trial, epoch, best_epoch, best_score, .. } => {
            set_best(*trial, *epoch, *best_epoch, *best_score)
        }
        Entry::LegContinued { trial, from, to } => {
            end_leg(at_ms, *trial, None, "continued".to_owned()).execute(&mut *db).await?;
            leg_continued(at_ms, *trial, *from, *to)
        }
        Entry::Decided { decision } => {
            return fold_decision(db, seq, at_ms, entry.trial(), decision).await;
        }
        Entry::Exited { trial, attempt, how, .. } => end_leg(at_ms, *trial, Some(*attempt), ending(*how)),
        Entry::TrialWaits { trial, paused } => set_phase(if *paused { "paused" } else { "pending" }, *trial),
        Entry::TrialEnded { trial, outcome, cause } => trial_ended(at_ms, *trial, *outcome, cause.as_deref()),
        Entry::ModelChosen(chosen) => evaluation(seq, at_ms, chosen, true)?,
        Entry::Evaluated(evaluated) => evaluation(seq, at_ms, evaluated, false)?,
        Entry::RunEnded { outcome } => sqlx::query("UPDATE runs SET phase = 'ended', outcome = ?, ended_ms = ?")
            .bind(outcome)
            .bind(at_ms),
        Entry::BudgetAdded { by_ms } => {
            sqlx::query("UPDATE runs SET budget_ms = budget_ms + ?").bind(by_ms.cast_signed())
        }
        Entry::Resumed => return resumed(db, at_ms).await,
        Entry::Noted { .. }
        | Entry::Reasoned { .. }
        | Entry::Prepared { .. }
        | Entry::RulesSettled { .. }
        | Entry::SlotsOpened { .. }
        | Entry::Probed { .. }
        | Entry::ProbeFailed { .. }
        | Entry::SpaceExhausted { .. }
        | Entry::Checkpointed { .. }
        | Entry::Asked { .. }
        | Entry::LauncherDied { .. }
        | Entry::StopAsked { .. }
        | Entry::KillAsked
        | Entry::TimeIsUp
        | Entry::Unresponsive { .. }
        | Entry::ReserveMeasured { .. }
        | Entry::Suspended { .. } => return Ok(()),
    };
    query.execute(db).await?;
    Ok(())
}

type Statement<'q> = Query<'q, Sqlite, SqliteArguments>;

fn run_began(began: &RunBegan) -> Result<Statement<'_>> {
    Ok(sqlx::query(
        "INSERT INTO runs (id, name, began_at_ms, dataset, seed, budget_ms, plan, version, phase)
         VALUES (1, ?, ?, ?, ?, ?, ?, ?, 'open')",
    )
    .bind(&began.name)
    .bind(began.began_at_ms.cast_signed())
    .bind(&began.dataset)
    .bind(began.seed.to_string())
    .bind(began.budget_ms.map(u64::cast_signed))
    .bind(began.plan.to_string())
    .bind(&began.version))
}

fn set_phase(phase: &'static str, trial: u32) -> Statement<'static> {
    sqlx::query("UPDATE trials SET phase = ? WHERE id = ?")
        .bind(phase)
        .bind(trial)
}

/// Begins a leg; attempt and slot are still to be bound.
fn trial_ended(at_ms: i64, trial: u32, outcome: Outcome, cause: Option<&str>) -> Statement<'_> {
    sqlx::query(
        "UPDATE trials SET phase = 'finished', outcome = ?, cause = ?, finished_ms = ? WHERE id = ?",
    )
    .bind(outcome.word())
    .bind(cause)
    .bind(at_ms)
    .bind(trial)
}

/// What was running is gone, and the run goes on.
async fn resumed(db: &mut SqliteConnection, at_ms: i64) -> Result {
    sqlx::query("UPDATE legs SET ended_ms = ?, ending = 'lost' WHERE ended_ms IS NULL")
        .bind(at_ms)
        .execute(&mut *db)
        .await?;
    sqlx::query("UPDATE runs SET phase = 'search', outcome = NULL, ended_ms = NULL")
        .execute(&mut *db)
        .await?;
    Ok(())
}

fn leg_started(at_ms: i64, trial: u32, from: u32, to: u32) -> Statement<'static> {
    sqlx::query(
        "INSERT INTO legs (trial, leg, from_epoch, to_epoch, began_ms, attempt, slot)
         VALUES (?1, (SELECT count(*) FROM legs WHERE trial = ?1), ?2, ?3, ?4, ?5, ?6)",
    )
    .bind(trial)
    .bind(from)
    .bind(to)
    .bind(at_ms)
}

/// Begins the next leg in the process and the slot of the one before.
fn leg_continued(at_ms: i64, trial: u32, from: u32, to: u32) -> Statement<'static> {
    sqlx::query(
        "INSERT INTO legs (trial, leg, attempt, slot, from_epoch, to_epoch, began_ms, pid, ready_ms)
         SELECT trial, leg + 1, attempt, slot, ?2, ?3, ?4, pid, ?4 FROM legs
         WHERE trial = ?1 ORDER BY leg DESC LIMIT 1",
    )
    .bind(trial)
    .bind(from)
    .bind(to)
    .bind(at_ms)
}

/// Ends the open leg of an attempt, or of whichever runs. The end of a lost process may come after its successor began.
fn end_leg(at_ms: i64, trial: u32, attempt: Option<u32>, ending: String) -> Statement<'static> {
    sqlx::query(
        "UPDATE legs SET ended_ms = ?1, ending = ?2
         WHERE trial = ?3 AND ended_ms IS NULL AND (?4 IS NULL OR attempt = ?4)",
    )
    .bind(at_ms)
    .bind(ending)
    .bind(trial)
    .bind(attempt)
}

/// How a leg ended, as a word for its column.
fn ending(how: Exit) -> String {
    match how {
        Exit::Ok => "ok".to_owned(),
        Exit::Failed(failure) => failure.to_string(),
    }
}

async fn fold_report(db: &mut SqliteConnection, at_ms: i64, reported: &Reported) -> Result {
    let scores = json(&reported.scores)?;
    // A retried leg reports its epochs again; the last word counts.
    sqlx::query(
        "INSERT INTO reports (trial, epoch, attempt, at_ms, loss, loss_kind, score, score_kind, scores, train_ms, eval_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (trial, epoch) DO UPDATE SET attempt = excluded.attempt, at_ms = excluded.at_ms,
           loss = excluded.loss, loss_kind = excluded.loss_kind, score = excluded.score,
           score_kind = excluded.score_kind, scores = excluded.scores",
    )
    .bind(reported.trial)
    .bind(reported.epoch)
    .bind(reported.attempt)
    .bind(at_ms)
    .bind(reported.loss.value())
    .bind(reported.loss.kind())
    .bind(reported.score.value())
    .bind(reported.score.kind())
    .bind(&scores)
    .bind(seconds_ms(reported.train_s))
    .bind(seconds_ms(reported.eval_s))
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "UPDATE trials SET epoch = ?2, best_epoch = ?3, best_score = ?4, best_kind = ?5,
           scores = CASE WHEN ?2 = ?3 THEN ?6 ELSE scores END,
           train_ms = train_ms + ?7, eval_ms = eval_ms + ?8 WHERE id = ?1",
    )
    .bind(reported.trial)
    .bind(reported.epoch)
    .bind(reported.best_epoch)
    .bind(reported.best_score.value())
    .bind(reported.best_score.kind())
    .bind(scores)
    .bind(seconds_ms(reported.train_s))
    .bind(seconds_ms(reported.eval_s))
    .execute(db)
    .await?;
    Ok(())
}

fn set_best(trial: u32, epoch: u32, best_epoch: u32, best: Number) -> Statement<'static> {
    sqlx::query(
        "UPDATE trials SET epoch = ?, best_epoch = ?, best_score = ?, best_kind = ? WHERE id = ?",
    )
    .bind(epoch)
    .bind(best_epoch)
    .bind(best.value())
    .bind(best.kind())
    .bind(trial)
}

/// Writes a decision down, with the numbers of its place in columns of their own.
async fn fold_decision(
    db: &mut SqliteConnection,
    seq: i64,
    at_ms: i64,
    trial: Option<u32>,
    decision: &Decision,
) -> Result {
    let place = match decision {
        Decision::Judged { place, .. } | Decision::Promoted { place, .. } => Some(place),
        Decision::Length { full, .. } | Decision::Portfolio { full, .. } => {
            let query = sqlx::query("UPDATE runs SET full_epochs = ?").bind(full);
            query.execute(&mut *db).await?;
            None
        }
        Decision::Straight { .. }
        | Decision::FirstRungRaised { .. }
        | Decision::CapRaised { .. }
        | Decision::Finishing { .. }
        | Decision::Finished { .. }
        | Decision::Stopped { .. }
        | Decision::Retried { .. }
        | Decision::Failed { .. }
        | Decision::Exhausted
        | Decision::Ignored { .. } => None,
    };
    let payload = serde_json::to_value(decision).map_err(encode)?;
    sqlx::query(
        "INSERT INTO decisions (seq, trial, at_ms, kind, rung, rank, n, k, decision)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(seq)
    .bind(trial)
    .bind(at_ms)
    .bind(payload["decision"].as_str().unwrap_or_default().to_owned())
    .bind(place.map(|place| place.rung))
    .bind(place.map(|place| count(place.rank)))
    .bind(place.map(|place| count(place.n)))
    .bind(place.map(|place| count(place.k)))
    .bind(payload.to_string())
    .execute(db)
    .await?;
    Ok(())
}

fn evaluation(
    seq: i64,
    at_ms: i64,
    evaluation: &Evaluation,
    chosen: bool,
) -> Result<Statement<'_>> {
    Ok(sqlx::query(
        "INSERT INTO models (seq, trial, epoch, at_ms, part, metric, score, scores, chosen)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(seq)
    .bind(evaluation.trial)
    .bind(evaluation.epoch)
    .bind(at_ms)
    .bind(&evaluation.part)
    .bind(&evaluation.metric)
    .bind(evaluation.score.value())
    .bind(json(&evaluation.scores)?)
    .bind(chosen))
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(encode)
}

fn encode(error: serde_json::Error) -> sqlx::Error {
    sqlx::Error::Encode(error.into())
}

/// Milliseconds for a column; saturates after some 290 million years.
fn ms(at: Duration) -> i64 {
    i64::try_from(at.as_millis()).unwrap_or(i64::MAX)
}

fn seconds_ms(seconds: f64) -> i64 {
    ms(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}
