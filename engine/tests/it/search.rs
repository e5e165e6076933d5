//! Whole searches over scripted trials: real processes and a real journal, no model.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

use engine::backend::Local;
use engine::clock::Clock;
use engine::dispatcher::{Candidates, Dispatcher, Outcome, Setup};
use engine::output::{News, Talk};
use engine::run_plan::Slot;
use engine::signal::{Asked, Signals, Wish};
use results::query::Phase;
use results::{Entry, Reader, Store, journal};
use schedulers::conductor::{Baseline, Cap, Full, Levels, Limits, Policy, Rules, Shares, StopBy};
use schedulers::{CostClass, Direction, RunTime};
use search::sampler::{Layered, Random};
use search::space::{Assignment, Space};
use serde_json::json;
use tokio::sync::watch;

use super::bench::Bench;

/// Keeps the news.
#[derive(Default)]
struct Ears(Mutex<Vec<News>>);

impl Talk for Ears {
    fn tell(&self, _: Duration, news: &News) {
        self.0.lock().unwrap().push(news.clone());
    }
}

/// A search over scripted trials; `script` by trial, training well where there is none.
struct Search {
    bench: Bench,
    rules: Rules,
    scripts: BTreeMap<u32, &'static str>,
    n_slots: u32,
    /// Asked for when the search is so old.
    stop: Option<(Duration, Asked)>,
}

/// What stands in a journal before its search.
fn preface() -> Vec<Entry> {
    let began = journal::RunBegan {
        name: "run".to_owned(),
        began_at_ms: 0,
        dataset: "none".to_owned(),
        seed: 1,
        budget_ms: None,
        plan: json!({}),
        version: "0.0.0".to_owned(),
    };
    let target = Entry::TargetKnown {
        target: "y".to_owned(),
        target_kind: "binary".to_owned(),
        metric: "roc_auc".to_owned(),
        maximise: true,
    };
    vec![Entry::RunBegan(began), target]
}

/// What is left of it.
struct Left {
    bench: Bench,
    outcome: Outcome,
    reader: Reader,
    news: Vec<News>,
    took: Duration,
}

impl Search {
    fn new(max_trials: u32) -> Self {
        let rules = Rules {
            limits: Limits {
                end: None,
                max_trials: Some(max_trials),
                max_epochs: None,
            },
            reserve: Duration::from_millis(500),
            full: Full::Fixed(8),
            levels: Levels::Geometric { min: 2, factor: 2 },
            policy: Policy::AshaPromotion { eta: 2 },
            brackets: 1,
            shares: Shares::Falling,
            guard: false,
            cap: Cap::Full,
            baseline: Some(Baseline { full: 1 }),
            straight: 1,
        };
        Self {
            bench: Bench::new(""),
            rules,
            scripts: BTreeMap::new(),
            n_slots: 2,
            stop: None,
        }
    }

    fn candidates(&self) -> Candidates {
        let space = json!({ "lr": { "space": "loguniform", "lower": 1e-4, "upper": 1e-1 } });
        let space = Space::new(space.as_object().unwrap()).unwrap();
        let concrete = |assignment: &Assignment, halvings: u32| {
            Ok((
                format!("lr: {:?}\nhalvings: {halvings}\n", assignment.get("lr")),
                CostClass(0),
            ))
        };
        let last = Box::new(Random::new(space.clone(), 1));
        let sampler = Layered::new(&space, Some(Assignment::new()), vec![], 64, last, 1);
        Candidates::new(
            Some("linear".to_owned()),
            Box::new(sampler),
            Box::new(concrete),
        )
    }

    async fn run(self) -> Left {
        let folder = self.bench.dir.path().join("run");
        fs::create_dir(&folder).unwrap();
        for (trial, script) in &self.scripts {
            let dir = folder.join("trials").join(trial.to_string());
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("script"), script).unwrap();
        }
        let store = Store::create(&folder.join("run.sqlite")).await.unwrap();
        store.append(Duration::ZERO, preface()).await.unwrap();
        let clock = Clock::of_process();
        let began = clock.now();
        let mut rules = self.rules.clone();
        rules.limits.end = rules.limits.end.map(|end| began + end.0);
        let slots = vec![
            Slot {
                cpus: vec![0],
                gpu: None
            };
            self.n_slots as usize
        ];
        let setup = Setup {
            folder: folder.clone(),
            prepared: folder.join("prepared"),
            rules,
            slots: &slots,
            memory_limit_bytes: None,
            seed: 1,
            metric: "roc_auc".to_owned(),
            direction: Direction::Maximise,
            metrics: vec!["roc_auc".to_owned()],
            test_share: 1.0,
            epoch_rows: None,
            probe_seconds: 0.1,
            standing: None,
            is_program: false,
        };
        let backend = Local::open(&self.bench.binary, &folder.join("launcher.log"));
        let ears = Ears::default();
        let mut dispatcher = Dispatcher::new(
            setup,
            self.candidates(),
            backend,
            clock.clone(),
            &store,
            &ears,
        );
        let (wish, heard) = watch::channel(Wish::default());
        let mut signals = Signals::from_channel(heard);
        let stop = async {
            if let Some((after, asked)) = self.stop {
                clock.until(began + after).await;
                wish.send_replace(Wish {
                    asked,
                    by: Some(StopBy::User),
                    ..Wish::default()
                });
            }
            std::future::pending::<()>().await;
        };
        let outcome = tokio::select! {
            outcome = dispatcher.run(&mut signals) => outcome.unwrap(),
            () = stop => unreachable!(),
        };
        let took = clock.now().since(began);
        let (local, _) = dispatcher.into_backend();
        local.close().await;
        let path = store.path().to_owned();
        store.close().await.unwrap();
        let reader = Reader::open(&path).await.unwrap();
        Left {
            bench: self.bench,
            outcome,
            reader,
            news: ears.0.into_inner().unwrap(),
            took,
        }
    }
}

impl Left {
    async fn phase(&self, trial: u32) -> Phase {
        self.reader.trial(trial).await.unwrap().trial.phase
    }

    fn model(&self) -> String {
        fs::read_to_string(self.bench.dir.path().join("run/model/weights.safetensors")).unwrap()
    }
}

#[tokio::test]
async fn a_search_trains_judges_promotes_and_keeps_the_best_model() {
    let left = Search::new(9).run().await;
    assert_eq!((left.outcome.n_searched, left.outcome.n_failed), (9, 0));
    assert!(
        left.outcome.baseline_test.is_some(),
        "the baseline was scored on the test part"
    );
    let board = left.reader.leaderboard(None).await.unwrap();
    assert_eq!(board.len(), 10);
    let best = left.outcome.best.unwrap();
    assert_eq!(
        (best.trial, Some(best.epoch)),
        (Some(board[0].trial), board[0].best_epoch)
    );
    assert_eq!(
        fs::read_to_string(left.bench.dir.path().join("run/model/weights.safetensors")).unwrap(),
        board[0].trial.to_string()
    );
    let tuned = left.reader.trial(1).await.unwrap();
    assert_eq!(
        (tuned.trial.origin.as_str(), tuned.trial.epoch),
        ("default", 8),
        "the tuned default ran to the end"
    );
    assert_eq!(tuned.legs.len(), 1, "and was not judged on its way");
    let cut = board
        .iter()
        .filter(|trial| trial.trial > 1 && trial.epoch < 8)
        .count();
    assert!(cut >= 4, "most were not worth it: {cut}");
    assert!(
        left.news
            .iter()
            .any(|news| matches!(news, News::BestChanged { .. }))
    );
    assert!(!left.bench.dir.path().join("run/.model.new").exists());
}

#[tokio::test]
async fn every_way_to_fail_ends_one_trial_and_not_the_search() {
    let mut search = Search::new(8);
    search.scripts = BTreeMap::from([
        (2, "hello exit=74"),
        (3, "hello fail=loss"),
        (4, "hello raise=SIGFPE"),
        (5, "hello garbage hang"),
        (6, "wrong-version hang"),
        (7, "another-trial hang"),
    ]);
    let left = search.run().await;
    let failed = Phase::Finished(journal::Outcome::Failed);
    for trial in 2..=7 {
        let detail = left.reader.trial(trial).await.unwrap().trial;
        assert_eq!(detail.phase, failed, "trial {trial}: {detail:?}");
        assert!(
            detail.cause.is_some_and(|cause| !cause.is_empty()),
            "trial {trial}"
        );
    }
    assert_eq!(
        left.phase(8).await,
        left.phase(1).await,
        "those around them train to the end"
    );
    assert_eq!((left.outcome.n_searched, left.outcome.n_failed), (8, 6));
    assert_eq!(left.outcome.causes.values().sum::<u32>(), 6);
}

#[tokio::test]
async fn the_baseline_stands_where_every_trial_fails() {
    let mut search = Search::new(3);
    search.scripts = (1..=3).map(|trial| (trial, "hello exit=70")).collect();
    let left = search.run().await;
    assert_eq!((left.outcome.n_searched, left.outcome.n_failed), (3, 3));
    assert_eq!(
        (
            left.outcome.best.as_ref().unwrap().trial,
            left.model().as_str()
        ),
        (Some(0), "0")
    );
}

#[tokio::test]
async fn memory_that_runs_out_halves_the_batch_and_tries_again() {
    let mut search = Search::new(1);
    search.scripts = BTreeMap::from([(1, "hello exit=72")]);
    let left = search.run().await;
    let config =
        fs::read_to_string(left.bench.dir.path().join("run/trials/1/config.yaml")).unwrap();
    assert!(
        config.contains("halvings: 1") || config.contains("halvings: 2"),
        "{config}"
    );
    assert!(left.reader.trial(1).await.unwrap().legs.len() > 1);
}

#[tokio::test]
async fn a_deadline_ends_trials_that_do_not_listen_and_keeps_what_stands() {
    let mut search = Search::new(1000);
    search.rules.limits = Limits {
        end: Some(RunTime(Duration::from_millis(1_500))),
        max_trials: None,
        max_epochs: None,
    };
    search.scripts = (1..=2).map(|trial| (trial, "deaf hello hang")).collect();
    let left = search.run().await;
    assert!(left.took <= Duration::from_millis(1_500), "{:?}", left.took);
    assert_eq!(left.model(), "0");
}

#[tokio::test]
async fn being_asked_to_stop_ends_the_search_at_once_with_the_best_so_far() {
    for asked in [Asked::Finish, Asked::Kill] {
        let mut search = Search::new(1000);
        search.scripts = (1..=2).map(|trial| (trial, "hello hang")).collect();
        search.stop = Some((Duration::from_millis(700), asked));
        let left = search.run().await;
        assert!(
            left.took < Duration::from_secs(5),
            "{asked:?}: {:?}",
            left.took
        );
        assert_eq!(
            (left.outcome.stopped_by, left.model().as_str()),
            (Some(StopBy::User), "0")
        );
        let asked_for = left.reader.events(0, 10_000).await.unwrap();
        assert!(
            asked_for
                .iter()
                .any(|event| matches!(event.entry, Entry::StopAsked { by: StopBy::User }))
        );
    }
}

#[tokio::test]
async fn a_search_goes_on_when_its_launcher_dies_for_good() {
    for launcher in ["die", "die-on-fork", "die-after-fork"] {
        let mut search = Search::new(4);
        fs::write(search.bench.dir.path().join("launcher-script"), launcher).unwrap();
        search.n_slots = 2;
        let left = search.run().await;
        assert_eq!(
            (left.outcome.n_searched, left.outcome.n_failed),
            (4, 0),
            "{launcher}: {:?}",
            left.outcome.causes
        );
    }
}

#[tokio::test]
async fn the_journal_gives_the_conductor_its_whole_story_again() {
    let left = Search::new(12).run().await;
    let entries = left.reader.events(0, 100_000).await.unwrap();
    let check = engine::replay::check_replay(&entries, Direction::Maximise).unwrap();
    assert_eq!(check.differences, Vec::<String>::new());
    assert!(check.n_decisions > 12, "{}", check.n_decisions);
}
