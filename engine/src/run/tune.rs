//! The way of a program of the user's: no table, no model; its parameters are searched, and its scores count.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use ::search::config::hyperopt::{Goal, Search};
use ::search::config::program::Program;
use ::search::config::{Comments, Config};
use ::search::space::Assignment;
use results::journal::Evaluation;
use results::query::TrialRow;
use results::{Entry, render};
use schedulers::{CostClass, Direction};

use super::base_config::read;
use super::earlier::Earlier;
use super::rules::rules_of_program;
use super::search::sampler;
use super::stage::Stage;
use super::{finish, search};
use crate::backend::{Local, command_line};
use crate::dispatcher::{Candidates, Dispatcher, Outcome, Setup};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{News, Phase, Score, Summary};
use crate::watchdog::{LastWords, Watchdog};

/// From the plan to the summary.
pub(super) async fn phases(
    stage: &mut Stage<'_>,
    earlier: Option<&Earlier>,
    watchdog: &Watchdog,
) -> Result<Summary> {
    let (config, program, search) = settle(stage)?;
    let objective = objective(&program);
    if earlier.is_none() {
        let entry = Entry::TargetKnown {
            target: program.metric.clone(),
            target_kind: "program".to_owned(),
            metric: program.metric.clone(),
            maximise: objective.direction == Direction::Maximise,
        };
        stage.write(vec![entry]).await?;
    }
    watchdog.remember(LastWords {
        text: format!(
            "The trials so far are recorded; `autotune resume {}` goes on.",
            stage.plan.folder.display()
        ),
        exit: Exit::Environment,
        abandon: None,
    });
    let setup = setup(stage, earlier, &search, &objective).await?;
    let backend = Local::programs(objective.direction);
    let mut dispatcher = Dispatcher::new(
        setup,
        candidates(&config, &search, stage.plan.seed)?,
        backend,
        stage.clock.clone(),
        stage.store,
        stage.talk,
    );
    if let Some(earlier) = earlier {
        for difference in dispatcher.go_on(&earlier.journal, earlier.added)? {
            let text = format!("decided otherwise then: {difference}");
            stage.tell(&News::Warning(text));
        }
    }
    stage.enter(Phase::Search).await?;
    let outcome = dispatcher.run(&mut stage.signals).await?;
    stage.enter(Phase::Finish).await?;
    dispatcher.into_backend().0.close().await;
    end(stage, &outcome, &objective).await
}

/// The config that is tuned: written down first, and read back before it is used, as an edited one would be.
fn settle(stage: &Stage<'_>) -> Result<(Config, Program, Search)> {
    let path = stage.folder.join("config.yaml");
    if let Some(config) = &stage.plan.program {
        let mut comments = config.docs();
        comments.insert(
            String::new(),
            "`autotune tune --config FILE` tunes this program again.".to_owned(),
        );
        fs::write(&path, config.to_yaml(&comments)).map_err(Error::file("write", &path))?;
    }
    let config = read(&path)?;
    let program = config.program()?;
    let search = program.as_ref().and_then(|program| program.search.clone());
    match (program, search) {
        (Some(program), Some(search)) => Ok((config, program, search)),
        _ => Err(Error::usage(
            format!(
                "{} is not the config of a program with a search",
                path.display()
            ),
            "start the run again",
        )),
    }
}

fn objective(program: &Program) -> search::Objective {
    search::Objective {
        metric: program.metric.clone(),
        direction: match program.goal {
            Goal::Minimize => Direction::Minimise,
            Goal::Maximize => Direction::Maximise,
        },
        metrics: vec![program.metric.clone()],
    }
}

async fn setup<'a>(
    stage: &Stage<'a>,
    earlier: Option<&Earlier>,
    search: &Search,
    objective: &search::Objective,
) -> Result<Setup<'a>> {
    let plan = stage.plan;
    let standing = stage.store.reader().best().await?;
    Ok(Setup {
        folder: stage.folder.to_owned(),
        prepared: PathBuf::new(),
        epoch_rows: None,
        rules: match earlier {
            None => rules_of_program(plan, &search.scheduler),
            Some(earlier) => earlier.rules()?,
        },
        slots: &plan.slots,
        memory_limit_bytes: plan.memory_limit_bytes,
        seed: plan.seed,
        metric: objective.metric.clone(),
        direction: objective.direction,
        metrics: objective.metrics.clone(),
        test_share: 0.0,
        probe_seconds: 1.0,
        standing: standing.and_then(|best| evaluation(&best, &objective.metric)),
        is_program: true,
    })
}

fn evaluation(best: &TrialRow, metric: &str) -> Option<Evaluation> {
    Some(Evaluation {
        trial: Some(best.trial),
        epoch: best.best_epoch?,
        part: "validation".to_owned(),
        metric: metric.to_owned(),
        score: best.best_score?,
        scores: BTreeMap::new(),
    })
}

fn candidates(config: &Config, search: &Search, seed: u64) -> Result<Candidates> {
    let sampler = sampler(Some(search), None, seed)?;
    let base = config.clone();
    let concrete = move |assignment: &Assignment, _: u32| {
        let one_line = |errors: Vec<::search::ConfigError>| {
            let lines: Vec<String> = errors.iter().map(::search::ConfigError::one_line).collect();
            lines.join("; ")
        };
        let config = base.with(assignment).map_err(one_line)?;
        Ok((config.to_yaml(&Comments::new()), CostClass::default()))
    };
    Ok(Candidates::new(None, sampler, Box::new(concrete)))
}

/// Writes the last files and sums up.
async fn end(
    stage: &Stage<'_>,
    outcome: &Outcome,
    objective: &search::Objective,
) -> Result<Summary> {
    let reader = stage.store.reader();
    let board = reader.leaderboard(None).await?;
    let best = reader.best().await?;
    let path = stage.folder.join("leaderboard.csv");
    fs::write(&path, render::leaderboard_csv(&board)).map_err(Error::file("write", &path))?;
    let command = match &best {
        Some(best) => Some(write_best(stage, best, objective)?),
        None => None,
    };
    let exit = finish::exit(outcome, stage.signals.wish().by, best.is_some());
    let outcome_of_run = Entry::RunEnded {
        outcome: finish::word(exit).to_owned(),
    };
    stage.write(vec![outcome_of_run]).await?;
    let causes = outcome.causes.iter();
    let mut notes: Vec<String> = causes
        .map(|(cause, n)| format!("{n} failed: {cause}"))
        .collect();
    if best.is_none() {
        notes.push("no trial came to a score".to_owned());
    }
    Ok(Summary {
        name: stage.plan.name.clone(),
        folder: stage.plan.folder.clone(),
        metric: objective.metric.clone(),
        maximise: objective.direction == Direction::Maximise,
        best: Score {
            trial: best.as_ref().map(|best| best.trial),
            what: best
                .as_ref()
                .map_or_else(String::new, |best| best.origin.clone()),
            validation: best
                .as_ref()
                .and_then(|best| best.best_score)
                .map(|score| score.0),
            test: None,
        },
        tuned_default: None,
        baseline: None,
        program: Some(command.unwrap_or_default()),
        n_trials: outcome.n_trials,
        n_failed: outcome.n_failed,
        elapsed: stage.clock.now().0,
        exit,
        notes,
    })
}

/// Writes the config of the best trial; returns its command line.
fn write_best(stage: &Stage<'_>, best: &TrialRow, objective: &search::Objective) -> Result<String> {
    let dir = stage.folder.join("trials").join(best.trial.to_string());
    let config = read(&dir.join("config.yaml"))?;
    let line = command_line(&dir.join("spec.json")).map_err(Error::bug)?;
    let mut comments = Comments::new();
    let score = best.best_score.map_or(f64::NAN, |score| score.0);
    comments.insert(
        String::new(),
        format!(
            "The best of its run: trial {}, epoch {}. {} {score}.\n{line}",
            best.trial,
            best.best_epoch.unwrap_or_default(),
            objective.metric
        ),
    );
    let path = stage.folder.join("best_config.yaml");
    fs::write(&path, config.to_yaml(&comments)).map_err(Error::file("write", &path))?;
    Ok(line)
}
