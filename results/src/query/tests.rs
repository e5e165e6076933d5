//! What the questions answer, on small stories.

use std::fs;
use std::time::Duration;

use schedulers::explain::Decision;
use serde_json::json;

use super::{Phase, runs};
use crate::journal::Outcome;
use crate::story::{began, created, ended, reported, started, store_with, target, whole};
use crate::{Entry, Error, Number, render};

#[tokio::test]
async fn the_leaderboard_is_best_first_ties_by_number_and_no_score_last() {
    for (maximise, expected) in [(true, [4, 1, 2, 0, 3, 5]), (false, [0, 1, 2, 4, 3, 5])] {
        let folder = tempfile::tempdir().unwrap();
        let mut story = vec![began("a"), target(maximise)];
        let scores = [0.25, 0.5, 0.5, f64::NAN, 0.75];
        for (trial, score) in (0..).zip(scores) {
            story.extend([
                created(trial),
                started(trial, 0, 1),
                reported(trial, 1, score),
            ]);
        }
        story.push(created(5));
        let store = store_with(folder.path(), story).await;
        let board = store.reader().leaderboard(None).await.unwrap();
        assert_eq!(
            board.iter().map(|trial| trial.trial).collect::<Vec<_>>(),
            expected
        );
        assert_eq!(
            store.reader().best().await.unwrap().unwrap().trial,
            expected[0]
        );
        assert_eq!(store.reader().leaderboard(Some(2)).await.unwrap().len(), 2);
    }
}

#[tokio::test]
async fn there_is_no_best_trial_where_every_score_is_nan() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(
        folder.path(),
        vec![
            began("a"),
            target(true),
            created(0),
            reported(0, 1, f64::NAN),
        ],
    )
    .await;
    assert_eq!(store.reader().best().await.unwrap(), None);
    let trial = store.reader().trials().await.unwrap().remove(0);
    assert_eq!(trial.best_score, Some(Number(f64::NAN)));
}

#[tokio::test]
async fn a_trial_comes_with_its_legs_reports_and_decisions() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), whole()).await;
    let detail = store.reader().trial(0).await.unwrap();
    assert_eq!(detail.trial.phase, Phase::Finished(Outcome::Completed));
    assert_eq!(
        (
            detail.trial.epoch,
            detail.trial.best_epoch,
            detail.trial.best_score
        ),
        (4, Some(4), Some(Number(0.875)))
    );
    assert_eq!(detail.trial.train, Duration::from_millis(400));
    assert_eq!(detail.trial.parameters["combiner.type"], json!("concat"));
    let legs: Vec<_> = detail
        .legs
        .iter()
        .map(|leg| (leg.leg, leg.from, leg.to, leg.pid, leg.ending.as_deref()))
        .collect();
    assert_eq!(
        legs,
        [
            (0, 0, 4, Some(4711), Some("continued")),
            (1, 4, 16, Some(4711), Some("it crashed"))
        ]
    );
    assert_eq!(
        detail
            .reports
            .iter()
            .map(|report| report.epoch)
            .collect::<Vec<_>>(),
        [1, 4]
    );
    assert_eq!(detail.reports[0].score, Number(f64::NAN));
    assert_eq!(detail.decisions.len(), 1);
    assert!(
        matches!(&detail.decisions[0].decision, Decision::Judged { place, .. } if place.n == 3)
    );
    assert!(matches!(
        store.reader().trial(9).await,
        Err(Error::NoTrial {
            trial: 9,
            n_trials: 2
        })
    ));
}

#[tokio::test]
async fn a_retried_leg_overwrites_what_the_lost_one_reported() {
    let folder = tempfile::tempdir().unwrap();
    let story = vec![
        began("a"),
        target(true),
        created(0),
        started(0, 0, 2),
        reported(0, 1, 0.5),
        reported(0, 1, 0.75),
    ];
    let store = store_with(folder.path(), story).await;
    let reports = store.reader().trial(0).await.unwrap().reports;
    assert_eq!(
        reports
            .iter()
            .map(|report| report.score)
            .collect::<Vec<_>>(),
        [Number(0.75)]
    );
}

#[tokio::test]
async fn a_resumed_run_is_open_again_and_what_was_running_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let interrupted = Entry::RunEnded {
        outcome: "interrupted".to_owned(),
    };
    let mut story = vec![began("a"), target(true), created(0), started(0, 0, 2)];
    story.extend([
        interrupted,
        Entry::BudgetAdded { by_ms: 1_000 },
        Entry::Resumed,
    ]);
    let store = store_with(folder.path(), story.clone()).await;
    let run = store.reader().run().await.unwrap().unwrap();
    assert_eq!(run.budget, Some(Duration::from_secs(61)));
    assert_eq!((run.phase.as_str(), run.outcome), ("search", None));
    let legs = store.reader().trial(0).await.unwrap().legs;
    assert_eq!(legs[0].ending.as_deref(), Some("lost"));
    let journal = store.reader().events(0, 100).await.unwrap();
    assert!(journal.into_iter().map(|stamped| stamped.entry).eq(story));
}

#[tokio::test]
async fn the_run_knows_its_plan_and_how_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), whole()).await;
    let run = store.reader().run().await.unwrap().unwrap();
    assert_eq!(
        (run.seed, run.budget, run.full_epochs),
        (u64::MAX, Some(Duration::from_secs(60)), Some(16))
    );
    assert_eq!(
        (run.phase.as_str(), run.outcome.as_deref()),
        ("ended", Some("done"))
    );
    assert_eq!(
        (run.metric.as_deref(), run.maximise),
        (Some("roc_auc"), Some(true))
    );
    let models: Vec<_> = store
        .reader()
        .models()
        .await
        .unwrap()
        .into_iter()
        .map(|model| (model.part, model.chosen))
        .collect();
    assert_eq!(
        models,
        [("validation".to_owned(), true), ("test".to_owned(), false)]
    );
}

#[tokio::test]
async fn the_list_of_runs_shows_what_cannot_be_read_and_skips_what_is_no_run() {
    let output = tempfile::tempdir().unwrap();
    for (name, story) in [("one", whole()), ("empty", vec![])] {
        fs::create_dir(output.path().join(name)).unwrap();
        store_with(&output.path().join(name), story)
            .await
            .close()
            .await
            .unwrap();
    }
    fs::create_dir(output.path().join("broken")).unwrap();
    fs::write(output.path().join("broken/run.sqlite"), "x".repeat(4_096)).unwrap();
    fs::create_dir(output.path().join("photos")).unwrap();
    let found = runs(output.path()).await.unwrap();
    let names: Vec<_> = found
        .iter()
        .map(|found| found.folder.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["one", "broken"]);
    let overview = found[0].run.as_ref().unwrap();
    assert_eq!(
        (overview.n_trials, overview.n_finished, overview.n_failed),
        (2, 1, 0)
    );
    assert_eq!(overview.best.as_ref().unwrap().trial, 0);
    assert!(matches!(found[1].run, Err(Error::Malformed { .. })));
    assert!(
        runs(&output.path().join("nowhere"))
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn the_leaderboard_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let story = vec![
        began("a"),
        target(true),
        created(0),
        started(0, 0, 4),
        reported(0, 4, 0.5),
        ended(0, Outcome::Completed),
        created(1),
        started(1, 0, 4),
        reported(1, 1, f64::NAN),
        ended(1, Outcome::Failed),
        created(2),
    ];
    let store = store_with(folder.path(), story).await;
    let board = store.reader().leaderboard(None).await.unwrap();
    insta::assert_snapshot!(render::leaderboard_csv(&board), @r"
    rank,trial,origin,outcome,epoch,best_epoch,best_score,train_s,roc_auc,combiner.type,trainer.learning_rate
    1,0,sobol,completed,4,4,0.5,0.200,0.5,concat,0.04
    2,1,sobol,failed,1,1,nan,0.200,nan,concat,0.04
    3,2,sobol,pending,0,,,0.000,,concat,0.04
    ");
}
