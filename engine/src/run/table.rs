//! Opens the table and looks at it: `open` and `profile`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use datasets::{Kind, Severity};
use search::config::Config;
use tokio::sync::oneshot;

use super::haste;
use super::stage::Stage;
use crate::backend::run_child;
use crate::cli::trial_program;
use crate::error::{Error, Result};
use crate::fetch::{self, Located};
use crate::look::{self, Line, LookSpec, Seen};
use crate::output::{News, Phase};

/// The table of a run, and those that were named beside it, decoded.
pub(super) struct Tables {
    pub(super) main: Seen,
    pub(super) validation: Option<PathBuf>,
    pub(super) test: Option<PathBuf>,
}

/// Looks at every table of the run. A config that is given says what its columns are.
pub(super) async fn look_at_all(stage: &mut Stage<'_>, config: Option<&Config>) -> Result<Tables> {
    let plan = stage.plan;
    stage.enter(Phase::Open).await?;
    let main = locate(stage, &plan.dataset).await?;
    let validation = match &plan.validation {
        Some(dataset) => Some(locate(stage, dataset).await?),
        None => None,
    };
    let test = match &plan.test {
        Some(dataset) => Some(locate(stage, dataset).await?),
        None => None,
    };
    stage.enter(Phase::Profile).await?;
    let mut types = BTreeMap::new();
    for (column, kind) in &plan.types {
        types.insert(column.clone(), kind.parse::<Kind>()?);
    }
    let mut target = plan.target.clone();
    if let Some(config) = config {
        let (its_types, its_target) = said_by(config)?;
        types.extend(its_types);
        target = Some(its_target);
    }
    let threads = plan.n_threads();
    let spec = |located: &Located| {
        LookSpec::new(located, &plan.cache, threads).with(target.as_deref(), &types, &plan.ignore)
    };
    let main = look_at(
        stage,
        "profile",
        &LookSpec {
            need_target: config.is_none(),
            ..spec(&main)
        },
    )
    .await?;
    let mut beside = [None, None];
    for (at, (name, located)) in [("validation", validation), ("test", test)]
        .into_iter()
        .enumerate()
    {
        if let Some(located) = located {
            beside[at] = Some(look_at(stage, name, &spec(&located)).await?.table_dir);
        }
    }
    let [validation, test] = beside;
    Ok(Tables {
        main,
        validation,
        test,
    })
}

/// Finds the local file, and fetches it when it is elsewhere. The network library blocks: it gets a thread.
async fn locate(stage: &mut Stage<'_>, dataset: &str) -> Result<Located> {
    let (name, encoding, cache) = (
        dataset.to_owned(),
        stage.plan.encoding.clone(),
        stage.plan.cache.clone(),
    );
    let progress = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let heard = progress.clone();
    // Left alone when the run is cut short: the process ends, and a half-fetched file is resumed next time.
    let fetching = tokio::task::spawn_blocking(move || {
        fetch::locate(&name, encoding.as_deref(), &cache, &mut |done, of| {
            heard.0.store(done, Ordering::Relaxed);
            heard.1.store(of.unwrap_or_default(), Ordering::Relaxed);
            ControlFlow::Continue(())
        })
    });
    let (talk, clock) = (stage.talk, stage.clock);
    let work = async {
        let mut ticks = tokio::time::interval(std::time::Duration::from_millis(200));
        tokio::pin!(fetching);
        loop {
            tokio::select! {
                located = &mut fetching => return located.map_err(|error| Error::bug(error.to_string()))?,
                _ = ticks.tick() => {
                    let (done, of) = (progress.0.load(Ordering::Relaxed), progress.1.load(Ordering::Relaxed));
                    if done > 0 {
                        talk.tell(clock.now().0, &News::Progress { unit: "bytes", done, of: Some(of).filter(|of| *of > 0) });
                    }
                }
            }
        }
    };
    stage.in_time("fetching the table", work).await
}

/// What looking at a table came to.
enum Looked {
    Whole(Box<Seen>),
    /// It was given up: there is time for one row in so many.
    TooLarge(u32),
}

/// Looks at one table; at a sample of it where the whole would take too much of the budget.
async fn look_at(stage: &mut Stage<'_>, name: &str, spec: &LookSpec) -> Result<Seen> {
    let seen = match look_once(stage, name, spec, stage.plan.limits.budget).await? {
        Looked::Whole(seen) => seen,
        Looked::TooLarge(one_in) => {
            let spec = LookSpec {
                one_in,
                ..spec.clone()
            };
            match look_once(stage, name, &spec, None).await? {
                Looked::Whole(seen) => seen,
                Looked::TooLarge(_) => return Err(Error::bug("a sample was sampled")),
            }
        }
    };
    for finding in &seen.findings {
        let is_warning = finding.severity == Severity::Warning;
        stage
            .finding(is_warning, finding.column.as_deref(), &finding.text)
            .await?;
    }
    Ok(*seen)
}

/// Looks in a child, which can be killed where a library call cannot; gives up when `budget` is too short for it.
async fn look_once(
    stage: &mut Stage<'_>,
    name: &str,
    spec: &LookSpec,
    budget: Option<Duration>,
) -> Result<Looked> {
    let command = look::child(spec, &stage.folder.join(format!("{name}.spec.json")))?;
    let log = stage.folder.join(format!("{name}.log"));
    let (talk, clock) = (stage.talk, stage.clock);
    let began = clock.now().0;
    let mut watch = budget.map(haste::Watch::new);
    let work = async {
        let mut last = None;
        let (say_enough, enough) = oneshot::channel();
        let mut say_enough = Some(say_enough);
        let reading = run_child(command, &log, |line| match Line::read(line) {
            Ok(Line::Progress { done, of }) => {
                let now = clock.now().0;
                let of_all = Some(of);
                talk.tell(
                    now,
                    &News::Progress {
                        unit: "bytes",
                        done,
                        of: of_all,
                    },
                );
                let one_in = watch
                    .as_mut()
                    .map_or(1, |watch| watch.one_in(now - began, done, of));
                if one_in > 1
                    && let Some(say) = say_enough.take()
                {
                    // Nobody listens when the child is gone already.
                    let _ = say.send(one_in);
                }
            }
            other => last = Some(other),
        });
        let ended = tokio::select! {
            ended = reading => ended.map_err(Error::file("run", std::path::Path::new("autotune")))?,
            Ok(one_in) = enough => return Ok(Looked::TooLarge(one_in)),
        };
        match last {
            Some(Ok(Line::Seen(seen))) => Ok(Looked::Whole(seen)),
            Some(Ok(Line::Failed { exit, what, hint })) => Err(Line::error(exit, what, hint)),
            Some(Err(error)) => Err(error),
            Some(Ok(Line::Progress { .. })) | None => Err(trial_program::failure(
                "the process that reads the table",
                &ended.words,
                ended.status,
            )),
        }
    };
    stage.in_time("reading the table", work).await
}

/// The kinds of columns, and the target, as a config has them.
fn said_by(config: &Config) -> Result<(BTreeMap<String, Kind>, String)> {
    let preparation = config.preparation()?;
    let kind = |name: &str| name.parse::<Kind>();
    let mut types = BTreeMap::new();
    for input in &preparation.inputs {
        use search::config::preparation::ColumnKind;
        let name = match input.kind {
            ColumnKind::Number => "number",
            ColumnKind::Binary { .. } => "binary",
            ColumnKind::Category { .. } => "category",
            ColumnKind::Date { .. } => "date",
            ColumnKind::Text { .. } => "text",
        };
        types.insert(input.column.clone(), kind(name)?);
    }
    let target = preparation.target;
    types.insert(target.column.clone(), kind(target.kind.name())?);
    Ok((types, target.column))
}
