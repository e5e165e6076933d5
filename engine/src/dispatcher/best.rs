//! The best model so far, and the baseline beside it.

use std::collections::BTreeMap;
use std::time::Duration;

use results::journal::Evaluation;
use results::{Entry, Number};
use schedulers::conductor::Event;
use schedulers::{TrialId, budget};

use super::desk::Desk;
use super::dispatcher::Dispatcher;
use crate::error::{Error, Result};
use crate::output::News;

/// What writing the last files of a run may take.
pub const WRITING: Duration = Duration::from_millis(250);

/// What the end takes beside evaluating: the last trials let go of their slots, the last files are written.
const PACKAGING: Duration = Duration::from_millis(100).saturating_add(WRITING);

impl Dispatcher<'_> {
    /// Makes the model of a trial the model of the run, if it is there and better.
    pub(super) fn take_model(&mut self, trial: TrialId) -> Result<()> {
        let said = self
            .desk
            .seats
            .get(&trial)
            .map_or(f64::NAN, |seat| seat.best);
        if !self.is_better(said) {
            return Ok(());
        }
        let from = Desk::trial_dir(&self.setup.folder, trial).join("model");
        if !from.is_dir() {
            return Ok(());
        }
        let Ok(about) = self.model.stage(&from) else {
            // Killed while it wrote its first model: there is nothing to take.
            return self
                .model
                .unstage()
                .map_err(Error::file("write", self.model.path()));
        };
        let raw = about
            .scores
            .get(&self.setup.metric)
            .copied()
            .unwrap_or(f64::NAN);
        let done = if self.is_better(raw) {
            self.model.exchange()
        } else {
            self.model.unstage()
        };
        done.map_err(Error::file("write", self.model.path()))?;
        if !self.is_better(raw) {
            return Ok(());
        }
        let chosen = Evaluation {
            trial: Some(trial.0),
            epoch: about.epoch.unwrap_or_default(),
            part: "validation".to_owned(),
            metric: self.setup.metric.clone(),
            score: Number(raw),
            scores: about
                .scores
                .into_iter()
                .map(|(name, score)| (name, Number(score)))
                .collect(),
        };
        let news = News::BestChanged {
            trial: trial.0,
            epoch: chosen.epoch,
            score: raw,
        };
        self.talk.tell(self.now.0, &news);
        self.entries.push(Entry::ModelChosen(chosen.clone()));
        self.best = Some(chosen);
        Ok(())
    }

    /// Remembers the score of a program, if it is the best so far.
    pub(super) fn take_score(&mut self, trial: TrialId, epoch: u32, score: f64) {
        if !score.is_finite() || !self.is_better(score) {
            return;
        }
        let news = News::BestChanged {
            trial: trial.0,
            epoch,
            score,
        };
        self.talk.tell(self.now.0, &news);
        self.best = Some(Evaluation {
            trial: Some(trial.0),
            epoch,
            part: "validation".to_owned(),
            metric: self.setup.metric.clone(),
            score: Number(score),
            scores: BTreeMap::new(),
        });
    }

    /// Whether a score beats the model that stands.
    fn is_better(&self, raw: f64) -> bool {
        self.best
            .as_ref()
            .is_none_or(|best| self.score(raw) < self.score(best.score.0))
    }

    /// The baseline was scored on the test part: kept for the summary.
    pub(super) fn on_evaluated(
        &mut self,
        trial: TrialId,
        scores: BTreeMap<String, f64>,
        took: Duration,
    ) {
        let raw = scores.get(&self.setup.metric).copied().unwrap_or(f64::NAN);
        self.entries.push(Entry::Evaluated(Evaluation {
            trial: Some(trial.0),
            epoch: self.desk.seats.get(&trial).map_or(0, |seat| seat.epoch),
            part: "test".to_owned(),
            metric: self.setup.metric.clone(),
            score: Number(raw),
            scores: scores
                .iter()
                .map(|(name, score)| (name.clone(), Number(*score)))
                .collect(),
        }));
        self.baseline_test = Some(scores);
        self.keep_back(took);
    }

    /// Keeps back enough for a model that takes `testing` to be scored on the test part. Never less than before: the
    /// baseline is quicker than a network, or slower, and either may be the model in the end.
    pub(super) fn keep_back(&mut self, testing: Duration) {
        let Some(end) = self.setup.rules.limits.end else {
            return;
        };
        // Whole milliseconds, so that the journal holds what the conductor is told.
        let reserve_ms = budget::reserve(testing + PACKAGING, end.0).as_millis();
        let reserve_ms = u64::try_from(reserve_ms).unwrap_or(u64::MAX);
        let reserve = Duration::from_millis(reserve_ms);
        if reserve <= self.reserve {
            return;
        }
        self.reserve = reserve;
        self.entries.push(Entry::ReserveMeasured { reserve_ms });
        self.tell(Event::ReserveMeasured { reserve });
    }
}
