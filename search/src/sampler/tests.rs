//! One contract for all samplers, and what is each one's own.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::space::{Assignment, Space};

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

type Maker = fn(&Space, u64) -> Option<Box<dyn Sampler>>;

/// Every sampler, over any space that it takes.
const ALL: [(&str, Maker); 4] = [
    ("random", |space, seed| {
        Some(Box::new(Random::new(space.clone(), seed)))
    }),
    ("sobol", |space, seed| {
        Some(Box::new(Sobol::new(space.clone(), seed)))
    }),
    ("layered", |space, seed| {
        let first = space.at(&vec![0.5; space.n_dimensions()]);
        let second = space.at(&vec![0.1; space.n_dimensions()]);
        Some(Box::new(Layered::new(
            space,
            Some(first.clone()),
            vec![second, first],
            10,
            seed,
        )))
    }),
    ("grid", |space, _| {
        Some(Box::new(Grid::new(space.clone()).ok()?))
    }),
];

/// What is suggested for trials 1 to `n`, or until the space is used up.
fn list(sampler: &mut dyn Sampler, n: u64) -> Vec<Suggestion> {
    (1..=n).map_while(|trial| sampler.ask(trial)).collect()
}

fn contract(check: impl Fn(&str, &Space, &dyn Fn(u64) -> Option<Box<dyn Sampler>>)) {
    for (name, make) in ALL {
        for space in [small(), endless()] {
            check(name, &space, &|seed| make(&space, seed));
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_list() {
    contract(|name, _, make| {
        if let (Some(mut one), Some(mut other)) = (make(7), make(7)) {
            assert_eq!(list(one.as_mut(), 60), list(other.as_mut(), 60), "{name}");
        }
    });
}

#[test]
fn another_seed_gives_another_list_where_chance_has_a_part() {
    contract(|name, _, make| {
        if let (Some(mut one), Some(mut other)) = (make(7), make(8)) {
            assert_eq!(
                list(one.as_mut(), 60) == list(other.as_mut(), 60),
                name == "grid",
                "{name}"
            );
        }
    });
}

#[test]
fn no_assignment_is_suggested_twice_and_all_lie_in_the_space() {
    contract(|name, space, make| {
        let Some(mut sampler) = make(3) else { return };
        let list = list(sampler.as_mut(), 200);
        let hashes: BTreeSet<u64> = list
            .iter()
            .map(|suggestion| Space::hash(&suggestion.assignment))
            .collect();
        assert_eq!(hashes.len(), list.len(), "{name}");
        assert!(
            list.iter()
                .all(|suggestion| space.unit(&suggestion.assignment).is_some()),
            "{name}"
        );
    });
}

#[test]
fn a_space_is_used_up_after_its_last_assignment_and_stays_so() {
    contract(|name, space, make| {
        let Some(mut sampler) = make(3) else { return };
        let expected = space
            .size()
            .and_then(|size| usize::try_from(size).ok())
            .unwrap_or(100);
        assert_eq!(
            list(sampler.as_mut(), 100).len(),
            expected.min(100),
            "{name}"
        );
        if space.size().is_some() {
            assert!(
                sampler.ask(101).is_none() && sampler.ask(102).is_none(),
                "{name}"
            );
        }
    });
}

#[test]
fn a_sampler_that_recalls_goes_on_as_the_one_before_would_have() {
    contract(|name, _, make| {
        for n_before in [1, 2, 5, 17, 20, 23] {
            let (Some(mut first), Some(mut second)) = (make(5), make(5)) else {
                return;
            };
            for (trial, suggestion) in (1..).zip(list(first.as_mut(), n_before)) {
                second.recall(trial, &suggestion);
            }
            for trial in n_before + 1..30 {
                assert_eq!(
                    first.ask(trial),
                    second.ask(trial),
                    "{name} after {n_before}"
                );
            }
        }
    });
}

#[test]
fn what_is_told_is_taken_with_any_loss() {
    contract(|_, _, make| {
        let Some(mut sampler) = make(1) else { return };
        sampler.ask(1);
        for loss in [Some(0.5), None] {
            sampler.tell(&Observation {
                trial: 1,
                resource: 3,
                fraction: 0.2,
                loss,
                done: loss.is_none(),
            });
        }
        assert!(sampler.ask(2).is_some());
    });
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
    let mut sampler = Layered::new(
        &Space::default(),
        Some(Assignment::new()),
        Vec::new(),
        16,
        1,
    );
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
