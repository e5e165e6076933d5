//! The published tables of brackets (Li et al. 2018, table 1), and brackets at work.

use super::*;
use crate::explain::Verdict;
use crate::ids::{Epochs, RunTime, TrialId};
use crate::rungs::Rungs;
use crate::scheduler::{Judgement, Progress, Scheduler};
use crate::score::{Score, Standing};

/// A plan as it is printed: `81@1 27@3 | 34@3`.
fn printed(min: Epochs, full: Epochs, eta: u32, survivors: Survivors) -> String {
    let rungs = Rungs::geometric(min, eta, full);
    let bracket = |bracket: &Vec<Level>| {
        let levels = bracket
            .iter()
            .map(|level| format!("{}@{}", level.n, level.at));
        levels.collect::<Vec<_>>().join(" ")
    };
    let brackets: Vec<String> = plan(&rungs, eta, survivors).iter().map(bracket).collect();
    brackets.join(" | ")
}

#[test]
fn brackets_by_the_papers_formula() {
    let check = |full, eta, expected: &str| {
        assert_eq!(printed(1, full, eta, Survivors::Floor), expected);
    };
    check(
        81,
        3,
        "81@1 27@3 9@9 3@27 1@81 | 34@3 11@9 3@27 1@81 | 15@9 5@27 1@81 | 8@27 2@81 | 5@81",
    );
    check(27, 3, "27@1 9@3 3@9 1@27 | 12@3 4@9 1@27 | 6@9 2@27 | 4@27");
    check(
        16,
        2,
        "16@1 8@2 4@4 2@8 1@16 | 10@2 5@4 2@8 1@16 | 7@4 3@8 1@16 | 5@8 2@16 | 5@16",
    );
    check(16, 4, "16@1 4@4 1@16 | 6@4 1@16 | 3@16");
    check(1, 3, "1@1");
}

#[test]
fn brackets_of_syne_tune() {
    let check = |full, expected: &str| {
        assert_eq!(printed(1, full, 3, Survivors::Ceil), expected);
    };
    check(
        200,
        "243@1 81@3 27@9 9@27 3@81 1@200 | 98@3 33@9 11@27 4@81 2@200 | 41@9 14@27 5@81 2@200 | \
         18@27 6@81 2@200 | 9@81 3@200 | 6@200",
    );
    check(
        81,
        "81@1 27@3 9@9 3@27 1@81 | 34@3 12@9 4@27 2@81 | 15@9 5@27 2@81 | 8@27 3@81 | 5@81",
    );
}

#[test]
fn brackets_of_ray_count_additional_epochs() {
    // Its second number is what a rung adds; each adds eta times the one before, and the last what is left of R.
    let rungs = Rungs::geometric(1, 3, 81);
    let bracket = |bracket: &Vec<Level>| {
        let (mut adds, mut done) = (bracket[0].at, 0);
        let step = |level: &Level| {
            let add = adds.min(81 - done);
            (adds, done) = (adds * 3, done + add);
            format!("({},{add})", level.n)
        };
        bracket.iter().map(step).collect::<Vec<_>>().join("->")
    };
    let mut brackets: Vec<String> = plan(&rungs, 3, Survivors::Ceil)
        .iter()
        .map(bracket)
        .collect();
    brackets.reverse();
    assert_eq!(
        brackets.join("; "),
        "(5,81); (8,27)->(3,54); (15,9)->(5,27)->(2,45); (34,3)->(12,9)->(4,27)->(2,42); \
         (81,1)->(27,3)->(9,9)->(3,27)->(1,41)"
    );
}

#[test]
fn shares_of_optunas_brackets() {
    let check = |full, eta, expected: &[usize]| {
        let brackets = plan(&Rungs::geometric(1, eta, full), eta, Survivors::Floor);
        let first: Vec<usize> = brackets.iter().map(|bracket| bracket[0].n).collect();
        assert_eq!(first, expected);
    };
    check(16, 2, &[16, 10, 7, 5, 5]);
    check(81, 3, &[81, 34, 15, 8, 5]);
    check(27, 3, &[27, 12, 6, 4]);
}

#[test]
fn no_bracket_is_lost_to_a_logarithm() {
    // log(243) / log(3) is 4.999999999999999, log(1000) / log(10) is 2.9999999999999996.
    for (full, eta, n) in [(243, 3, 6), (1000, 10, 4)] {
        assert_eq!(
            plan(&Rungs::geometric(1, eta, full), eta, Survivors::Floor).len(),
            n
        );
    }
}

fn at(trial: u32, epochs: Epochs, loss: f64) -> Progress {
    Progress::at_rung(Standing {
        score: Score::from_loss(loss),
        epochs,
        at: RunTime::from_secs_f64(f64::from(trial)),
        trial: TrialId(trial),
    })
}

/// R = 9: 9@1 3@3 1@9 | 5@3 1@9 | 3@9.
fn begun() -> Hyperband {
    Hyperband::new(Rungs::geometric(1, 3, 9), 3)
}

/// The nine of the first bracket are in.
fn first_bracket_filled() -> Hyperband {
    let mut hyperband = begun();
    for i in 0..9 {
        hyperband.enter(TrialId(i));
    }
    hyperband
}

/// A verdict, and the slot given back where it is a pause.
fn judge(hyperband: &mut Hyperband, progress: &Progress) -> Judgement {
    let judgement = hyperband.judge(progress);
    if judgement.verdict == Verdict::Pause {
        hyperband.park(progress.standing.trial);
    }
    judgement
}

#[test]
fn brackets_are_filled_one_after_the_other_and_then_again() {
    let mut hyperband = begun();
    let first: Vec<Epochs> = (0..18).map(|i| hyperband.enter(TrialId(i))).collect();
    let expected = [[1; 9].as_slice(), &[3; 5], &[9; 3], &[1]].concat();
    assert_eq!(first, expected);
}

#[test]
fn a_rung_waits_for_all_and_then_its_best_third_goes_on() {
    let mut hyperband = first_bracket_filled();
    for i in 0..8 {
        assert_eq!(
            judge(&mut hyperband, &at(i, 1, f64::from(i))).verdict,
            Verdict::Pause
        );
        assert_eq!(hyperband.promotable(), None, "the ninth is not there");
    }
    let last = judge(&mut hyperband, &at(8, 1, -1.0));
    assert_eq!(
        last.verdict,
        Verdict::Continue { to: 3 },
        "the best goes on at once"
    );
    for expected in [0, 1] {
        let best = hyperband.promotable().expect("three of nine");
        assert_eq!(
            (best.trial, best.to, best.place.n, best.place.k),
            (TrialId(expected), 3, 9, 3)
        );
        hyperband.take(best.trial);
    }
    assert_eq!(hyperband.promotable(), None);
    assert_eq!(
        judge(&mut hyperband, &at(0, 3, 0.5)).verdict,
        Verdict::Pause
    );
    assert_eq!(
        judge(&mut hyperband, &at(1, 3, 0.4)).verdict,
        Verdict::Pause
    );
    assert_eq!(
        judge(&mut hyperband, &at(8, 3, 0.6)).verdict,
        Verdict::Pause
    );
    assert_eq!(
        hyperband.promotable().map(|best| (best.trial, best.to)),
        Some((TrialId(1), 9))
    );
    assert_eq!(hyperband.sizes(), [9, 3]);
}

#[test]
fn who_still_holds_a_slot_is_not_in_line_and_holds_nobody_up() {
    let mut hyperband = first_bracket_filled();
    for i in 1..8 {
        judge(&mut hyperband, &at(i, 1, f64::from(i)));
    }
    let waits = hyperband.judge(&at(0, 1, 0.0));
    assert_eq!(waits.verdict, Verdict::Pause);
    judge(&mut hyperband, &at(8, 1, 9.0));
    let next = |hyperband: &Hyperband| hyperband.promotable().map(|best| best.trial);
    assert_eq!(next(&hyperband), Some(TrialId(1)), "0 holds its slot");
    hyperband.park(TrialId(0));
    assert_eq!(next(&hyperband), Some(TrialId(0)));
}

#[test]
fn a_rung_does_not_wait_for_who_is_gone_and_broken_scores_never_go_on() {
    let mut hyperband = first_bracket_filled();
    for i in 0..7 {
        let loss = if i < 6 { f64::NAN } else { 1.0 };
        judge(&mut hyperband, &at(i, 1, loss));
    }
    hyperband.leave(TrialId(7));
    assert_eq!(hyperband.promotable(), None);
    hyperband.leave(TrialId(7));
    hyperband.leave(TrialId(8));
    assert_eq!(
        hyperband.promotable().map(|best| best.trial),
        Some(TrialId(6)),
        "the only finite one"
    );
    hyperband.take(TrialId(6));
    hyperband.leave(TrialId(6));
    // Nobody of this bracket is left, and nothing waits for it.
    assert_eq!(hyperband.promotable(), None);
}

#[test]
fn a_second_word_of_a_rung_changes_nothing_and_an_early_end_counts() {
    let mut hyperband = first_bracket_filled();
    let first = judge(&mut hyperband, &at(0, 1, 5.0));
    let again = judge(&mut hyperband, &at(0, 1, -5.0));
    assert_eq!((first.place, again.verdict), (again.place, Verdict::Pause));
    for i in 1..8 {
        judge(&mut hyperband, &at(i, 1, f64::from(i)));
    }
    // The best has stopped itself early: it is counted, and does not go on.
    hyperband.pass(at(8, 1, -9.0).standing);
    hyperband.leave(TrialId(8));
    let best: Vec<TrialId> = std::iter::from_fn(|| {
        let best = hyperband.promotable()?.trial;
        hyperband.take(best);
        Some(best)
    })
    .collect();
    assert_eq!(best, [TrialId(1), TrialId(2)]);
}

#[test]
fn a_model_is_fitted_on_the_highest_level_with_enough_trials() {
    let reached = [(1, 27), (3, 9), (9, 3), (27, 1)];
    let check = |n_dimensions, expected| assert_eq!(fit_level(&reached, n_dimensions), expected);
    check(0, Some(9));
    check(1, Some(9));
    check(2, Some(3));
    check(7, Some(3));
    check(8, Some(1));
    check(26, None);
    assert_eq!(fit_level(&[], 1), None);
}
