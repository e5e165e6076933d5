//! What becomes of the end of a process: the trial waits, is paused, or is over.

use std::time::Duration;

use results::Entry;
use results::journal;
use schedulers::conductor::{Event, Exit};
use schedulers::protocol::TaskResult;
use schedulers::trial::{Outcome, Phase, StoppedBy};
use schedulers::{Attempt, TrialId};
use search::sampler::{Observation, State};

use super::desk::{Desk, Purpose};
use super::dispatcher::Dispatcher;
use crate::backend::LaunchId;
use crate::error::Result;
use crate::output::News;

impl Dispatcher<'_> {
    pub(super) fn on_exited(
        &mut self,
        id: LaunchId,
        how: Exit,
        message: Option<String>,
        leaked: bool,
    ) -> Result<()> {
        let Some(flight) = self.desk.land(id) else {
            return Ok(());
        };
        let (how, message) = flight.verdict(how, message);
        match flight.purpose {
            Purpose::Leg { trial, attempt } => {
                self.on_leg_exited(trial, attempt, how, message, leaked)
            }
            Purpose::Probe => {
                let event = match flight.result {
                    Some(TaskResult::Probe {
                        seconds_per_epoch,
                        fixed_seconds,
                        validation_seconds,
                        ..
                    }) => {
                        let testing = validation_seconds * self.setup.test_share;
                        self.keep_back(Duration::try_from_secs_f64(testing).unwrap_or_default());
                        self.entries.push(Entry::Probed {
                            seconds_per_epoch,
                            fixed_seconds,
                        });
                        Event::Probed {
                            seconds_per_epoch,
                            fixed_seconds,
                        }
                    }
                    Some(TaskResult::Evaluate { .. }) | None => {
                        let cause =
                            message.unwrap_or_else(|| "it ended without a result".to_owned());
                        self.talk.tell(
                            self.now.0,
                            &News::Warning(format!("an epoch could not be timed: {cause}")),
                        );
                        self.entries.push(Entry::ProbeFailed { cause });
                        Event::ProbeFailed
                    }
                };
                self.tell(event);
                Ok(())
            }
            Purpose::Evaluate { trial } => {
                if let Some(TaskResult::Evaluate { scores, seconds }) = flight.result {
                    self.on_evaluated(
                        trial,
                        scores,
                        Duration::try_from_secs_f64(seconds).unwrap_or_default(),
                    );
                }
                Ok(())
            }
        }
    }

    fn on_leg_exited(
        &mut self,
        trial: TrialId,
        attempt: Attempt,
        how: Exit,
        message: Option<String>,
        leaked: bool,
    ) -> Result<()> {
        self.take_model(trial)?;
        if let (Exit::Failed(failure), Some(seat)) = (how, self.desk.seats.get_mut(&trial)) {
            seat.last_words = Some(
                message
                    .clone()
                    .map_or(failure.to_string(), |words| format!("{failure}: {words}")),
            );
        }
        self.entries.push(Entry::Exited {
            trial: trial.0,
            attempt: attempt.0,
            how,
            message,
            leaked,
        });
        self.tell(Event::Exited {
            trial,
            attempt,
            how,
        });
        self.settle(trial);
        if trial == TrialId::BASELINE && how == Exit::Ok && self.setup.test_share > 0.0 {
            let model = Desk::trial_dir(&self.setup.folder, trial).join("model");
            self.evaluate(trial, &model)?;
        }
        Ok(())
    }

    /// Writes down where a trial without a process stands.
    pub(super) fn settle(&mut self, trial: TrialId) {
        let Some(phase) = self
            .conductor
            .trial(trial)
            .map(|trial| trial.phase().clone())
        else {
            return;
        };
        match phase {
            Phase::Pending => self.entries.push(Entry::TrialWaits {
                trial: trial.0,
                paused: false,
            }),
            Phase::Paused => self.entries.push(Entry::TrialWaits {
                trial: trial.0,
                paused: true,
            }),
            Phase::Finished { outcome } => self.finish(trial, outcome),
            Phase::Launching { .. } | Phase::Running { .. } | Phase::Stopping { .. } => {}
        }
    }

    fn finish(&mut self, trial: TrialId, outcome: Outcome) {
        let Some(seat) = self.desk.seats.get_mut(&trial) else {
            return;
        };
        if seat.outcome.is_some() {
            return;
        }
        let (outcome, cause) = match outcome {
            Outcome::Completed => (journal::Outcome::Completed, None),
            Outcome::Stopped { by } => (journal::Outcome::Stopped, Some(stopper(by).to_owned())),
            Outcome::Failed { kind } => {
                let words = seat.last_words.clone().unwrap_or_else(|| kind.to_string());
                (journal::Outcome::Failed, Some(words))
            }
        };
        seat.outcome = Some(outcome);
        seat.last_words.clone_from(&cause);
        if !self.setup.is_program {
            // What is over is never gone on with; its model stands beside it. What cannot be removed is only in the way.
            let _ = std::fs::remove_dir_all(seat.dir.join("checkpoint"));
        }
        let news = News::TrialEnded {
            trial: trial.0,
            outcome: outcome.word().to_owned(),
            cause: cause.clone(),
        };
        self.talk.tell(self.now.0, &news);
        self.entries.push(Entry::TrialEnded {
            trial: trial.0,
            outcome,
            cause,
        });
        let standing = self
            .conductor
            .trial(trial)
            .and_then(|trial| trial.standing());
        let best = standing.map_or(f64::NAN, |standing| {
            standing.score.raw(self.setup.direction)
        });
        let epoch = self.desk.seats.get(&trial).map_or(0, |seat| seat.epoch);
        self.observe(trial, epoch, best, state(outcome));
    }

    /// Tells the sampler how a trial stands.
    pub(super) fn observe(&mut self, trial: TrialId, epoch: u32, best: f64, state: State) {
        if trial == TrialId::BASELINE {
            return;
        }
        let full = self
            .desk
            .seats
            .get(&trial)
            .map_or(1, |seat| seat.full.max(1));
        self.candidates.tell(&Observation {
            trial: u64::from(trial.0),
            resource: epoch,
            fraction: f64::from(epoch) / f64::from(full),
            loss: self.score(best).loss(),
            state,
        });
    }
}

/// How a trial that ended stands for a sampler.
pub(super) fn state(outcome: journal::Outcome) -> State {
    match outcome {
        journal::Outcome::Completed => State::Completed,
        journal::Outcome::Stopped => State::Stopped,
        journal::Outcome::Failed => State::Failed,
    }
}

fn stopper(by: StoppedBy) -> &'static str {
    match by {
        StoppedBy::Rung => "not among the best of a rung",
        StoppedBy::User => "stopped by its user",
    }
}
