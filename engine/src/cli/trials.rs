//! `autotune trials RUN`: the leaderboard.

use clap::Args;
use results::query::TrialRow;
use serde_json::{Value, json};

use super::run_ref::{RunRef, wait};
use super::world::World;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Align, Mode, Table, number, terminal_width};

/// Flags of `trials`.
#[derive(Debug, Args)]
pub(crate) struct TrialsArgs {
    #[command(flatten)]
    run: RunRef,
    /// Show the best N only.
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

/// Shows the trials, best first.
pub(crate) fn run(args: &TrialsArgs, world: &mut World) -> Result<Exit> {
    let trials = wait(async {
        let (_, reader) = args.run.open().await?;
        let trials = reader.leaderboard(args.limit).await?;
        reader.close().await;
        Ok(trials)
    })?;
    match world.mode {
        Mode::Json => trials
            .iter()
            .for_each(|trial| world.data.json(&object(trial))),
        Mode::Human | Mode::Quiet => world.data.line(&table(&trials).render(terminal_width())),
    }
    Ok(Exit::Done)
}

fn table(trials: &[TrialRow]) -> Table {
    let mut table = Table::new(&[
        ("trial", Align::Right),
        ("score", Align::Right),
        ("epoch", Align::Right),
        ("of", Align::Right),
        ("train", Align::Right),
        ("state", Align::Left),
        ("origin", Align::Left),
        ("parameters", Align::Left),
    ]);
    for trial in trials {
        table.row([
            trial.trial.to_string(),
            score(trial).map_or_else(|| "-".to_owned(), number),
            trial
                .best_epoch
                .map_or_else(|| "-".to_owned(), |epoch| epoch.to_string()),
            trial.epoch.to_string(),
            format!("{:.1}s", trial.train.as_secs_f64()),
            trial.cause.as_ref().map_or_else(
                || trial.phase.word().to_owned(),
                |cause| format!("{}: {cause}", trial.phase.word()),
            ),
            trial.origin.clone(),
            parameters(trial),
        ]);
    }
    table
}

/// "learning_rate 0.041, dropout 0.1": the last part of each path, values short.
pub(crate) fn parameters(trial: &TrialRow) -> String {
    let words = trial.parameters.iter().map(|(path, value)| {
        let name = path.rsplit('.').next().unwrap_or(path);
        let value = value.as_f64().filter(|_| value.is_f64()).map_or_else(
            || {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            },
            number,
        );
        format!("{name} {value}")
    });
    words.collect::<Vec<_>>().join(", ")
}

fn score(trial: &TrialRow) -> Option<f64> {
    trial.best_score.map(|score| score.0)
}

fn object(trial: &TrialRow) -> Value {
    json!({
        "trial": trial.trial, "origin": trial.origin, "state": trial.phase.word(), "cause": trial.cause, "score": score(trial),
        "epoch": trial.epoch, "best_epoch": trial.best_epoch, "train_s": trial.train.as_secs_f64(), "parameters": trial.parameters,
        "scores": trial.scores.iter().map(|(name, score)| (name.clone(), json!(score.0))).collect::<serde_json::Map<_, _>>(),
    })
}
