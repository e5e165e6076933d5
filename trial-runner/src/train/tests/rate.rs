//! Schedules against PyTorch's.

use search::config::trainer::Schedule;
use serde::Deserialize;

use crate::train::Rate;

#[derive(Deserialize)]
struct Golden {
    schedules: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    steps: u64,
    options: serde_json::Value,
    rates: Vec<f64>,
}

#[test]
fn every_schedule_has_pytorchs_rates() {
    let golden: Golden =
        serde_json::from_str(include_str!("../../../tests/golden/optimizers.json")).unwrap();
    for case in golden.schedules {
        let number = |key: &str| case.options[key].as_f64().unwrap();
        let whole = |key: &str| u32::try_from(case.options[key].as_u64().unwrap()).unwrap();
        let exponential = |staircase| Schedule::Exponential {
            decay_rate: number("decay_rate"),
            decay_steps: u64::from(whole("decay_steps")),
            staircase,
        };
        let schedule = match case.name.as_str() {
            "linear" => Schedule::Linear,
            "exponential" => exponential(false),
            "staircase" => exponential(true),
            "cosine" => Schedule::Cosine {
                t_0: None,
                t_mult: 1,
                eta_min: number("eta_min"),
            },
            "restarts" => Schedule::Cosine {
                t_0: Some(whole("t_0")),
                t_mult: whole("t_mult"),
                eta_min: number("eta_min"),
            },
            "coslog4" => Schedule::Coslog4,
            other => panic!("{other}"),
        };
        let rate = Rate {
            peak: 0.1,
            schedule,
            warmup_fraction: 0.0,
            full: case.steps,
            epoch: 1,
        };
        for (step, expected) in (0..).zip(&case.rates) {
            let got = rate.at(step);
            assert!(
                (got - expected).abs() < 1e-12,
                "{} step {step}: {got} {expected}",
                case.name
            );
        }
    }
}

#[test]
fn coslog4_is_at_its_minima_where_rungs_lie() {
    let rate = Rate {
        peak: 1.0,
        schedule: Schedule::Coslog4,
        warmup_fraction: 0.0,
        full: 15,
        epoch: 1,
    };
    for step in [0, 1, 3, 7, 15] {
        assert!(rate.at(step).abs() < 1e-12, "{step}");
    }
}

#[test]
fn the_rate_climbs_in_the_warm_up() {
    let rate = Rate {
        peak: 1.0,
        schedule: Schedule::Constant,
        warmup_fraction: 0.25,
        full: 16,
        epoch: 4,
    };
    let rates: Vec<f64> = (0..6).map(|step| rate.at(step)).collect();
    assert_eq!(rates, [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]);
}
