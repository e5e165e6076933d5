//! One table of checks, run on every sampler over every kind of space.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

type Maker = fn(&Space, u64) -> Option<Box<dyn Sampler>>;

fn layered(space: &Space, last: Box<dyn Sampler>, seed: u64) -> Box<dyn Sampler> {
    let first = space.at(&vec![0.5; space.n_dimensions()]);
    let second = space.at(&vec![0.1; space.n_dimensions()]);
    let points = vec![second, first.clone()];
    Box::new(Layered::new(space, Some(first), points, 8, last, seed))
}

fn tpe(space: &Space, seed: u64) -> Tpe {
    Tpe::new(space.clone(), TpeOptions::default(), seed)
}

/// Every sampler, over any space that it takes.
const ALL: &[(&str, Maker)] = &[
    ("random", |space, seed| {
        Some(Box::new(Random::new(space.clone(), seed)))
    }),
    ("sobol", |space, seed| {
        Some(Box::new(Sobol::new(space.clone(), seed)))
    }),
    ("grid", |space, _| {
        Some(Box::new(Grid::new(space.clone()).ok()?))
    }),
    ("tpe", |space, seed| Some(Box::new(tpe(space, seed)))),
    ("evolution", |space, seed| {
        Some(Box::new(Evolution::new(space.clone(), 20, seed)))
    }),
    ("layered random", |space, seed| {
        let last = Box::new(Random::new(space.clone(), seed));
        Some(layered(space, last, seed))
    }),
    ("layered tpe", |space, seed| {
        Some(layered(space, Box::new(tpe(space, seed)), seed))
    }),
];

/// Spaces of every kind, by name.
fn spaces() -> Vec<(&'static str, Space)> {
    let many: serde_json::Map<String, Value> = (0..200)
        .map(|i| {
            (
                format!("p{i}"),
                json!({"space": "uniform", "lower": 0, "upper": 1}),
            )
        })
        .collect();
    vec![
        ("small", small()),
        ("endless", endless()),
        ("conditional", conditional()),
        ("finite and conditional", branches()),
        (
            "one dimension",
            space(&json!({"x": {"space": "uniform", "lower": -1, "upper": 1}})),
        ),
        (
            "one value",
            space(&json!({"x": {"space": "choice", "categories": ["only"]}})),
        ),
        (
            "normal",
            space(&json!({"x": {"space": "randn"}, "y": {"space": "qrandn", "q": 0.5}})),
        ),
        ("200 dimensions", space(&Value::Object(many))),
    ]
}

fn contract(check: impl Fn(&str, &Space, &dyn Fn(u64) -> Box<dyn Sampler>)) {
    for (name, make) in ALL {
        for (kind, space) in spaces() {
            if make(&space, 0).is_some() {
                let name = format!("{name} over {kind}");
                check(&name, &space, &|seed| {
                    make(&space, seed).expect("made before")
                });
            }
        }
    }
}

/// Scores of trials by number.
type Objective = fn(u64, &Suggestion) -> Option<f64>;

/// Every kind of score there is; the number of a text is a stand-in for what it means.
const OBJECTIVES: &[(&str, Objective)] = &[
    ("spread", |_, s| {
        Some((Space::hash(&s.assignment) % 1000) as f64)
    }),
    ("constant", |_, _| Some(1.0)),
    ("tied", |trial, _| Some((trial % 2) as f64)),
    ("never finite", |_, _| None),
    ("infinite", |trial, _| {
        Some(if trial % 3 == 0 {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        })
    }),
    ("not a number", |_, _| Some(f64::NAN)),
    ("huge", |trial, _| {
        Some(if trial % 2 == 0 { f64::MAX } else { f64::MIN })
    }),
    ("mixed", |trial, _| match trial % 4 {
        0 => None,
        1 => Some(f64::NAN),
        _ => Some(trial as f64),
    }),
];

fn observation(trial: u64, loss: Option<f64>) -> Observation {
    let state = match trial % 5 {
        0 => State::Running,
        1 | 2 => State::Completed,
        3 => State::Stopped,
        _ => State::Failed,
    };
    Observation {
        trial,
        resource: u32::try_from(trial % 3).unwrap() * 3 + 1,
        fraction: 0.5,
        loss,
        state,
    }
}

/// What is suggested for trials 1 to `n`, each told of as soon as it is suggested.
fn learn(sampler: &mut dyn Sampler, objective: Objective, n: u64) -> Vec<Suggestion> {
    let mut list = Vec::new();
    for trial in 1..=n {
        let Some(suggestion) = sampler.ask(trial) else {
            break;
        };
        sampler.tell(&observation(trial, objective(trial, &suggestion)));
        list.push(suggestion);
    }
    list
}

fn n_expected(space: &Space, n: usize) -> usize {
    space
        .size()
        .map_or(n, |size| usize::try_from(size).unwrap_or(n).min(n))
}

#[test]
fn with_any_scores_nothing_is_suggested_twice_all_lies_within_and_a_finite_space_is_used_up() {
    contract(|name, space, make| {
        for (kind, objective) in OBJECTIVES {
            let mut sampler = make(3);
            let n = if space.n_dimensions() > 100 { 30 } else { 60 };
            let list = learn(sampler.as_mut(), *objective, n);
            let hashes: BTreeSet<u64> = list.iter().map(|s| Space::hash(&s.assignment)).collect();
            assert_eq!(hashes.len(), list.len(), "{name}, {kind}: twice");
            assert_eq!(
                list.len(),
                n_expected(space, usize::try_from(n).unwrap()),
                "{name}, {kind}: used up"
            );
            for suggestion in &list {
                let point = space.unit(&suggestion.assignment);
                assert!(
                    point.is_some(),
                    "{name}, {kind}: {suggestion:?} lies outside"
                );
            }
        }
    });
}

#[test]
fn a_used_up_space_stays_so() {
    contract(|name, space, make| {
        if space.size().is_none() {
            return;
        }
        let mut sampler = make(3);
        let n = n_expected(space, 100);
        assert_eq!(list(sampler.as_mut(), 100).len(), n, "{name}");
        assert!(
            sampler.ask(101).is_none() && sampler.ask(102).is_none(),
            "{name}"
        );
    });
}

#[test]
fn the_same_seed_gives_the_same_list_and_another_one_another() {
    contract(|name, space, make| {
        let run = |seed| learn(make(seed).as_mut(), OBJECTIVES[0].1, 40);
        assert_eq!(run(7), run(7), "{name}");
        if !name.starts_with("grid") && space.size() != Some(1) {
            assert_ne!(run(7), run(8), "{name}");
        }
    });
}

#[test]
fn a_sampler_that_recalls_goes_on_as_the_one_before_would_have() {
    contract(|name, space, make| {
        for n_before in [1, 5, 12, 23] {
            if space.n_dimensions() > 100 && n_before != 12 {
                continue;
            }
            for (kind, objective) in [OBJECTIVES[0], OBJECTIVES[7]] {
                let (mut first, mut second) = (make(5), make(5));
                let before = learn(first.as_mut(), objective, n_before);
                for (trial, suggestion) in (1..).zip(&before) {
                    second.recall(trial, suggestion);
                }
                // Scores come after all suggestions, as a journal may hold them.
                for (trial, suggestion) in (1..).zip(&before) {
                    second.tell(&observation(trial, objective(trial, suggestion)));
                }
                for trial in n_before + 1..n_before + 8 {
                    assert_eq!(
                        first.ask(trial),
                        second.ask(trial),
                        "{name}, {kind}, after {n_before}"
                    );
                }
            }
        }
    });
}

#[test]
fn the_order_of_telling_does_not_matter_nor_what_was_told_before() {
    contract(|name, _, make| {
        for (kind, objective) in [OBJECTIVES[0], OBJECTIVES[1], OBJECTIVES[2]] {
            let (mut one, mut other) = (make(9), make(9));
            let asked = list(one.as_mut(), 20);
            assert_eq!(asked, list(other.as_mut(), 20), "{name}");
            let trials: Vec<(u64, &Suggestion)> = (1..).zip(&asked).collect();
            for (trial, suggestion) in &trials {
                one.tell(&observation(*trial, objective(*trial, suggestion)));
            }
            for (trial, suggestion) in trials.iter().rev() {
                let early = Observation {
                    resource: 0,
                    state: State::Running,
                    ..observation(*trial, Some(0.5))
                };
                other.tell(&early);
                other.tell(&observation(*trial, objective(*trial, suggestion)));
            }
            for trial in 21..26 {
                assert_eq!(one.ask(trial), other.ask(trial), "{name}, {kind}");
            }
        }
    });
}

#[test]
fn trials_that_were_never_suggested_are_of_no_account() {
    contract(|name, _, make| {
        let (mut one, mut other) = (make(2), make(2));
        for trial in 500..540 {
            other.tell(&observation(trial, Some(0.1)));
        }
        let run = |sampler: &mut dyn Sampler| learn(sampler, OBJECTIVES[0].1, 25);
        assert_eq!(run(one.as_mut()), run(other.as_mut()), "{name}");
    });
}

#[test]
fn a_number_that_is_asked_again_gets_something_else() {
    contract(|name, space, make| {
        let mut sampler = make(4);
        learn(sampler.as_mut(), OBJECTIVES[0].1, 15);
        let (first, second) = (sampler.ask(16), sampler.ask(16));
        if space.size().is_none() {
            assert!(first.is_some() && second.is_some(), "{name}");
        }
        assert!(first.is_none() || first != second, "{name}");
    });
}
