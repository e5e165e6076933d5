//! From a plan to a summary: the phases in order, and what surrounds them (signals, watchdog, launcher).

use std::sync::Arc;
use std::time::Duration;

use ::search::config::Config;
use results::journal::Evaluation;
use results::{Entry, Number};
use schedulers::RunTime;
use schedulers::conductor::{Rules, StopBy};
use tokio::sync::mpsc;

use super::earlier::Earlier;
use super::folder::Folder;
use super::stage::Stage;
use super::{arrays, base_config, finish, search, table, tune};
use crate::backend::{self, Happening, Local};
use crate::clock::Clock;
use crate::dispatcher::{Dispatcher, ModelFolder, Setup};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::{News, Phase, Summary, Talk};
use crate::run_plan::{RunPlan, Verb};
use crate::signal::{NOTICE, Signals};
use crate::watchdog::{LastWords, Watchdog};

/// How long after the budget the watchdog ends everything. The loop has until the budget; what is left
/// of the promised second is for killing, saying so, and being slow.
const WATCHDOG_AFTER: Duration = Duration::from_millis(700);

/// The share of the budget in which an epoch is timed, at most: the probe's part of a design that leaves the rest to trials.
const PROBE_SHARE: f64 = 0.05;

/// Rows of an epoch at most: on larger tables the resource is steps, not passes.
const EPOCH_ROWS: u64 = 1_000_000;

/// Rows of an epoch for each second of the budget: a core trains 50,000 to 100,000 rows a second, so that a few dozen
/// epochs fit, and a trial can be judged, however large the table.
const EPOCH_ROWS_A_SECOND: u64 = 3_000;

/// Rows of an epoch below which judging would cost as much as training.
const EPOCH_ROWS_AT_LEAST: u64 = 20_000;

/// Runs what is planned, to its end.
pub fn run(plan: &RunPlan, clock: &Clock, talk: &dyn Talk) -> Result<Summary> {
    begin(plan, None, clock, talk)
}

/// Goes on with a run that an earlier process left, to its end. The budget of `plan` is all of the run's, what was added
/// included, and `clock` goes on where the earlier one stood.
pub fn resume(
    plan: &RunPlan,
    earlier: &Earlier,
    clock: &Clock,
    talk: &dyn Talk,
) -> Result<Summary> {
    begin(plan, Some(earlier), clock, talk)
}

fn begin(
    plan: &RunPlan,
    earlier: Option<&Earlier>,
    clock: &Clock,
    talk: &dyn Talk,
) -> Result<Summary> {
    backend::become_subreaper()
        .map_err(Error::file("set up", std::path::Path::new("this process")))?;
    // One thread for the loop: it waits nearly always, and what it spawns dies with the thread it lives on.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::file(
            "set up",
            std::path::Path::new("the event loop"),
        ))?;
    let summary = runtime.block_on(whole(plan, earlier, clock, talk));
    // A download may still hang in its thread.
    runtime.shutdown_background();
    backend::reap_all();
    summary
}

async fn whole(
    plan: &RunPlan,
    earlier: Option<&Earlier>,
    clock: &Clock,
    talk: &dyn Talk,
) -> Result<Summary> {
    let folder = match earlier {
        None => Folder::create(plan, clock).await?,
        Some(_) => Folder::reopen(plan).await?,
    };
    let signals = Signals::listen(clock.clone())
        .map_err(Error::file("listen for", std::path::Path::new("signals")))?;
    let nothing = LastWords {
        text: "There is no model yet.".to_owned(),
        exit: Exit::Environment,
        abandon: earlier.is_none().then(|| folder.path.clone()),
    };
    let deadline = plan.limits.budget.map_or(RunTime(Duration::MAX), |budget| {
        RunTime(budget + WATCHDOG_AFTER)
    });
    let watchdog = Arc::new(Watchdog::start(clock.clone(), deadline, nothing));
    let noticed = tokio::spawn(heed_notice(signals.subscribe(), watchdog.clone()));
    talk.tell(
        clock.now().0,
        &News::RunOpened {
            name: plan.name.clone(),
            folder: plan.folder.clone(),
        },
    );
    let mut stage = Stage {
        plan,
        clock,
        talk,
        store: &folder.store,
        folder: &folder.path,
        signals,
    };
    let summary = if plan.verb == Verb::Tune {
        tune::phases(&mut stage, earlier, &watchdog).await
    } else {
        // At once: its libraries load while the table is read.
        let backend = Local::open(&plan.trial_binary, &folder.path.join("launcher.log"));
        phases(&mut stage, earlier, backend, &watchdog).await
    };
    noticed.abort();
    let has_model = ModelFolder::of_run(&folder.path).exists();
    let is_empty = !has_model && !folder.path.join("trials").exists();
    match &summary {
        Err(error) if earlier.is_none() && is_empty && error.exit() != Exit::Bug => {
            folder.abandon().await;
        }
        Err(_) => {
            let ended = Entry::RunEnded {
                outcome: "failed".to_owned(),
            };
            // The first error counts.
            let _ = folder.store.append(clock.now().0, vec![ended]).await;
            let _ = folder.store.close().await;
        }
        Ok(_) => folder.store.close().await?,
    }
    summary.map_err(|error| {
        if has_model {
            error.keeping(&plan.folder.join("model"))
        } else {
            error
        }
    })
}

/// Who asks for the end gets the exit code that says so; after SIGTERM the sender waits only so long.
async fn heed_notice(
    mut wishes: tokio::sync::watch::Receiver<crate::signal::Wish>,
    watchdog: Arc<Watchdog>,
) {
    while wishes.changed().await.is_ok() {
        let wish = *wishes.borrow_and_update();
        match wish.by {
            Some(StopBy::User) => watchdog.asked(Exit::Interrupted),
            Some(StopBy::Signal) => {
                watchdog.asked(Exit::Terminated);
                watchdog.no_later_than(wish.since + NOTICE.saturating_sub(Duration::from_secs(2)));
            }
            None => {}
        }
    }
}

async fn phases(
    stage: &mut Stage<'_>,
    earlier: Option<&Earlier>,
    backend: (Local, mpsc::Receiver<Happening>),
    watchdog: &Watchdog,
) -> Result<Summary> {
    let plan = stage.plan;
    let ground = match earlier {
        None => lay_ground(stage).await?,
        Some(earlier) => find_ground(stage, earlier).await?,
    };
    watchdog.remember(LastWords {
        text: format!(
            "The best model so far stands in {}; `autotune resume {}` goes on and writes the rest.",
            plan.folder.join("model").display(),
            plan.folder.display()
        ),
        exit: Exit::Environment,
        abandon: None,
    });

    let candidates = search::candidates(stage, &ground.config)?;
    let rules = match earlier {
        None => search::rules(plan, &ground.config, candidates.baseline().is_some())?,
        Some(earlier) => earlier.rules()?,
    };
    let setup = setup(stage, &ground, rules);
    let mut dispatcher = Dispatcher::new(
        setup,
        candidates,
        backend,
        stage.clock.clone(),
        stage.store,
        stage.talk,
    );
    if let Some(earlier) = earlier {
        for difference in dispatcher.go_on(&earlier.journal, earlier.added)? {
            stage.tell(&News::Warning(format!(
                "decided otherwise then: {difference}"
            )));
        }
    }
    stage.enter(Phase::Search).await?;
    let outcome = dispatcher.run(&mut stage.signals).await?;
    stage.enter(Phase::Finish).await?;
    let n_tests = earlier.map_or(0, Earlier::n_tests);
    let backend = dispatcher.into_backend();
    finish::finish(stage, backend, outcome, &ground, n_tests).await
}

/// What a search stands on.
pub(super) struct Ground {
    pub(super) config: Config,
    pub(super) objective: search::Objective,
    pub(super) arrays: arrays::Arrays,
    /// The model that stands, where there is one.
    pub(super) standing: Option<Evaluation>,
}

/// From a table to the first model.
async fn lay_ground(stage: &mut Stage<'_>) -> Result<Ground> {
    let given = base_config::given(stage)?;
    let tables = table::look_at_all(stage, given.as_ref().map(|(config, _)| config)).await?;
    let (config, path) = base_config::settle(stage, given, &tables.main).await?;
    let objective = search::settle_objective(stage, &config).await?;
    let arrays = arrays::prepare(stage, &tables, &path).await?;
    let standing = first_model(stage, &arrays, &objective).await?;
    Ok(Ground {
        config,
        objective,
        arrays,
        standing,
    })
}

/// The same, as an earlier process of the run left it.
async fn find_ground(stage: &mut Stage<'_>, earlier: &Earlier) -> Result<Ground> {
    let path = stage.folder.join("config.yaml");
    let config = base_config::read(&path)?;
    let objective = search::objective(stage.plan, &config)?;
    let arrays = arrays::find(stage, earlier, &config, &path).await?;
    Ok(Ground {
        config,
        objective,
        arrays,
        standing: earlier.standing(),
    })
}

fn setup<'a>(stage: &Stage<'a>, ground: &Ground, rules: Rules) -> Setup<'a> {
    let (plan, arrays, objective) = (stage.plan, &ground.arrays, &ground.objective);
    Setup {
        folder: stage.folder.to_owned(),
        prepared: arrays.dir.clone(),
        // By the budget the run began with: checkpoints know how long their epochs are.
        epoch_rows: epoch_rows(arrays.n_train, rules.limits.end.map(|end| end.0)),
        rules,
        slots: &plan.slots,
        memory_limit_bytes: plan.memory_limit_bytes,
        seed: plan.seed,
        metric: objective.metric.clone(),
        direction: objective.direction,
        metrics: objective.metrics.clone(),
        test_share: arrays.n_test as f64 / arrays.n_validation.max(1) as f64,
        probe_seconds: plan
            .limits
            .budget
            .map_or(1.0, |budget| budget.as_secs_f64() * PROBE_SHARE),
        // One config that is trained is the model, whatever a constant would score.
        standing: ground
            .standing
            .clone()
            .filter(|_| plan.verb == Verb::Search),
        is_program: false,
    }
}

/// The constant becomes the model of the run, so that there is one from the first second on.
async fn first_model(
    stage: &Stage<'_>,
    arrays: &arrays::Arrays,
    objective: &search::Objective,
) -> Result<Option<Evaluation>> {
    let model = ModelFolder::of_run(stage.folder);
    let failed = Error::file("write", model.path());
    let about = model
        .stage(&arrays.constant)
        .and_then(|about| model.exchange().map(|()| about))
        .map_err(failed)?;
    let constant = Evaluation {
        trial: None,
        epoch: 0,
        part: "validation".to_owned(),
        metric: objective.metric.clone(),
        score: Number(
            about
                .scores
                .get(&objective.metric)
                .copied()
                .unwrap_or(f64::NAN),
        ),
        scores: about
            .scores
            .into_iter()
            .map(|(name, score)| (name, Number(score)))
            .collect(),
    };
    stage
        .write(vec![Entry::ModelChosen(constant.clone())])
        .await?;
    Ok(Some(constant))
}

/// Rows of an epoch, when it is less than a pass over the training rows.
fn epoch_rows(n_train: u64, budget: Option<Duration>) -> Option<u64> {
    let most = budget.map_or(EPOCH_ROWS, |budget| {
        (budget.as_secs() * EPOCH_ROWS_A_SECOND).clamp(EPOCH_ROWS_AT_LEAST, EPOCH_ROWS)
    });
    (n_train > most).then_some(most)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::epoch_rows;

    #[test]
    fn an_epoch_is_a_pass_where_the_table_is_small_for_the_budget() {
        let check = |n_train, seconds: Option<u64>, expected| {
            let rows = epoch_rows(n_train, seconds.map(Duration::from_secs));
            assert_eq!(rows, expected, "{n_train} rows, {seconds:?} s");
        };
        check(34_000, Some(60), None);
        check(34_000, Some(5), Some(20_000));
        check(1_000_000, Some(20), Some(60_000));
        check(11_000_000, Some(7_200), Some(1_000_000));
        check(1_000_000, None, None);
        check(2_000_000, None, Some(1_000_000));
    }
}
