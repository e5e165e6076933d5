//! A small run for tests, told entry by entry, with every kind of entry in it.

use std::path::Path;
use std::time::Duration;

use schedulers::conductor::{Cap, Exit, Full, Levels, Limits, Policy, Rules, Shares, Sign, StopBy};
use schedulers::explain::{Decision, Place, Rule, Unit, Verdict};
use schedulers::protocol::FailureKind;
use schedulers::{Direction, Score, TrialId};
use serde_json::json;

use crate::journal::{Evaluation, Outcome, Reported, RunBegan, Weight};
use crate::{Entry, FILE_NAME, Number, Store};

/// A store in `folder` with `entries` in it, 10 ms apart.
pub(crate) async fn store_with(folder: &Path, entries: Vec<Entry>) -> Store {
    let store = Store::create(&folder.join(FILE_NAME)).await.unwrap();
    for (index, entry) in (1..).zip(entries) {
        store
            .append(Duration::from_millis(10 * index), vec![entry])
            .await
            .unwrap();
    }
    store
}

pub(crate) fn began(name: &str) -> Entry {
    Entry::RunBegan(RunBegan {
        name: name.to_owned(),
        began_at_ms: 1_700_000_000_000,
        dataset: "adult".to_owned(),
        seed: u64::MAX,
        budget_ms: Some(60_000),
        plan: json!({"slots": 2}),
        version: "0.0.0".to_owned(),
    })
}

pub(crate) fn target(maximise: bool) -> Entry {
    Entry::TargetKnown {
        target: "income".to_owned(),
        target_kind: "binary".to_owned(),
        metric: if maximise { "roc_auc" } else { "log_loss" }.to_owned(),
        maximise,
    }
}

pub(crate) fn created(trial: u32) -> Entry {
    let parameters = [
        ("trainer.learning_rate".to_owned(), json!(0.04)),
        ("combiner.type".to_owned(), json!("concat")),
    ];
    Entry::TrialCreated {
        trial,
        class: 0,
        origin: "sobol".to_owned(),
        parameters: parameters.into(),
    }
}

pub(crate) fn started(trial: u32, from: u32, to: u32) -> Entry {
    Entry::LegStarted {
        trial,
        attempt: 0,
        slot: 1,
        from,
        to,
        full: 16,
        retry_of: None,
    }
}

pub(crate) fn reported(trial: u32, epoch: u32, score: f64) -> Entry {
    Entry::Reported(Reported {
        trial,
        attempt: 0,
        epoch,
        loss: Number(0.5),
        score: Number(score),
        scores: [("roc_auc".to_owned(), Number(score))].into(),
        best_epoch: epoch,
        best_score: Number(score),
        train_s: 0.2,
        eval_s: 0.05,
    })
}

pub(crate) fn ended(trial: u32, outcome: Outcome) -> Entry {
    Entry::TrialEnded {
        trial,
        outcome,
        cause: None,
    }
}

fn evaluation(part: &str) -> Evaluation {
    Evaluation {
        trial: Some(0),
        epoch: 4,
        part: part.to_owned(),
        metric: "roc_auc".to_owned(),
        score: Number(0.875),
        scores: [
            ("roc_auc".to_owned(), Number(0.875)),
            ("log_loss".to_owned(), Number(f64::INFINITY)),
        ]
        .into(),
    }
}

/// A whole run.
#[expect(clippy::too_many_lines, reason = "a list")]
pub(crate) fn whole() -> Vec<Entry> {
    vec![
        began("first"),
        Entry::PhaseEntered {
            phase: "profile".to_owned(),
        },
        Entry::Noted {
            weight: Weight::Finding,
            text: "column `id` is unique in every row".to_owned(),
        },
        Entry::Reasoned {
            path: "trainer.epochs".to_owned(),
            value: "64".to_owned(),
            why: "it fits".to_owned(),
        },
        target(true),
        Entry::Prepared {
            key: "ab12".to_owned(),
            n_train: 700,
            n_validation: 100,
            n_test: 200,
        },
        Entry::PhaseEntered {
            phase: "search".to_owned(),
        },
        Entry::RulesSettled { rules: rules() },
        Entry::SlotsOpened { slots: vec![0, 1] },
        Entry::Probed {
            seconds_per_epoch: 0.25,
            fixed_seconds: 0.02,
        },
        Entry::Decided {
            decision: Decision::Length {
                full: 16,
                rungs: vec![4, 16],
                seconds_per_epoch: 0.25,
                left_s: 60.0,
                slots: 2,
            },
        },
        created(0),
        started(0, 0, 4),
        Entry::LegReady {
            trial: 0,
            attempt: 0,
            pid: 4711,
        },
        reported(0, 1, f64::NAN),
        reported(0, 4, 0.875),
        Entry::Checkpointed {
            trial: 0,
            attempt: 0,
            epoch: 4,
        },
        Entry::LegEnded {
            trial: 0,
            attempt: 0,
            epoch: 4,
            best_epoch: 4,
            best_score: Number(0.875),
            train_s: 0.8,
            seconds: 0.9,
        },
        Entry::Decided { decision: judged() },
        Entry::LegContinued {
            trial: 0,
            from: 4,
            to: 16,
        },
        Entry::ModelChosen(evaluation("validation")),
        created(1),
        started(1, 0, 4),
        Entry::ProbeFailed {
            cause: "it crashed".to_owned(),
        },
        Entry::ReserveMeasured { reserve_ms: 500 },
        Entry::LauncherDied { restarts: 0 },
        Entry::TrialWaits {
            trial: 1,
            paused: true,
        },
        Entry::SpaceExhausted { trial: 2 },
        Entry::StopAsked { by: StopBy::User },
        Entry::KillAsked,
        Entry::TimeIsUp,
        Entry::Unresponsive {
            trial: 0,
            attempt: 0,
            sign: Sign::Heartbeat,
        },
        Entry::Suspended { for_ms: 3_000 },
        Entry::Asked {
            trial: 0,
            what: "stop".to_owned(),
        },
        Entry::Exited {
            trial: 0,
            attempt: 0,
            how: Exit::Failed(FailureKind::Crashed),
            message: None,
            leaked: true,
        },
        ended(0, Outcome::Completed),
        Entry::PhaseEntered {
            phase: "finish".to_owned(),
        },
        Entry::Evaluated(evaluation("test")),
        Entry::RunEnded {
            outcome: "done".to_owned(),
        },
    ]
}

fn judged() -> Decision {
    let score = Score::new(0.875, Direction::Maximise);
    Decision::Judged {
        trial: TrialId(0),
        place: Place {
            bracket: 0,
            rung: 4,
            unit: Unit::Epochs,
            n: 3,
            k: 1,
            rank: 1,
            score,
            threshold: Some(score),
        },
        verdict: Verdict::Continue { to: 16 },
        rule: Rule::AshaPromotion { eta: 3 },
    }
}

fn rules() -> Rules {
    Rules {
        limits: Limits {
            end: None,
            max_trials: Some(3),
            max_epochs: None,
        },
        reserve: Duration::from_millis(500),
        full: Full::Fixed(16),
        levels: Levels::Geometric { min: 4, factor: 4 },
        policy: Policy::AshaPromotion { eta: 3 },
        brackets: 1,
        shares: Shares::Falling,
        guard: false,
        cap: Cap::Full,
        baseline: None,
        straight: 1,
    }
}
