//! The worlds that methods are tried in, and the seam for samplers.

use std::collections::BTreeMap;

use schedulers::sim::{Curves, FULL, World, index};
use schedulers::{Epochs, TrialId};
use search::sampler::{
    Evolution, Layered, Observation, Random, Sampler, Sobol, State, Tpe, TpeOptions,
};
use search::space::{Assignment, Space};
use serde_json::{Map, Value, json};

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bench {
    /// LC-1 without noise, and with a standard deviation of 0.02 and of 0.05.
    Lc1,
    Lc1Noisy,
    Lc1Noisier,
    /// LC-1 with a deviation of 0.02, whose three numbers are parameters: a sampler can learn.
    Lc1x,
    /// Late bloomers.
    Lc2,
}

impl Bench {
    pub(crate) const ALL: [Self; 5] = [
        Self::Lc1,
        Self::Lc1Noisy,
        Self::Lc1Noisier,
        Self::Lc1x,
        Self::Lc2,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lc1 => "lc1",
            Self::Lc1Noisy => "lc1-0.02",
            Self::Lc1Noisier => "lc1-0.05",
            Self::Lc1x => "lc1x",
            Self::Lc2 => "lc2",
        }
    }

    /// The world of a seed. Samplers matter to LC-1x alone: the curves of the others are given.
    pub(crate) fn world(self, seed: u64, name: &str) -> Box<dyn World> {
        match self {
            Self::Lc1 => Box::new(Curves::lc1(seed, 0.0)),
            Self::Lc1Noisy => Box::new(Curves::lc1(seed, 0.02)),
            Self::Lc1Noisier => Box::new(Curves::lc1(seed, 0.05)),
            Self::Lc2 => Box::new(Curves::lc2(seed)),
            Self::Lc1x => Box::new(Searched {
                curves: Curves::lc1(seed, 0.02),
                sampler: sampler(name, seed).expect("the name was checked before"),
                points: BTreeMap::new(),
                best: BTreeMap::new(),
            }),
        }
    }
}

/// Dotted paths of the three parameters.
const NAMES: [&str; 3] = ["u0", "u1", "u2"];

/// A sampler by its name, over the unit cube of LC-1x.
pub(crate) fn sampler(name: &str, seed: u64) -> Result<Box<dyn Sampler>, String> {
    let unit = json!({"space": "uniform", "lower": 0.0, "upper": 1.0});
    let parameters: Map<String, Value> = NAMES
        .iter()
        .map(|name| ((*name).to_owned(), unit.clone()))
        .collect();
    let space = Space::new(&parameters).expect("three unit intervals are a space");
    match name {
        "random" => Ok(Box::new(Random::new(space, seed))),
        "sobol" => Ok(Box::new(Sobol::new(space, seed))),
        "evolution" => Ok(Box::new(Evolution::new(space, 20, seed))),
        "tpe" => {
            let last = Tpe::new(space.clone(), TpeOptions::default(), seed);
            let layered = Layered::new(&space, None, Vec::new(), 8, Box::new(last), seed);
            Ok(Box::new(layered))
        }
        _ => Err(format!(
            "no sampler is called {name}; use random, sobol, tpe or evolution"
        )),
    }
}

/// LC-1x: a sampler chooses the curves, and is told what is observed.
struct Searched {
    curves: Curves,
    sampler: Box<dyn Sampler>,
    points: BTreeMap<TrialId, [f64; 3]>,
    /// The best loss observed of each trial.
    best: BTreeMap<TrialId, f64>,
}

fn point(assignment: &Assignment) -> [f64; 3] {
    NAMES.map(|name| assignment[name].as_f64().expect("a number was asked for"))
}

impl World for Searched {
    fn ask(&mut self, trial: TrialId) -> bool {
        let suggestion = self.sampler.ask(u64::from(trial.0));
        let found = suggestion.map(|suggestion| point(&suggestion.assignment));
        self.points.extend(found.map(|point| (trial, point)));
        found.is_some()
    }

    fn observe(&mut self, trial: TrialId, epochs: Epochs) -> f64 {
        let true_loss = self.curves.loss_of(self.points[&trial], epochs);
        let loss = true_loss + self.curves.noise(index(trial), epochs);
        let best = self.best.entry(trial).or_insert(loss);
        *best = best.min(loss);
        self.sampler.tell(&Observation {
            trial: u64::from(trial.0),
            resource: epochs,
            fraction: f64::from(epochs) / f64::from(FULL),
            loss: Some(*best),
            state: if epochs == FULL {
                State::Completed
            } else {
                State::Running
            },
        });
        loss
    }

    fn truth(&self, trial: TrialId) -> f64 {
        self.curves.loss_of(self.points[&trial], FULL)
    }
}
