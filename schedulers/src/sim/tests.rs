//! LC-1 through the whole conductor: the published numbers come out.

use super::lc1::mix;
use super::{Lc1, Simulation};
use crate::conductor::{Full, Levels, Limits, Policy, Rules};
use crate::ids::RunTime;
use crate::trial::{Outcome, Phase};

const TIMES: [f64; 5] = [81.0, 162.0, 405.0, 810.0, 1620.0];

fn rules(policy: Policy) -> Rules {
    Rules {
        limits: Limits::default(),
        reserve: std::time::Duration::ZERO,
        full: Full::Fixed(Lc1::FULL),
        levels: Levels::Geometric { min: 1, factor: 3 },
        policy,
        brackets: 1,
        baseline: None,
        straight: 0,
    }
}

struct Found {
    scores: Vec<f64>,
    n_configs: usize,
    n_full: usize,
    sizes: Vec<usize>,
}

fn found(seed: u64, sigma: f64, policy: Policy) -> Found {
    let curves = Lc1 { seed, sigma };
    // Trials count from 1, curves from 0.
    let curve = |trial: crate::TrialId, epochs| curves.observed(u64::from(trial.0 - 1), epochs);
    let run = Simulation::run(rules(policy), 4, RunTime::from_secs_f64(1620.0), &curve);
    let score = |t: f64| {
        let best = run
            .incumbent(RunTime::from_secs_f64(t))
            .expect("something was observed");
        curves.loss(u64::from(best.trial.0 - 1), Lc1::FULL)
    };
    let completed = |phase: &Phase| {
        *phase
            == Phase::Finished {
                outcome: Outcome::Completed,
            }
    };
    Found {
        scores: TIMES.map(score).to_vec(),
        n_configs: run.conductor().trials().count(),
        n_full: run
            .conductor()
            .trials()
            .filter(|trial| completed(trial.phase()))
            .count(),
        sizes: run.conductor().scheduler().expect("R is fixed").sizes(),
    }
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    let near = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < tolerance);
    assert!(near, "{found:?} is not {expected:?}");
}

#[test]
fn the_generator_is_the_published_one() {
    assert_eq!(
        (mix(0), mix(1)),
        (0xe220_a839_7b1d_cdaf, 0x910a_2dec_8902_5cc1)
    );
    let curves = Lc1 {
        seed: 0,
        sigma: 0.0,
    };
    assert_near(
        &[0, 1, 2].map(|j| curves.u(0, j)),
        &[0.138_709_410_146, 0.258_265_446_919, 0.574_840_448_564],
        1e-12,
    );
}

#[test]
fn promotion_on_seed_0_is_exact() {
    let run = found(0, 0.0, Policy::AshaPromotion { eta: 3 });
    assert_near(
        &run.scores,
        &[
            0.016_037_428,
            0.016_037_428,
            0.004_212_066,
            0.004_212_066,
            0.000_697_993,
        ],
        1e-9,
    );
    assert_eq!((run.n_configs, run.n_full), (1633, 25));
    assert_eq!(run.sizes, [1633, 547, 192, 67]);
}

#[test]
fn stopping_by_count_on_seed_0_is_exact() {
    let run = found(0, 0.0, Policy::AshaStopping { eta: 3 });
    assert_near(
        &[run.scores[0], run.scores[4]],
        &[0.022_012_999, 0.000_697_993],
        1e-9,
    );
    assert_eq!((run.n_configs, run.n_full), (1839, 24));
    assert_eq!(run.sizes, [1837, 571, 181, 61]);
}

/// search.md 1.5, 1 and 9: what is promoted by mistake grows like a root, and shares tend to 1 / eta.
#[test]
fn rungs_shrink_by_eta_in_the_long_run() {
    for seed in 0..10 {
        for sigma in [0.0, 0.05] {
            let sizes = found(seed, sigma, Policy::AshaPromotion { eta: 3 }).sizes;
            for pair in sizes.windows(2) {
                let (below, above) = (pair[0] as f64, pair[1] as f64);
                assert!(above <= below / 3.0 + 2.0 * below.sqrt(), "{sizes:?}");
                assert!(
                    above >= (below / 3.0).floor() - 4.0,
                    "{sizes:?}: but for the four that run"
                );
            }
        }
    }
}

#[test]
fn means_over_a_hundred_seeds_are_the_published_ones() {
    let mean = |policy: Policy| {
        let runs: Vec<Found> = (0..100).map(|seed| found(seed, 0.0, policy)).collect();
        (0..5)
            .map(|t| runs.iter().map(|run| run.scores[t]).sum::<f64>() / 100.0)
            .collect::<Vec<f64>>()
    };
    assert_near(
        &mean(Policy::AshaPromotion { eta: 3 }),
        &[0.0113, 0.0086, 0.0043, 0.0024, 0.0014],
        0.000_051,
    );
    assert_near(
        &mean(Policy::AshaStopping { eta: 3 }),
        &[0.0376, 0.0105, 0.0045, 0.0024, 0.0014],
        0.000_051,
    );
    assert_near(
        &mean(Policy::Fifo),
        &[0.1080, 0.0639, 0.0314, 0.0164, 0.0099],
        0.000_051,
    );
}
