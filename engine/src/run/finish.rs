//! The end of a run: the best model is scored on the test part, once; what it was is written down.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use results::journal::Evaluation;
use results::query::TrialRow;
use results::{Entry, Number, render};
use schedulers::conductor::StopBy;
use schedulers::protocol::{EvaluateTask, Task, TaskResult, TaskSpec, TrialMessage};
use schedulers::{Direction, TrialId};
use search::config::Comments;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::arrays::Arrays;
use super::base_config::read;
use super::search::Objective;
use super::stage::Stage;
use super::start::Ground;
use crate::backend::{Happening, Launch, LaunchId, Local};
use crate::dispatcher::{ModelFolder, Outcome, WRITING};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{Score, Summary};
use crate::run_plan::Verb;

/// How long an evaluation may take where no clock says.
const PATIENCE: Duration = Duration::from_secs(600);

/// The number of the last launch; the search counts from 0 and comes nowhere near.
const LAST_LAUNCH: LaunchId = LaunchId(u64::MAX);

type Scores = BTreeMap<String, f64>;

/// Ends a search that is over.
pub(super) async fn finish(
    stage: &mut Stage<'_>,
    mut backend: (Local, mpsc::Receiver<Happening>),
    outcome: Outcome,
    ground: &Ground,
    n_tests: usize,
) -> Result<Summary> {
    let objective = &ground.objective;
    let mut notes = Vec::new();
    let best = outcome.best.clone();
    let best_trial = best.as_ref().and_then(|best| best.trial);
    let test = test(stage, &mut backend, &outcome, ground).await?;
    backend.0.close().await;
    if ground.arrays.n_test > 0 && test.is_none() {
        notes.push("the time did not suffice to score the model on the test part".to_owned());
    }
    if n_tests > 0 && test.is_some() {
        notes.push(format!(
            "the test part was looked at {n_tests} times before: its score is the less to be trusted"
        ));
    }
    if let (Some(scores), Some(best)) = (&test, &best) {
        record_test(stage, best, scores, objective).await?;
    }
    let board = write_files(stage, best.as_ref()).await?;
    let is_trained = board.iter().any(|row| row.best_score.is_some());
    notes.extend(why(stage, &outcome, best_trial, is_trained));

    let of = |trial: u32| board.iter().find(|row| row.trial == trial);
    let score = |trial: u32, test: Option<f64>| {
        let row = of(trial)?;
        let validation = row
            .best_score
            .map(|score| score.0)
            .filter(|score| score.is_finite())?;
        Some(Score {
            trial: Some(trial),
            what: row.origin.clone(),
            validation: Some(validation),
            test,
        })
    };
    let value = |scores: &Option<Scores>| {
        scores
            .as_ref()
            .and_then(|scores| scores.get(&objective.metric).copied())
    };
    let what = match best_trial {
        Some(trial) => of(trial).map_or_else(String::new, |row| row.origin.clone()),
        None => "constant".to_owned(),
    };
    let exit = exit(&outcome, stage.signals.wish().by, is_trained);
    let outcome_of_run = Entry::RunEnded {
        outcome: word(exit).to_owned(),
    };
    stage.write(vec![outcome_of_run]).await?;
    Ok(Summary {
        name: stage.plan.name.clone(),
        folder: stage.plan.folder.clone(),
        metric: objective.metric.clone(),
        maximise: objective.direction == Direction::Maximise,
        best: Score {
            trial: best_trial,
            what,
            validation: best
                .as_ref()
                .map(|best| best.score.0)
                .filter(|score| score.is_finite()),
            test: value(&test),
        },
        tuned_default: score(1, None)
            .filter(|_| best_trial != Some(1) && stage.plan.verb == Verb::Search),
        baseline: score(TrialId::BASELINE.0, value(&outcome.baseline_test)),
        program: None,
        n_trials: outcome.n_trials,
        n_failed: outcome.n_failed,
        elapsed: stage.clock.now().0,
        exit,
        notes,
    })
}

/// Makes the model safe, and writes the best config and the leaderboard, which is returned.
async fn write_files(stage: &Stage<'_>, best: Option<&Evaluation>) -> Result<Vec<TrialRow>> {
    let model = ModelFolder::of_run(stage.folder);
    model.sync().map_err(Error::file("write", model.path()))?;
    if let Some(best) = best {
        write_best_config(stage.folder, best)?;
    }
    let board = stage.store.reader().leaderboard(None).await?;
    let path = stage.folder.join("leaderboard.csv");
    fs::write(&path, render::leaderboard_csv(&board)).map_err(Error::file("write", &path))?;
    Ok(board)
}

/// Scores of the final model on the test part; those that are known already where it is the baseline.
async fn test(
    stage: &mut Stage<'_>,
    backend: &mut (Local, mpsc::Receiver<Happening>),
    outcome: &Outcome,
    ground: &Ground,
) -> Result<Option<Scores>> {
    let best_trial = outcome.best.as_ref().and_then(|best| best.trial);
    match best_trial {
        _ if ground.arrays.n_test == 0 => Ok(None),
        Some(0) if outcome.baseline_test.is_some() => Ok(outcome.baseline_test.clone()),
        Some(_) | None => evaluate(stage, backend, &ground.objective, &ground.arrays).await,
    }
}

/// How the run ended, for `list`.
pub(super) fn word(exit: Exit) -> &'static str {
    match exit {
        Exit::Interrupted | Exit::Terminated => "interrupted",
        Exit::NoTrial => "no trial succeeded",
        Exit::Done | Exit::Bug | Exit::Usage | Exit::Data | Exit::Environment => "done",
    }
}

/// `asked_by` is who asked for the end, during the search or after it.
pub(super) fn exit(outcome: &Outcome, asked_by: Option<StopBy>, is_trained: bool) -> Exit {
    match outcome.stopped_by.or(asked_by) {
        Some(StopBy::User) => Exit::Interrupted,
        Some(StopBy::Signal) => Exit::Terminated,
        None if outcome.n_searched > 0 && outcome.n_failed == outcome.n_searched => Exit::NoTrial,
        // A constant is kept, and is not what anybody asked for.
        None if !is_trained => Exit::Environment,
        None => Exit::Done,
    }
}

/// What there is to know about the result. `is_trained` says whether any trial came to a score.
fn why(
    stage: &Stage<'_>,
    outcome: &Outcome,
    best_trial: Option<u32>,
    is_trained: bool,
) -> Vec<String> {
    let mut notes: Vec<String> = outcome
        .causes
        .iter()
        .map(|(cause, n)| format!("{n} failed: {cause}"))
        .collect();
    let is_search = stage.plan.verb == Verb::Search;
    match best_trial {
        None if is_trained => notes.push("no trial was better than a constant".to_owned()),
        None if outcome.stopped_by.is_some() => {
            notes.push(
                "the end came before anything was trained: the model is a constant".to_owned(),
            );
        }
        None if outcome.n_failed == 0 => {
            notes.push(
                "the budget was too short to train anything: the model is a constant".to_owned(),
            );
        }
        Some(0) if is_search && outcome.n_failed < outcome.n_searched => {
            notes.push("no trial was better than the linear baseline".to_owned());
        }
        Some(0) if is_search && outcome.n_searched == 0 => {
            notes.push(
                "the budget was too short to train a network: the model is the linear baseline"
                    .to_owned(),
            );
        }
        Some(1) if is_search && outcome.n_searched > 1 => {
            notes.push("the search found nothing better than the tuned default".to_owned());
        }
        Some(_) | None => {}
    }
    notes
}

/// Scores the model of the run on the test part. `None` when there is no time for it.
async fn evaluate(
    stage: &mut Stage<'_>,
    backend: &mut (Local, mpsc::Receiver<Happening>),
    objective: &Objective,
    arrays: &Arrays,
) -> Result<Option<Scores>> {
    let dir = stage.folder.join("test");
    fs::create_dir_all(&dir).map_err(Error::file("create", &dir))?;
    let mut spec = TaskSpec::new(Task::Evaluate(EvaluateTask {
        model_dir: stage.folder.join("model"),
        prepared: arrays.dir.clone(),
        part: "test".to_owned(),
        metrics: objective.metrics.clone(),
    }));
    if let Some(slot) = stage.plan.slots.first() {
        spec.gpu.clone_from(&slot.gpu);
        spec.threads = u32::try_from(stage.plan.n_threads()).unwrap_or(1);
    }
    let path = dir.join("spec.json");
    let text = spec
        .to_json()
        .map_err(|error| Error::bug(format!("a task that cannot be written: {error}")))?;
    fs::write(&path, text).map_err(Error::file("write", &path))?;
    backend.0.launch(Launch {
        id: LAST_LAUNCH,
        spec: path,
        dir,
    });
    let left = stage.end().map_or(PATIENCE, |end| {
        end.since(stage.clock.now()).saturating_sub(WRITING)
    });
    let result = async {
        let mut scores = None;
        while let Some(happening) = backend.1.recv().await {
            if let Happening::Said {
                id: LAST_LAUNCH,
                message: TrialMessage::Result(TaskResult::Evaluate { scores: found, .. }),
            } = happening
            {
                scores = Some(found);
            } else if matches!(happening, Happening::Exited { id, .. } if id == LAST_LAUNCH) {
                break;
            }
        }
        scores
    };
    // Whoever asks once more does not want to wait for a score.
    let asked = stage.signals.wish().asked;
    let asked_again = async { while stage.signals.changed().await.asked <= asked {} };
    Ok(tokio::select! {
        scores = timeout(left, result) => scores.unwrap_or_default(),
        () = asked_again => None,
    })
}

async fn record_test(
    stage: &Stage<'_>,
    best: &Evaluation,
    scores: &Scores,
    objective: &Objective,
) -> Result<()> {
    let score = scores.get(&objective.metric).copied().unwrap_or(f64::NAN);
    let evaluated = Evaluation {
        part: "test".to_owned(),
        score: Number(score),
        scores: scores
            .iter()
            .map(|(name, score)| (name.clone(), Number(*score)))
            .collect(),
        ..best.clone()
    };
    stage.write(vec![Entry::Evaluated(evaluated)]).await
}

/// Writes the config of the best model, complete: it trains the same model again by itself.
fn write_best_config(folder: &Path, best: &Evaluation) -> Result<()> {
    let mut comments = Comments::new();
    let (config, header) = match best.trial {
        Some(trial) => {
            let dir = folder.join("trials").join(trial.to_string());
            let full = epochs(&dir.join("spec.json"));
            let mut config = read(&dir.join("config.yaml"))?;
            if let Some(full) = full.filter(|_| config.get("trainer").is_some()) {
                config.set("trainer.epochs", full.into())?;
                let why = format!(
                    "full training; the best epoch on the validation part was {}",
                    best.epoch
                );
                comments.insert("trainer.epochs".to_owned(), why);
            }
            (
                config,
                format!("The best of its run: trial {trial}, epoch {}.", best.epoch),
            )
        }
        None => {
            let header = "No trial was finished; the model is a constant. This is the base config, as it would be trained.";
            (
                read(&folder.join("config.yaml"))?.concrete(),
                header.to_owned(),
            )
        }
    };
    let score = if best.score.0.is_finite() {
        format!(" {} {} on the validation part.", best.metric, best.score.0)
    } else {
        String::new()
    };
    comments.insert(
        String::new(),
        format!(
            "{header}{score}\n`autotune train --config FILE --dataset TABLE` trains it by itself."
        ),
    );
    let path = folder.join("best_config.yaml");
    fs::write(&path, config.to_yaml(&comments)).map_err(Error::file("write", &path))
}

/// Epochs of the full training of a trial, from its last task.
fn epochs(spec: &Path) -> Option<u32> {
    let spec = TaskSpec::from_json(&fs::read_to_string(spec).ok()?).ok()?;
    match spec.task {
        Task::Train(task) => Some(task.full),
        Task::Probe(_) | Task::Evaluate(_) => None,
    }
}
