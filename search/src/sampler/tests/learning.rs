//! That samplers which learn do learn, each against plain chance.

use serde_json::json;

use super::*;

/// Best loss of `n` trials, each told of before the next, trained to its end.
fn best(sampler: &mut dyn Sampler, n: u64, loss: impl Fn(&Assignment) -> f64) -> f64 {
    let mut best = f64::INFINITY;
    for trial in 1..=n {
        let Some(suggestion) = sampler.ask(trial) else {
            break;
        };
        let loss = loss(&suggestion.assignment);
        best = best.min(loss);
        sampler.tell(&completed(trial, loss));
    }
    best
}

fn completed(trial: u64, loss: f64) -> Observation {
    Observation {
        trial,
        resource: 9,
        fraction: 1.0,
        loss: Some(loss),
        state: State::Completed,
    }
}

fn number(assignment: &Assignment, name: &str) -> f64 {
    assignment.get(name).and_then(Value::as_f64).unwrap_or(0.0)
}

/// A narrow valley whose place depends on the branch, one of which is the better.
fn valley(assignment: &Assignment) -> f64 {
    let x = number(assignment, "rate").log10();
    let branch = match assignment.get("kind").and_then(Value::as_str) {
        Some("deep") => (number(assignment, "layers") - 6.0).abs() / 8.0,
        Some("wide") => 0.3 + (number(assignment, "width") - 0.2).powi(2),
        _ => 1.0,
    };
    (x + 2.5).powi(2) + branch
}

type Maker = fn(&Space, u64) -> Box<dyn Sampler>;

const LEARNERS: &[(&str, Maker)] = &[
    ("tpe", |space, seed| {
        Box::new(Tpe::new(space.clone(), TpeOptions::default(), seed))
    }),
    ("evolution", |space, seed| {
        Box::new(Evolution::new(space.clone(), 20, seed))
    }),
];

#[test]
fn what_learns_is_clearly_better_than_chance_on_a_conditional_space() {
    let space = conditional();
    let mean = |make: &dyn Fn(u64) -> Box<dyn Sampler>| {
        (0..20)
            .map(|seed| best(make(seed).as_mut(), 60, valley))
            .sum::<f64>()
            / 20.0
    };
    let chance = mean(&|seed| Box::new(Random::new(space.clone(), seed)));
    for (name, make) in LEARNERS {
        let learnt = mean(&|seed| make(&space, seed));
        assert!(learnt < 0.6 * chance, "{name}: {learnt} against {chance}");
    }
}

#[test]
fn trials_that_came_farther_lead_whatever_their_score() {
    // Low levels show a score that misleads: the left looks good early, the right is good in the end.
    let space = space(&json!({"x": {"space": "uniform", "lower": 0, "upper": 1}}));
    let mut right = 0;
    for seed in 0..20 {
        let options = TpeOptions {
            random_share: 0.0,
            ..TpeOptions::default()
        };
        let mut sampler = Tpe::new(space.clone(), options, seed);
        for trial in 1..=60 {
            let x = (trial as f64 - 0.5) / 60.0;
            let assignment = Assignment::from([("x".to_owned(), json!(x))]);
            let suggestion = Suggestion {
                assignment,
                origin: Origin::Random,
            };
            sampler.recall(trial, &suggestion);
            let far = x > 0.8;
            sampler.tell(&Observation {
                trial,
                resource: if far { 27 } else { 1 },
                fraction: 0.1,
                loss: Some(if far { 5.0 - x } else { x }),
                state: State::Stopped,
            });
        }
        let x = number(&sampler.ask(61).unwrap().assignment, "x");
        right += u32::from(x > 0.7);
    }
    assert!(right >= 18, "{right} of 20 lie where trials came far");
}

#[test]
fn what_runs_keeps_others_away() {
    let space = space(&json!({"x": {"space": "uniform", "lower": 0, "upper": 1}}));
    let spread = |liar: bool| {
        let mut total = 0.0;
        for seed in 0..30 {
            let options = TpeOptions {
                random_share: 0.0,
                ..TpeOptions::default()
            };
            let mut sampler = Tpe::new(space.clone(), options, seed);
            best(&mut sampler, 30, |a| (number(a, "x") - 0.3).abs());
            let mut asked = Vec::new();
            for i in 0..8 {
                // Without a liar each is the first of its kind: the same state is asked each time.
                let mut fresh = sampler.clone();
                let sampler = if liar { &mut sampler } else { &mut fresh };
                asked.push(number(&sampler.ask(31 + i).unwrap().assignment, "x"));
            }
            let mean = asked.iter().sum::<f64>() / 8.0;
            total += asked.iter().map(|x| (x - mean).abs()).sum::<f64>();
        }
        total
    };
    let (with, without) = (spread(true), spread(false));
    assert!(
        with > 1.2 * without,
        "spread {with} beside what runs, {without} without"
    );
}

#[test]
fn a_share_of_the_suggestions_is_drawn_at_random() {
    let mut sampler = Tpe::new(endless(), TpeOptions::default(), 1);
    let mut random = 0;
    for trial in 1..=510 {
        let suggestion = sampler.ask(trial).unwrap();
        random += u32::from(trial > 10 && suggestion.origin == Origin::Random);
        sampler.tell(&completed(
            trial,
            number(&suggestion.assignment, "combiner.dropout"),
        ));
    }
    assert!((25..=75).contains(&random), "{random} of 500, not about 50");
}
