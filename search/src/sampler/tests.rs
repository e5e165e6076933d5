//! What is each sampler's own. What holds for all of them is in `contract`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::space::{Assignment, Space};

mod contract;
mod learning;

fn space(parameters: &Value) -> Space {
    Space::new(parameters.as_object().expect("an object")).expect("a good space")
}

/// 24 assignments.
fn small() -> Space {
    space(&json!({
        "trainer.batch_size": {"space": "choice", "categories": [64, 128, 256]},
        "combiner.num_fc_layers": {"space": "randint", "lower": 1, "upper": 5},
        "combiner.norm": {"space": "grid_search", "values": ["batch", "layer"]},
    }))
}

fn endless() -> Space {
    space(&json!({
        "trainer.learning_rate": {"space": "loguniform", "lower": 1e-4, "upper": 1e-1},
        "combiner.dropout": {"space": "uniform", "lower": 0, "upper": 0.5},
        "combiner.output_size": {"space": "choice", "categories": [128, 256]},
    }))
}

/// Two branches, each with a parameter of its own.
fn conditional() -> Space {
    space(&json!({
        "rate": {"space": "loguniform", "lower": 1e-5, "upper": 1},
        "kind": {"space": "choice", "categories": ["wide", "deep", "none"]},
        "layers": {"space": "randint", "lower": 1, "upper": 9, "when": {"kind": "deep"}},
        "width": {"space": "uniform", "lower": 0, "upper": 1, "when": {"kind": ["wide"]}},
    }))
}

/// 1 + 2 * (1 + 3) = 9 assignments: `b` beside two of three values, `c` beside one value of `b`.
fn branches() -> Space {
    space(&json!({
        "a": {"space": "choice", "categories": ["none", "one", "two"]},
        "b": {"space": "choice", "categories": [1, 2], "when": {"a": ["one", "two"]}},
        "c": {"space": "randint", "lower": 0, "upper": 3, "when": {"b": 2}},
    }))
}

/// What is suggested for trials 1 to `n`, or until the space is used up.
fn list(sampler: &mut dyn Sampler, n: u64) -> Vec<Suggestion> {
    (1..=n).map_while(|trial| sampler.ask(trial)).collect()
}

#[test]
fn layers_come_in_order_and_sobol_fills_a_power_of_two() {
    let space = endless();
    let default = space.at(&[0.5, 0.5, 0.5]);
    let point = space.at(&[0.1, 0.1, 0.1]);
    let mut sampler = Layered::new(
        &space,
        Some(default.clone()),
        vec![point.clone(), default.clone()],
        10,
        Box::new(Random::new(space.clone(), 1)),
        1,
    );
    let list = list(&mut sampler, 30);
    let origins: Vec<Origin> = list.iter().map(|suggestion| suggestion.origin).collect();
    let count = |origin| origins.iter().filter(|other| **other == origin).count();
    assert_eq!(
        (&list[0].assignment, &list[1].assignment),
        (&default, &point),
        "the default is not tried twice"
    );
    assert!(origins.is_sorted(), "{origins:?}");
    assert_eq!(
        (
            count(Origin::Default),
            count(Origin::Portfolio),
            count(Origin::Sobol),
            count(Origin::Random)
        ),
        (1, 1, 16, 12)
    );
}

#[test]
fn an_empty_space_has_one_assignment() {
    let space = Space::default();
    let last = Box::new(Tpe::new(space.clone(), TpeOptions::default(), 1));
    let mut sampler = Layered::new(&space, Some(Assignment::new()), Vec::new(), 16, last, 1);
    assert_eq!(
        sampler.ask(1).map(|suggestion| suggestion.origin),
        Some(Origin::Default)
    );
    assert_eq!(sampler.ask(2), None);
}

#[test]
fn a_power_of_two_sobol_points_lie_one_in_each_stratum() {
    let space = space(&json!({
        "a": {"space": "uniform", "lower": 0, "upper": 1},
        "b": {"space": "uniform", "lower": 0, "upper": 1},
    }));
    for seed in 0..20 {
        let list = list(&mut Sobol::new(space.clone(), seed), 16);
        for axis in ["a", "b"] {
            let strata: BTreeSet<u8> = (0..16)
                .filter(|s| {
                    list.iter().any(|suggestion| {
                        let x = suggestion.assignment[axis].as_f64().unwrap() * 16.0;
                        (f64::from(*s)..f64::from(*s) + 1.0).contains(&x)
                    })
                })
                .collect();
            assert_eq!(strata.len(), 16, "seed {seed}, axis {axis}");
        }
    }
}

#[test]
fn random_goes_through_a_grid_in_turn_with_fresh_draws_beside_it() {
    let space = space(&json!({
        "grid": {"space": "grid_search", "values": ["x", "y", "z"]},
        "rate": {"space": "uniform", "lower": 0, "upper": 1},
    }));
    let list = list(&mut Random::new(space, 1), 6);
    let grid: Vec<&str> = list
        .iter()
        .map(|suggestion| suggestion.assignment["grid"].as_str().unwrap())
        .collect();
    assert_eq!(grid, ["x", "y", "z", "x", "y", "z"]);
    let rates: BTreeSet<String> = list
        .iter()
        .map(|suggestion| suggestion.assignment["rate"].to_string())
        .collect();
    assert_eq!(rates.len(), 6);
}

#[test]
fn a_trials_draw_depends_on_its_number_alone() {
    let mut all = Random::new(endless(), 9);
    let mut late = Random::new(endless(), 9);
    let list: Vec<Suggestion> = list(&mut all, 10);
    assert_eq!(late.ask(10).as_ref(), list.last());
}

#[test]
fn a_grid_over_an_endless_space_is_refused_by_name() {
    let faults = Grid::new(endless()).expect_err("two have no end");
    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "hyperopt.parameters.trainer.learning_rate",
            "hyperopt.parameters.combiner.dropout"
        ]
    );
    assert!(faults.iter().all(|fault| fault.hint.is_some()));
}
