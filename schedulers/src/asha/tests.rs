//! Decision vectors of ASHA, worked out by hand, and what must hold for any scores.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Promotion, Stopping};
use crate::conductor::Shares::{self, Falling};
use crate::explain::Verdict;
use crate::ids::{Epochs, RunTime, TrialId};
use crate::rungs::Rungs;
use crate::scheduler::{Found, Judgement, Progress, Scheduler};
use crate::score::{Direction, Score, Standing};

fn at(trial: usize, epochs: Epochs, score: Score) -> Progress {
    Progress::at_rung(standing(trial, epochs, score))
}

fn standing(trial: usize, epochs: Epochs, score: Score) -> Standing {
    let trial = TrialId(u32::try_from(trial).unwrap());
    Standing {
        score,
        epochs,
        at: RunTime::from_secs_f64(f64::from(trial.0)),
        trial,
    }
}

/// The decisions of the stopping rule at rung 1, one report for each new trial: C goes on, S stops.
fn decisions(scores: &[Score]) -> String {
    let mut asha = Stopping::new(Rungs::geometric(1, 3, 9), 3, 1, Falling);
    let verdict = |(i, score): (usize, &Score)| {
        asha.enter(TrialId(u32::try_from(i).unwrap()));
        match asha.judge(&at(i, 1, *score)).verdict {
            Verdict::Continue { to } => {
                assert_eq!(to, 3);
                'C'
            }
            Verdict::Stop => 'S',
            Verdict::Pause | Verdict::Complete => 'P',
        }
    };
    scores.iter().enumerate().map(verdict).collect()
}

fn losses(losses: &[f64]) -> Vec<Score> {
    losses.iter().map(|loss| Score::from_loss(*loss)).collect()
}

#[test]
fn the_stopping_rule_decides_as_published() {
    const NAN: f64 = f64::NAN;
    const INF: f64 = f64::INFINITY;
    let check = |sequence: &[f64], expected: &str| {
        assert_eq!(decisions(&losses(sequence)), expected, "{sequence:?}");
    };
    check(&[9., 8., 7., 6., 5., 4., 3., 2., 1.], "CCCCCCCCC");
    check(&[1., 2., 3., 4., 5., 6., 7., 8., 9.], "CSSSSSSSS");
    check(&[4.; 9], "CSSSSSSSS"); // Ours: ties stop.
    check(&[3., 5., 1., 4., 9., 6., 2., 7., 8.], "CSCSSSCSS");
    check(&[NAN, 5., 4., 6., 3., 7.], "SCCSCS");
    check(&[5., NAN, 4., NAN, 6., 3.], "CSCSSC");
    check(&[5., INF, 4., INF, 6.], "CSCSS");
    check(&[5., -INF, 4., 6., 3.], "CSCSC"); // Ours: -inf is as bad as NaN.
    check(&[5., 1., 4.], "CCS");
    check(&[3., 1., 2., 4., 5., 6.], "CCSSSS");
    check(&[6., 2., 5., 1., 4., 3., 9., 8., 7.], "CCSCSSSSS");
    check(&[4., 2., 6., 1., 5., 3., 8., 7., 9.], "CCSCSSSSS");
}

#[test]
fn a_second_score_at_a_rung_is_dropped_and_a_missed_rung_counts_for_the_highest_passed() {
    let mut asha = Stopping::new(Rungs::geometric(1, 3, 27), 3, 1, Falling);
    asha.enter(TrialId(0));
    let first = asha.judge(&at(0, 1, Score::from_loss(1.0)));
    assert_eq!(asha.judge(&at(0, 1, Score::from_loss(0.0))), first);
    asha.judge(&at(0, 5, Score::from_loss(0.5)));
    assert_eq!(asha.sizes(), [1, 1, 0], "five epochs are past 3, once");
    asha.pass(standing(1, 20, Score::from_loss(0.5)));
    assert_eq!(asha.sizes(), [1, 1, 1]);
}

/// Judges trials at rung 1 of 1, 3, 9 and lets each that pauses wait.
fn promotion_at_rung_1(scores: &[Score]) -> Promotion {
    let mut asha = Promotion::new(Rungs::geometric(1, 3, 9), 3, 1, Falling);
    for (i, score) in scores.iter().enumerate() {
        let trial = TrialId(u32::try_from(i).unwrap());
        asha.enter(trial);
        if asha.judge(&at(i, 1, *score)).verdict == Verdict::Pause {
            asha.park(trial);
        }
    }
    asha
}

#[test]
fn promotion_waits_for_three_and_takes_the_best() {
    let mut asha = promotion_at_rung_1(&losses(&[3.0, 1.0]));
    assert_eq!(asha.promotable(), None);
    asha.enter(TrialId(2));
    let third = asha.judge(&at(2, 1, Score::from_loss(2.0)));
    assert_eq!(third.verdict, Verdict::Pause, "a better one waits");
    asha.park(TrialId(2));
    let best = asha.promotable().expect("one in three");
    assert_eq!(
        (
            best.trial,
            best.to,
            best.place.rank,
            best.place.k,
            best.place.n
        ),
        (TrialId(1), 3, 1, 1, 3)
    );
    asha.take(best.trial);
    assert_eq!(asha.promotable(), None, "one of three has gone");
}

#[test]
fn the_best_goes_on_at_once_without_waiting() {
    let mut asha = promotion_at_rung_1(&losses(&[3.0, 2.0]));
    asha.enter(TrialId(2));
    let third = asha.judge(&at(2, 1, Score::from_loss(1.0)));
    assert_eq!(third.verdict, Verdict::Continue { to: 3 });
    assert_eq!(asha.promotable(), None);
}

#[test]
fn higher_rungs_come_first() {
    let mut asha = promotion_at_rung_1(&losses(&[9., 8., 7., 6., 5., 4., 3., 2., 1.]));
    // Three have gone on at once (7, 4, 1): at rung 3 the first two wait, and the third is the best.
    for (trial, loss) in [(2, 0.9), (5, 0.8)] {
        assert_eq!(
            asha.judge(&at(trial, 3, Score::from_loss(loss))).verdict,
            Verdict::Pause
        );
        asha.park(TrialId(u32::try_from(trial).unwrap()));
    }
    let ninth = asha.judge(&at(8, 3, Score::from_loss(0.95)));
    assert_eq!(ninth.verdict, Verdict::Pause);
    assert_eq!(
        ninth.place.map(|place| (place.rank, place.k, place.n)),
        Some((3, 1, 3))
    );
    let best = asha.promotable().expect("one in three at rung 3");
    assert_eq!((best.trial, best.place.rung, best.to), (TrialId(5), 3, 9));
}

#[test]
fn what_is_not_finite_is_never_promoted_but_counts() {
    let asha = promotion_at_rung_1(&losses(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]));
    assert_eq!(asha.promotable(), None);
    let asha = promotion_at_rung_1(&losses(&[f64::NAN, 5.0, f64::NEG_INFINITY]));
    assert_eq!(asha.promotable().map(|best| best.trial), Some(TrialId(1)));
}

#[test]
fn two_brackets_take_three_trials_to_one_and_are_apart() {
    let mut asha = Promotion::new(Rungs::geometric(1, 3, 27), 3, 2, Falling);
    let first: Vec<Epochs> = (0..8).map(|i| asha.enter(TrialId(i))).collect();
    assert_eq!(first, [1, 1, 1, 3, 1, 1, 1, 3]);
    // Three scores at rung 3, one of bracket 0 and two of bracket 1: no three of one bracket.
    for trial in [0, 3, 7] {
        asha.judge(&at(trial, 3, Score::from_loss(1.0)));
        asha.park(TrialId(u32::try_from(trial).unwrap()));
    }
    assert_eq!((asha.promotable(), asha.sizes()), (None, vec![0, 3, 0]));
}

#[test]
fn brackets_of_hyperband_get_as_many_trials_as_it_starts_them_with() {
    let mut asha = Promotion::new(Rungs::geometric(1, 3, 200), 3, 5, Shares::Hyperband);
    let mut first: BTreeMap<Epochs, usize> = BTreeMap::new();
    for i in 0..409 {
        *first.entry(asha.enter(TrialId(i))).or_default() += 1;
    }
    // 415 less the 6 that are judged nowhere.
    let expected = BTreeMap::from([(1, 243), (3, 98), (9, 41), (27, 18), (81, 9)]);
    assert_eq!(first, expected);
}

/// Eight hedged trials among 32, whose order at rung 1 and at rung 3 is as given.
fn hedged(below: fn(u32) -> f64, here: fn(u32) -> f64) -> Promotion {
    let mut asha = Promotion::new(Rungs::geometric(1, 3, 27), 3, 1, Falling).guarded();
    for i in 0..32 {
        if asha.enter(TrialId(i)) == 3 {
            let mut at = |epochs, loss, ends_leg| {
                let standing = standing(i as usize, epochs, Score::from_loss(loss));
                let progress = Progress {
                    ends_leg,
                    ..Progress::at_rung(standing)
                };
                asha.report(&progress);
                if ends_leg {
                    asha.judge(&progress);
                }
            };
            at(1, below(i), false);
            at(2, 0.0, false);
            at(3, here(i), true);
        }
    }
    asha
}

#[test]
fn the_guard_gives_the_first_rung_up_when_its_order_says_nothing() {
    let mut misled = hedged(f64::from, |i| -f64::from(i));
    let found = misled.take_found();
    assert!(
        matches!(found[..], [Found::FirstRungMisleads { from: 1, to: 3, n: 8, rho, upper, .. }]
            if rho < -0.99 && upper < 0.4),
        "{found:?}"
    );
    assert_eq!(misled.take_found(), [], "it is said once");
    let next: Vec<Epochs> = (32..40).map(|i| misled.enter(TrialId(i))).collect();
    assert_eq!(next, [3, 3, 3, 9, 3, 3, 3, 9]);
}

#[test]
fn a_first_rung_that_is_trusted_keeps_one_in_sixteen_in_the_hedge() {
    let mut trusted = hedged(f64::from, f64::from);
    assert_eq!(trusted.take_found(), []);
    let hedge = (32..352)
        .filter(|i| trusted.enter(TrialId(*i)) == 3)
        .count();
    assert_eq!(hedge, 320 / 16);
    // In between nothing changes: an order that is neither.
    let mut unclear = hedged(f64::from, |i| f64::from(i * 5 % 32));
    assert_eq!(unclear.take_found(), []);
    let hedge = (32..352)
        .filter(|i| unclear.enter(TrialId(*i)) == 3)
        .count();
    assert_eq!(hedge, 320 / 4);
}

#[test]
fn without_a_level_under_r_nothing_is_judged() {
    let rungs = Rungs::geometric(9, 3, 9);
    assert_eq!(
        Promotion::new(rungs.clone(), 3, 4, Falling).enter(TrialId(0)),
        9
    );
    assert_eq!(Stopping::new(rungs, 3, 1, Falling).enter(TrialId(0)), 9);
}

/// Distinct integers as losses, in any order.
fn distinct() -> impl Strategy<Value = Vec<f64>> {
    (1..60_u32).prop_flat_map(|n| Just((0..n).map(f64::from).collect::<Vec<f64>>()).prop_shuffle())
}

fn judged(
    make: fn() -> Box<dyn Scheduler>,
    scores: &[Score],
    ids: impl Fn(usize) -> usize,
) -> Vec<Judgement> {
    let mut asha = make();
    let mut judge = |(i, score): (usize, &Score)| {
        let trial = TrialId(u32::try_from(ids(i)).unwrap());
        asha.enter(trial);
        let at = RunTime::from_secs_f64(i as f64);
        let judgement = asha.judge(&Progress::at_rung(Standing {
            score: *score,
            epochs: 1,
            at,
            trial,
        }));
        if judgement.verdict == Verdict::Pause {
            asha.park(trial);
        }
        judgement
    };
    scores.iter().enumerate().map(&mut judge).collect()
}

const MAKERS: [fn() -> Box<dyn Scheduler>; 2] = [
    || Box::new(Promotion::new(Rungs::geometric(1, 3, 27), 3, 1, Falling)),
    || Box::new(Stopping::new(Rungs::geometric(1, 3, 27), 3, 1, Falling)),
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ids_shifts_scales_and_directions_change_no_decision(values in distinct(), shift in -5_i32..5, scale in 1_u32..9) {
        let n = values.len();
        let verdicts = |make, scores: &[Score], ids: &dyn Fn(usize) -> usize| -> Vec<Verdict> {
            judged(make, scores, ids).iter().map(|judgement| judgement.verdict).collect()
        };
        for make in MAKERS {
            let plain = verdicts(make, &losses(&values), &|i| i);
            let moved: Vec<f64> = values.iter().map(|x| x * f64::from(scale) + f64::from(shift)).collect();
            prop_assert_eq!(&plain, &verdicts(make, &losses(&moved), &|i| i));
            prop_assert_eq!(&plain, &verdicts(make, &losses(&values), &|i| n - 1 - i));
            let raised: Vec<Score> = values.iter().map(|x| Score::new(-x, Direction::Maximise)).collect();
            prop_assert_eq!(&plain, &verdicts(make, &raised, &|i| i));
        }
    }

    #[test]
    fn stopping_is_the_count_rule_and_places_are_ranks(values in prop::collection::vec(0..20_i32, 1..80)) {
        let scores: Vec<Score> = values.iter().map(|x| Score::from_loss(f64::from(*x))).collect();
        for (i, judgement) in judged(MAKERS[1], &scores, |i| i).iter().enumerate() {
            let place = judgement.place.expect("rung 1 is there");
            // Earlier ones win ties.
            let rank = values[..=i].iter().filter(|x| **x <= values[i]).count();
            prop_assert_eq!((place.n, place.rank, place.k), (i + 1, rank, ((i + 1) / 3).max(1)));
            let mut sorted = scores[..=i].to_vec();
            sorted.sort();
            prop_assert_eq!(place.threshold, Some(sorted[place.k - 1]));
            prop_assert_eq!(judgement.verdict == Verdict::Stop, rank > place.k);
        }
    }

    #[test]
    fn promotion_takes_the_best_third_in_order_whenever_it_is_asked(values in distinct()) {
        let mut asha = promotion_at_rung_1(&losses(&values));
        let mut last = None;
        while let Some(best) = asha.promotable() {
            prop_assert!(best.place.rank <= best.place.k && best.place.k == values.len() / 3);
            prop_assert!(last < Some(best.place.score), "best first");
            last = Some(best.place.score);
            asha.take(best.trial);
        }
    }
}
