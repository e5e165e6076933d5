//! How near samplers come to the best of four known functions, and how fast they suggest.
//!
//! `sampler_quality quality` prints one JSON line a function: the regret of each seed after 100 trials.
//! `sampler_quality speed` prints suggestions a second with 500 trials known, and the slowest at 10,000.
//! `benches/sampler_quality.py` runs both beside Optuna, which has the same functions.
//!
//! Flags (all optional): `--sampler NAME --trials N --seeds N --sobol N --gamma X --least-good N --max-good N --random X
//! --candidates N`; what is not said is what a search takes by default.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use search::sampler::{
    Evolution, Layered, Observation, Random, Sampler, Sobol, State, Tpe, TpeOptions,
};
use search::space::{Assignment, Space};
use serde_json::{Value, json};

type Function = fn(&Assignment) -> f64;

/// A function, the space it is searched over, and its least value.
struct Problem {
    name: &'static str,
    space: Value,
    f: Function,
    least: f64,
}

fn problems() -> Vec<Problem> {
    let unit = json!({"space": "uniform", "lower": 0, "upper": 1});
    vec![
        Problem {
            name: "branin",
            space: json!({
                "x1": {"space": "uniform", "lower": -5, "upper": 10},
                "x2": {"space": "uniform", "lower": 0, "upper": 15},
            }),
            f: branin,
            least: 0.397_887_357_729_738_5,
        },
        Problem {
            name: "hartmann6",
            space: json!({"x0": unit, "x1": unit, "x2": unit, "x3": unit, "x4": unit, "x5": unit}),
            f: hartmann6,
            least: -3.322_368_011_391_339,
        },
        Problem {
            name: "mixed",
            space: json!({
                "lr": {"space": "loguniform", "lower": 1e-5, "upper": 1},
                "dropout": {"space": "uniform", "lower": 0, "upper": 0.8},
                "layers": {"space": "randint", "lower": 1, "upper": 9},
                "width": {"space": "lograndint", "lower": 8, "upper": 1025},
                "activation": {"space": "choice", "categories": ["relu", "gelu", "tanh", "selu"]},
                "norm": {"space": "choice", "categories": ["batch", "layer", "none"]},
            }),
            f: mixed,
            least: 0.0,
        },
        Problem {
            name: "conditional",
            space: json!({
                "kind": {"space": "choice", "categories": ["svm", "forest", "net"]},
                "c": {"space": "loguniform", "lower": 1e-3, "upper": 1e3, "when": {"kind": "svm"}},
                "width": {"space": "loguniform", "lower": 1e-4, "upper": 10, "when": {"kind": "svm"}},
                "depth": {"space": "randint", "lower": 1, "upper": 21, "when": {"kind": "forest"}},
                "features": {"space": "uniform", "lower": 0.1, "upper": 1, "when": {"kind": "forest"}},
                "lr": {"space": "loguniform", "lower": 1e-5, "upper": 1, "when": {"kind": "net"}},
                "layers": {"space": "randint", "lower": 1, "upper": 6, "when": {"kind": "net"}},
                "dropout": {"space": "uniform", "lower": 0, "upper": 0.8, "when": {"kind": "net"}},
            }),
            f: conditional,
            least: 0.0,
        },
    ]
}

fn number(assignment: &Assignment, name: &str) -> f64 {
    assignment
        .get(name)
        .and_then(Value::as_f64)
        .unwrap_or(f64::NAN)
}

fn choice(assignment: &Assignment, name: &str, losses: &[(&str, f64)]) -> f64 {
    let word = assignment.get(name).and_then(Value::as_str);
    let loss = losses.iter().find(|(known, _)| Some(*known) == word);
    loss.map_or(f64::NAN, |(_, loss)| *loss)
}

/// Branin and Hoo 1972, as in Picheny et al. 2012.
fn branin(a: &Assignment) -> f64 {
    use std::f64::consts::PI;
    let (x, y) = (number(a, "x1"), number(a, "x2"));
    let inner = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
    inner * inner + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0
}

/// Hartmann's function of six variables, as in Picheny et al. 2012.
fn hartmann6(a: &Assignment) -> f64 {
    const ALPHA: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    const A: [[f64; 6]; 4] = [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ];
    const P: [[f64; 6]; 4] = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ];
    let x: Vec<f64> = (0..6).map(|i| number(a, &format!("x{i}"))).collect();
    let term = |i: usize| {
        let inner: f64 = (0..6).map(|j| A[i][j] * (x[j] - P[i][j]).powi(2)).sum();
        ALPHA[i] * (-inner).exp()
    };
    -(0..4).map(term).sum::<f64>()
}

/// Ours: a tilted bowl over numbers, with a loss for each word.
fn mixed(a: &Assignment) -> f64 {
    let rate = number(a, "lr").log10() + 2.5;
    let width = number(a, "width").log2() - 7.0;
    0.5 * rate * rate
        + 0.15 * rate * width
        + 0.2 * width * width
        + 4.0 * (number(a, "dropout") - 0.2).powi(2)
        + 0.1 * (number(a, "layers") - 4.0).powi(2)
        + choice(
            a,
            "activation",
            &[("relu", 0.1), ("gelu", 0.0), ("tanh", 0.4), ("selu", 0.6)],
        )
        + choice(a, "norm", &[("batch", 0.3), ("layer", 0.0), ("none", 0.5)])
}

/// Ours: three branches, the one with the most parameters best.
fn conditional(a: &Assignment) -> f64 {
    match a.get("kind").and_then(Value::as_str) {
        Some("svm") => {
            0.2 + 0.1 * (number(a, "c").log10() - 1.0).powi(2)
                + 0.15 * (number(a, "width").log10() + 1.5).powi(2)
        }
        Some("forest") => {
            0.1 + 0.004 * (number(a, "depth") - 12.0).powi(2)
                + 0.5 * (number(a, "features") - 0.5).powi(2)
        }
        Some(_) | None => {
            0.3 * (number(a, "lr").log10() + 3.0).powi(2)
                + 0.08 * (number(a, "layers") - 3.0).powi(2)
                + (number(a, "dropout") - 0.3).powi(2)
        }
    }
}

/// Ten parameters of every kind, for the speed.
fn ten() -> Value {
    json!({
        "a": {"space": "loguniform", "lower": 1e-5, "upper": 1},
        "b": {"space": "uniform", "lower": 0, "upper": 1},
        "c": {"space": "uniform", "lower": 0, "upper": 1},
        "d": {"space": "uniform", "lower": 0, "upper": 1},
        "e": {"space": "loguniform", "lower": 1e-5, "upper": 1},
        "f": {"space": "randint", "lower": 1, "upper": 9},
        "g": {"space": "lograndint", "lower": 8, "upper": 1025},
        "h": {"space": "quniform", "lower": 0, "upper": 1, "q": 0.05},
        "i": {"space": "choice", "categories": ["p", "q", "r", "s"]},
        "j": {"space": "choice", "categories": ["p", "q", "r"]},
    })
}

/// What the command line says.
struct Asked {
    sampler: String,
    n_trials: u64,
    n_seeds: u64,
    n_sobol: u32,
    options: TpeOptions,
}

impl Asked {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut asked = Self {
            sampler: "tpe".to_owned(),
            n_trials: 100,
            n_seeds: 100,
            n_sobol: 8,
            options: TpeOptions::default(),
        };
        while let Some(flag) = args.next() {
            let value = args.next().ok_or(format!("{flag} needs a value"))?;
            let bad = |_| format!("{flag} cannot be {value}");
            match flag.as_str() {
                "--sampler" => asked.sampler.clone_from(&value),
                "--trials" => asked.n_trials = value.parse().map_err(bad)?,
                "--seeds" => asked.n_seeds = value.parse().map_err(bad)?,
                "--sobol" => asked.n_sobol = value.parse().map_err(bad)?,
                "--max-good" => asked.options.max_good = value.parse().map_err(bad)?,
                "--least-good" => asked.options.least_good = value.parse().map_err(bad)?,
                "--candidates" => asked.options.n_candidates = value.parse().map_err(bad)?,
                "--gamma" | "--random" => {
                    let share = value
                        .parse()
                        .map_err(|_| format!("{flag} cannot be {value}"))?;
                    if flag == "--gamma" {
                        asked.options.gamma = share;
                    } else {
                        asked.options.random_share = share;
                    }
                }
                _ => return Err(format!("unknown flag {flag}")),
            }
        }
        Ok(asked)
    }

    fn sampler(&self, space: &Space, seed: u64) -> Result<Box<dyn Sampler>, String> {
        let last: Box<dyn Sampler> = match self.sampler.as_str() {
            "tpe" => Box::new(Tpe::new(space.clone(), self.options, seed)),
            "evolution" => Box::new(Evolution::new(space.clone(), 20, seed)),
            "random" => return Ok(Box::new(Random::new(space.clone(), seed))),
            "sobol" => return Ok(Box::new(Sobol::new(space.clone(), seed))),
            other => return Err(format!("unknown sampler {other}")),
        };
        Ok(Box::new(Layered::new(
            space,
            None,
            Vec::new(),
            self.n_sobol,
            last,
            seed,
        )))
    }
}

fn completed(trial: u64, loss: f64) -> Observation {
    Observation {
        trial,
        resource: 1,
        fraction: 1.0,
        loss: Some(loss),
        state: State::Completed,
    }
}

fn read(space: &Value) -> Result<Space, String> {
    let parameters = space.as_object().ok_or("a space is a map")?;
    Space::new(parameters).map_err(|faults| format!("{faults:?}"))
}

fn quality(asked: &Asked, out: &mut impl Write) -> Result<(), String> {
    for problem in problems() {
        let space = read(&problem.space)?;
        let mut regrets = Vec::new();
        for seed in 0..asked.n_seeds {
            let mut sampler = asked.sampler(&space, seed)?;
            let mut best = f64::INFINITY;
            for trial in 1..=asked.n_trials {
                let Some(suggestion) = sampler.ask(trial) else {
                    break;
                };
                let loss = (problem.f)(&suggestion.assignment);
                best = best.min(loss);
                sampler.tell(&completed(trial, loss));
            }
            regrets.push(best - problem.least);
        }
        let line = json!({"problem": problem.name, "regret": regrets});
        writeln!(out, "{line}").map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Times of `n` suggestions after `n_known` trials, each told of; ascending.
fn times(asked: &Asked, n_known: u64, n: u64) -> Result<Vec<Duration>, String> {
    let space = read(&ten())?;
    let mut sampler = asked.sampler(&space, 1)?;
    let loss = |a: &Assignment| {
        (number(a, "b") - 0.3).powi(2) + number(a, "c") + number(a, "a").log10().abs()
    };
    let mut filler = Random::new(space, 1);
    for trial in 1..=n_known {
        let suggestion = filler.ask(trial).ok_or("the space has no end")?;
        sampler.recall(trial, &suggestion);
        sampler.tell(&completed(trial, loss(&suggestion.assignment)));
    }
    let mut times = Vec::new();
    for trial in n_known + 1..=n_known + n {
        let start = now();
        let suggestion = sampler.ask(trial).ok_or("the space has no end")?;
        times.push(start.elapsed());
        sampler.tell(&completed(trial, loss(&suggestion.assignment)));
    }
    times.sort_unstable();
    Ok(times)
}

fn speed(asked: &Asked, out: &mut impl Write) -> Result<(), String> {
    let few = times(asked, 500, 400)?;
    let many = times(asked, 10_000, 400)?;
    let total: Duration = few.iter().sum();
    let line = json!({
        "per_second_at_500": 400.0 / total.as_secs_f64(),
        "p50_ms_at_500": few[200].as_secs_f64() * 1e3,
        "p50_ms_at_10000": many[200].as_secs_f64() * 1e3,
        "p99_ms_at_10000": many[396].as_secs_f64() * 1e3,
    });
    writeln!(out, "{line}").map_err(|error| error.to_string())
}

fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let verb = args.next().unwrap_or_default();
    let mut out = io::stdout().lock();
    let done = Asked::read(args).and_then(|asked| match verb.as_str() {
        "quality" => quality(&asked, &mut out),
        "speed" => speed(&asked, &mut out),
        _ => Err("say `quality` or `speed`".to_owned()),
    });
    done.map_err(io::Error::other)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}
