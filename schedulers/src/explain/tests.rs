//! Sentences, as people read them.

use super::*;
use crate::conductor::StopReason;
use crate::ids::{Attempt, TrialId};
use crate::protocol::FailureKind;
use crate::score::{Direction, Score};

fn check(decision: &Decision, sentence: &str) {
    assert_eq!(decision.sentence(Direction::Maximise), sentence);
    let json = serde_json::to_string(decision).expect("JSON");
    assert_eq!(
        serde_json::from_str::<Decision>(&json).expect("its own words"),
        *decision
    );
}

fn place(k: usize) -> Place {
    let score = |raw| Score::new(raw, Direction::Maximise);
    Place {
        bracket: 0,
        rung: 4,
        unit: Unit::Epochs,
        n: 9,
        k,
        rank: 5,
        score: score(0.871),
        threshold: (k > 0).then(|| score(0.9)),
    }
}

#[test]
fn a_judgement_names_rung_n_k_threshold_rank_and_rule() {
    let rule = Rule::AshaPromotion { eta: 3 };
    check(
        &Decision::Judged {
            trial: TrialId(7),
            place: place(3),
            verdict: Verdict::Pause,
            rule,
        },
        "trial 7 waits at rung 4, place 5 of 9 with 0.871000, where 3 may go on, the last with 0.900000: \
         the best 1 in 3 of a rung are promoted (ASHA, promotion)",
    );
    check(
        &Decision::Judged {
            trial: TrialId(7),
            place: place(0),
            verdict: Verdict::Stop,
            rule: Rule::AshaStopping { eta: 3 },
        },
        "trial 7 ends at rung 4, place 5 of 9 with 0.871000, where none may go on yet: \
         the best 1 in 3 of a rung, at least one, go on (ASHA, stopping)",
    );
    check(
        &Decision::Promoted {
            trial: TrialId(7),
            place: Place {
                bracket: 1,
                ..place(3)
            },
            to: 13,
            rule,
        },
        "trial 7 is promoted to 13 epochs from rung 4 of bracket 1, place 5 of 9 with 0.871000, where 3 may go on, \
         the last with 0.900000: the best 1 in 3 of a rung are promoted (ASHA, promotion)",
    );
}

#[test]
fn every_rule_explains_itself() {
    let sentence = |rule, unit| {
        let decision = Decision::Judged {
            trial: TrialId(7),
            place: Place { unit, ..place(3) },
            verdict: Verdict::Stop,
            rule,
        };
        decision.sentence(Direction::Maximise)
    };
    let at = "trial 7 ends at rung 4, place 5 of 9 with 0.871000, where 3 may go on, the last with 0.900000: ";
    assert_eq!(
        sentence(Rule::Hyperband { eta: 3 }, Unit::Epochs),
        format!("{at}the best 1 in 3 of a rung go on when all of its bracket are in (HyperBand)")
    );
    assert_eq!(
        sentence(Rule::Median { grace: 60 }, Unit::Seconds),
        format!("{at}who is worse at its best than the median of what the others had on average from 60 on ends \
             (median stopping)").replace("rung 4,", "rung 4 s,")
    );
    check(
        &Decision::Judged {
            trial: TrialId(7),
            place: place(3),
            verdict: Verdict::Complete,
            rule: Rule::AshaStopping { eta: 3 },
        },
        "trial 7 has had a full training at rung 4, place 5 of 9 with 0.871000, where 3 may go on, the last with \
         0.900000: the best 1 in 3 of a rung, at least one, go on (ASHA, stopping)",
    );
}

#[test]
fn what_was_found_about_the_rungs_is_explained() {
    check(
        &Decision::FirstRungRaised {
            from: 1,
            to: 3,
            unit: Unit::Epochs,
            rho: -0.52,
            upper: -0.02,
            n: 8,
        },
        "new trials are judged first at 3 epochs, no longer at 1: on 8 trials that were not judged there, the order at 1 \
         says little of that at 3 (Spearman's rho -0.52, at most -0.02 with 90 %)",
    );
    check(
        &Decision::CapRaised {
            from: 3,
            to: 9,
            n: 5,
            epsilon: 0.01,
        },
        "trials may go on from 3 to 9 epochs: the order of 5 at 3 is not that of one rung below, with gaps up to 0.010000 \
         taken as none (PASHA)",
    );
}

#[test]
fn the_length_of_training_is_explained_by_speed_and_time() {
    check(
        &Decision::Length {
            full: 64,
            rungs: vec![4, 13, 30, 64],
            seconds_per_epoch: 0.1,
            left_s: 55.25,
            slots: 2,
        },
        "full training is 64 epochs, judged after 4, 13, 30: an epoch takes 0.100 s, and 55.2 s on 2 slots are left",
    );
    check(
        &Decision::Portfolio {
            full: 8,
            seconds_per_epoch: Some(2.0),
            left_s: 20.0,
            slots: 2,
        },
        "trials run in order, without early stopping, for 8 epochs each: an epoch takes 2.000 s, too long for a search in \
         20.0 s on 2 slots",
    );
    check(
        &Decision::Portfolio {
            full: 0,
            seconds_per_epoch: Some(30.0),
            left_s: 20.0,
            slots: 2,
        },
        "no trial starts: an epoch of 30.000 s does not fit into the 20.0 s that are left",
    );
}

#[test]
fn the_end_is_explained() {
    check(
        &Decision::Finishing {
            leader: Some(TrialId(3)),
            why: FinishWhy::Budget,
            cost_s: Some(7.0),
            left_s: Some(6.9),
        },
        "nothing new starts; trial 3 leads: the leader needs 7.0 s, and 6.9 s are left",
    );
    check(
        &Decision::Stopped {
            trial: TrialId(3),
            reason: StopReason::Budget,
            checkpoint: 6,
        },
        "trial 3 is told to go: the budget is spent; its checkpoint holds 6 epochs",
    );
    check(
        &Decision::Retried {
            trial: TrialId(3),
            attempt: Attempt(1),
            failure: FailureKind::OutOfMemory,
        },
        "trial 3 is tried again (attempt 1): it ran out of memory",
    );
}

#[test]
fn a_score_that_is_no_number_survives_the_journal() {
    let place = Place {
        score: Score::new(f64::NEG_INFINITY, Direction::Maximise),
        ..place(3)
    };
    check(
        &Decision::Judged {
            trial: TrialId(1),
            place,
            verdict: Verdict::Pause,
            rule: Rule::AshaPromotion { eta: 3 },
        },
        "trial 1 waits at rung 4, place 5 of 9 with -inf, where 3 may go on, the last with 0.900000: \
         the best 1 in 3 of a rung are promoted (ASHA, promotion)",
    );
}
