//! `autotune ask-tell`: the samplers over standard input and output, for whoever runs trials by himself.

use std::collections::BTreeSet;
use std::io::{self, BufRead};
use std::path::PathBuf;

use clap::Args;
use schedulers::Direction;
use schedulers::Score;
use search::config::Config;
use search::config::hyperopt::Goal;
use search::sampler::{Observation, Sampler, State};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::config_file;
use super::world::World;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::run::sampler;

/// What stands under the help.
const CONTRACT: &str = "\
One JSON object a line, one answer a line (here indented):
  {\"ask\": 1}
    {\"trials\": [{\"trial\": 1, \"parameters\": {\"lr\": 0.01}, \"origin\": \"sobol\"}]}
  {\"tell\": {\"trial\": 1, \"score\": 0.25}}
    {\"told\": 1}
  {\"best\": true}
    {\"best\": {\"trial\": 1, \"score\": 0.25}}
  {\"restore\": {\"trial\": 1, \"parameters\": {\"lr\": 0.01}, \"origin\": \"sobol\"}}
    {\"restored\": 1}
A telling may have \"epoch\" and \"max_epochs\" (both 1 where not written), and a \"state\":
running, completed (where not written), stopped or failed.
A trial may be told of again: the last word counts.
Fewer trials than were asked for: the space is used up.
What cannot be done is answered by {\"error\": \"...\"}, and changes nothing.";

/// Flags of `ask-tell`.
#[derive(Debug, Args)]
#[command(after_help = CONTRACT)]
pub(crate) struct AskTellArgs {
    /// What is searched: YAML with the keys of a hyperopt section.
    #[arg(long, value_name = "FILE")]
    space: PathBuf,
    /// The seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// What proposes values: tpe learns from scores, evolution changes the best, sobol spreads evenly, random draws.
    #[arg(long, value_name = "SAMPLER", value_parser = ["tpe", "evolution", "sobol", "random"])]
    sampler: Option<String>,
}

/// Answers until standard input ends.
pub(crate) fn run(args: &AskTellArgs, world: &mut World) -> Result<Exit> {
    let mut config = config_file::read_space("", &args.space, world)?;
    let kind = match &args.sampler {
        Some(sampler) => Some(json!({ "type": sampler })),
        None if config.get("hyperopt.search_alg.type").is_none() => Some(json!({ "type": "tpe" })),
        None => None,
    };
    if let Some(kind) = kind {
        config.set("hyperopt.search_alg", kind)?;
    }
    let mut desk = Desk::new(&config, args.seed)?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| {
            Error::usage(
                format!("standard input cannot be read: {error}"),
                "give one JSON object a line, in UTF-8",
            )
        })?;
        if line.trim().is_empty() {
            continue;
        }
        world.data.json(&desk.answer(&line));
        world.data.flush();
    }
    Ok(Exit::Done)
}

/// What may be asked for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Ask(u64),
    Tell(Told),
    /// Whatever is said with it.
    Best(IgnoredAny),
    Restore(Restored),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    trial: u64,
    /// `null`: none, as of a trial that failed.
    score: Option<f64>,
    #[serde(default = "one")]
    epoch: u32,
    #[serde(default = "one")]
    max_epochs: u32,
    #[serde(default)]
    state: ToldState,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ToldState {
    Running,
    #[default]
    Completed,
    Stopped,
    Failed,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Restored {
    trial: u64,
    parameters: search::space::Assignment,
    origin: String,
}

const fn one() -> u32 {
    1
}

/// A sampler and what it was told.
struct Desk {
    sampler: Box<dyn Sampler>,
    direction: Direction,
    /// Trials that were proposed or restored.
    known: BTreeSet<u64>,
    best: Option<(u64, f64)>,
}

impl Desk {
    fn new(config: &Config, seed: u64) -> Result<Self> {
        let program = config.program()?;
        let search = program.as_ref().and_then(|program| program.search.as_ref());
        let is_maximised = program
            .as_ref()
            .is_some_and(|program| program.goal == Goal::Maximize);
        Ok(Self {
            sampler: sampler(search, None, seed)?,
            direction: if is_maximised {
                Direction::Maximise
            } else {
                Direction::Minimise
            },
            known: BTreeSet::new(),
            best: None,
        })
    }

    fn answer(&mut self, line: &str) -> Value {
        let answer = serde_json::from_str::<Request>(line)
            .map_err(|error| error.to_string())
            .and_then(|request| self.serve(request));
        answer.unwrap_or_else(|why| json!({ "error": why }))
    }

    fn serve(&mut self, request: Request) -> std::result::Result<Value, String> {
        match request {
            Request::Ask(n) => Ok(self.ask(n)),
            Request::Tell(told) => self.tell(&told),
            Request::Best(_) => {
                let best = self.best;
                let best = best.map(|(trial, score)| json!({ "trial": trial, "score": score }));
                Ok(json!({ "best": best }))
            }
            Request::Restore(restored) => self.restore(restored),
        }
    }

    fn ask(&mut self, n: u64) -> Value {
        let mut trials = Vec::new();
        for _ in 0..n {
            let trial = self.known.last().map_or(1, |last| last + 1);
            let Some(suggestion) = self.sampler.ask(trial) else {
                break;
            };
            self.known.insert(trial);
            trials.push(json!({
                "trial": trial,
                "parameters": suggestion.assignment,
                "origin": suggestion.origin.to_string(),
            }));
        }
        json!({ "trials": trials })
    }

    fn tell(&mut self, told: &Told) -> std::result::Result<Value, String> {
        if !self.known.contains(&told.trial) {
            return Err(format!("no trial {} was asked for", told.trial));
        }
        let raw = told.score.unwrap_or(f64::NAN);
        let score = |raw: f64| Score::new(raw, self.direction);
        let is_better = self.best.is_none_or(|(_, best)| score(raw) < score(best));
        if raw.is_finite() && is_better {
            self.best = Some((told.trial, raw));
        }
        self.sampler.tell(&Observation {
            trial: told.trial,
            resource: told.epoch,
            fraction: f64::from(told.epoch) / f64::from(told.max_epochs.max(1)),
            loss: score(raw).loss(),
            state: match told.state {
                ToldState::Running => State::Running,
                ToldState::Completed => State::Completed,
                ToldState::Stopped => State::Stopped,
                ToldState::Failed => State::Failed,
            },
        });
        Ok(json!({ "told": told.trial }))
    }

    fn restore(&mut self, restored: Restored) -> std::result::Result<Value, String> {
        let Some(origin) = search::sampler::Origin::from_word(&restored.origin) else {
            return Err(format!("\"{}\" is no origin of a trial", restored.origin));
        };
        let trial = restored.trial;
        let suggestion = search::sampler::Suggestion {
            assignment: restored.parameters,
            origin,
        };
        self.sampler.recall(trial, &suggestion);
        self.known.insert(trial);
        Ok(json!({ "restored": trial }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desk(space: &str) -> Desk {
        let (config, _) = Config::of_program("", space, "space.yaml").unwrap();
        Desk::new(&config, 1).unwrap()
    }

    const SPACE: &str = "goal: maximize\nparameters: {x: {space: uniform, lower: 0, upper: 1}}\nsearch_alg: {type: tpe}\n";

    #[test]
    fn what_is_asked_for_can_be_told_of() {
        let mut desk = desk(SPACE);
        let asked = desk.answer("{\"ask\": 2}");
        assert_eq!(asked["trials"].as_array().unwrap().len(), 2);
        assert_eq!(asked["trials"][1]["trial"], 2);
        assert!(asked["trials"][0]["parameters"]["x"].is_f64(), "{asked}");
        for (said, answer) in [
            ("{\"best\": true}", "{\"best\":null}"),
            ("{\"tell\": {\"trial\": 1, \"score\": 0.5}}", "{\"told\":1}"),
            (
                "{\"tell\": {\"trial\": 2, \"score\": null, \"state\": \"failed\"}}",
                "{\"told\":2}",
            ),
            (
                "{\"tell\": {\"trial\": 2, \"score\": 0.7, \"epoch\": 1, \"max_epochs\": 9, \"state\": \"running\"}}",
                "{\"told\":2}",
            ),
            ("{\"best\": true}", "{\"best\":{\"trial\":2,\"score\":0.7}}"),
            (
                "{\"tell\": {\"trial\": 3, \"score\": 1}}",
                "{\"error\":\"no trial 3 was asked for\"}",
            ),
        ] {
            assert_eq!(desk.answer(said).to_string(), answer, "{said}");
        }
        for wrong in [
            "",
            "7",
            "{\"asks\": 1}",
            "{\"tell\": {\"trial\": 1}, \"x\": 1}",
            "{\"ask\": -1}",
        ] {
            assert!(desk.answer(wrong)["error"].is_string(), "{wrong}");
        }
    }

    #[test]
    fn a_restored_study_goes_on_as_the_first_one_would_have() {
        let mut first = desk(SPACE);
        let mut second = desk(SPACE);
        for trial in 1..=12_u64 {
            let asked = first.answer("{\"ask\": 1}");
            let restored = json!({ "restore": asked["trials"][0] }).to_string();
            assert_eq!(second.answer(&restored), json!({ "restored": trial }));
            let x = asked["trials"][0]["parameters"]["x"].as_f64().unwrap();
            let told = json!({ "tell": { "trial": trial, "score": -(x - 0.3).abs() } }).to_string();
            first.answer(&told);
            second.answer(&told);
        }
        assert_eq!(first.answer("{\"ask\": 3}"), second.answer("{\"ask\": 3}"));
    }

    #[test]
    fn a_space_that_is_used_up_gives_fewer() {
        let mut desk = desk(
            "parameters: {x: {space: choice, categories: [1, 2]}}\nsearch_alg: {type: random}\n",
        );
        let asked = desk.answer("{\"ask\": 5}");
        assert_eq!(asked["trials"].as_array().unwrap().len(), 2, "{asked}");
    }
}
