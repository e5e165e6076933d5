//! What every phase is given: the plan, the time, who listens, the journal; and how a phase is cut short.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use results::journal::Weight;
use results::{Entry, Store};
use schedulers::RunTime;

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::output::{News, Phase, Talk};
use crate::run_plan::RunPlan;
use crate::signal::Signals;

/// Time before the deadline that ending a run without a model takes.
const GOODBYE: Duration = Duration::from_millis(200);

/// A run under way.
pub(super) struct Stage<'a> {
    pub(super) plan: &'a RunPlan,
    pub(super) clock: &'a Clock,
    pub(super) talk: &'a dyn Talk,
    pub(super) store: &'a Store,
    /// The run's folder, absolute.
    pub(super) folder: &'a Path,
    pub(super) signals: Signals,
}

impl Stage<'_> {
    /// When the prompt must be back.
    pub(super) fn end(&self) -> Option<RunTime> {
        self.plan.limits.budget.map(RunTime)
    }

    /// Tells whoever listens.
    pub(super) fn tell(&self, news: &News) {
        self.talk.tell(self.clock.now().0, news);
    }

    /// Adds to the journal.
    pub(super) async fn write(&self, entries: Vec<Entry>) -> Result<()> {
        self.store.append(self.clock.now().0, entries).await?;
        Ok(())
    }

    /// A phase begins. The search tells its own.
    pub(super) async fn enter(&self, phase: Phase) -> Result<()> {
        self.tell(&News::PhaseBegan(phase));
        let name = match phase {
            Phase::Open => "open",
            Phase::Profile => "profile",
            Phase::Propose => "propose",
            Phase::Prepare => "prepare",
            Phase::Search => "search",
            Phase::Finish => "finish",
        };
        self.write(vec![Entry::PhaseEntered {
            phase: name.to_owned(),
        }])
        .await
    }

    /// Something odd about the data.
    pub(super) async fn finding(
        &self,
        is_warning: bool,
        column: Option<&str>,
        text: &str,
    ) -> Result<()> {
        let text = column.map_or_else(|| text.to_owned(), |column| format!("{column}: {text}"));
        self.tell(&if is_warning {
            News::Warning(text.clone())
        } else {
            News::Finding(text.clone())
        });
        let weight = if is_warning {
            Weight::Warning
        } else {
            Weight::Finding
        };
        self.write(vec![Entry::Noted { weight, text }]).await
    }

    /// Does `work`, unless the time is up or somebody asks for the end first: there is no model yet, and
    /// nothing to save. `doing` says what the time was spent on: "reading the table".
    pub(super) async fn in_time<T>(
        &mut self,
        doing: &str,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let end = self.end().map(|end| end - GOODBYE);
        let time_is_up = async {
            match end {
                Some(end) => self.clock.until(end).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            done = work => done,
            () = time_is_up => Err(too_short(doing, self.plan.limits.budget.unwrap_or_default())),
            wish = self.signals.stop() => Err(Error::Interrupted { by: wish.by.unwrap_or(schedulers::conductor::StopBy::User) }),
        }
    }
}

fn too_short(doing: &str, budget: Duration) -> Error {
    let enough = budget
        .saturating_mul(4)
        .max(Duration::from_secs(10))
        .as_secs();
    Error::environment(
        format!(
            "the budget of {:.1} s was over while {doing}: there is no model",
            budget.as_secs_f64()
        ),
        format!("give more time, as in --budget {enough}s"),
    )
}
