//! `autotune explain RUN [TRIAL]`: why a default was chosen, why a trial went the way it went.

use clap::Args;
use results::query::{LegRow, TrialDetail};
use results::{Entry, Reader};
use schedulers::score::Direction;
use serde_json::{Value, json};

use super::run_ref::{RunRef, wait};
use super::trials::parameters;
use super::world::World;
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Mode, number, plain};

/// Flags of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    run: RunRef,
    /// The trial; without it, the choices of the base config are explained.
    #[arg(value_name = "TRIAL", value_parser = trial_number)]
    trial: Option<u32>,
}

/// Reads the number of a trial.
fn trial_number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| {
        "a trial is a whole number, as `autotune trials RUN` lists them: autotune explain RUN 3"
            .to_owned()
    })
}

/// Explains a run or a trial from the run's own record.
pub(crate) fn run(args: &ExplainArgs, world: &mut World) -> Result<Exit> {
    let lines = wait(async {
        let (_, reader) = args.run.open().await?;
        let lines = match args.trial {
            Some(trial) => of_trial(&reader.trial(trial).await?, direction(&reader).await?),
            None => of_run(&reader).await?,
        };
        reader.close().await;
        Ok(lines)
    })?;
    for line in lines {
        match world.mode {
            Mode::Json => world.data.json(&line.object),
            Mode::Human | Mode::Quiet => world.data.line(&plain(&line.text)),
        }
    }
    Ok(Exit::Done)
}

/// One line of an explanation, in both forms.
struct Line {
    text: String,
    object: Value,
}

/// How many journal entries are asked for at once.
const PAGE: u32 = 1000;

/// Which way the metric of the run points; sentences turn scores back by it.
async fn direction(reader: &Reader) -> Result<Direction> {
    let maximise = reader
        .run()
        .await?
        .and_then(|run| run.maximise)
        .unwrap_or(false);
    Ok(if maximise {
        Direction::Maximise
    } else {
        Direction::Minimise
    })
}

async fn of_run(reader: &Reader) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    let mut after = 0;
    loop {
        let page = reader.events(after, PAGE).await?;
        for stamped in &page {
            after = stamped.seq;
            if let Entry::Reasoned { path, value, why } = &stamped.entry {
                lines.push(Line {
                    text: format!("{path}: {value}\n    {why}"),
                    object: json!({ "path": path, "value": value, "why": why }),
                });
            }
        }
        if page.len() < PAGE as usize {
            return Ok(lines);
        }
    }
}

fn of_trial(detail: &TrialDetail, direction: Direction) -> Vec<Line> {
    let trial = &detail.trial;
    let score = trial.best_score.map_or_else(
        || "no score".to_owned(),
        |score| format!("best score {}", number(score.0)),
    );
    let best = trial
        .best_epoch
        .map_or_else(String::new, |epoch| format!(" at epoch {epoch}"));
    let cause = trial
        .cause
        .as_ref()
        .map_or_else(String::new, |cause| format!(": {cause}"));
    let chosen = parameters(trial);
    let chosen = if chosen.is_empty() {
        String::new()
    } else {
        format!("\n    {chosen}")
    };
    let head = Line {
        text: format!(
            "trial {} ({}), {}{cause}; {score}{best} of {}{chosen}",
            trial.trial,
            trial.origin,
            trial.phase.word(),
            trial.epoch
        ),
        object: json!({ "trial": trial.trial, "origin": trial.origin, "state": trial.phase.word(), "cause": trial.cause,
            "score": trial.best_score.map(|score| score.0), "epoch": trial.epoch, "parameters": trial.parameters }),
    };
    let legs = detail.legs.iter().map(|leg| (leg.began, of_leg(leg)));
    let decisions = detail.decisions.iter().map(|decision| {
        let object = json!({ "at_s": decision.at.as_secs_f64(), "decision": decision.decision });
        let text = format!(
            "[{:>7.1}s] {}",
            decision.at.as_secs_f64(),
            decision.decision.sentence(direction)
        );
        (decision.at, Line { text, object })
    });
    let mut story: Vec<_> = legs.chain(decisions).collect();
    story.sort_by_key(|(at, _)| *at);
    std::iter::once(head)
        .chain(story.into_iter().map(|(_, line)| line))
        .collect()
}

fn of_leg(leg: &LegRow) -> Line {
    let ending = leg.ending.clone().unwrap_or_else(|| "not ended".to_owned());
    Line {
        text: format!(
            "[{:>7.1}s] epochs {} to {} on slot {}: {ending}",
            leg.began.as_secs_f64(),
            leg.from,
            leg.to,
            leg.slot
        ),
        object: json!({ "at_s": leg.began.as_secs_f64(), "leg": leg.leg, "slot": leg.slot, "from": leg.from, "to": leg.to, "ending": ending }),
    }
}
