//! What becomes of a happening: its line in the journal, and its event for the conductor.

use std::collections::BTreeMap;
use std::time::Duration;

use results::journal::{self, Reported};
use results::{Entry, Number};
use schedulers::conductor::{Event, Exit};
use schedulers::protocol::{FailureKind, Report, TaskResult, TrialMessage, check_version};
use schedulers::trial::{Outcome, Phase, StoppedBy};
use schedulers::{Attempt, TrialId};
use search::sampler::Observation;

use super::desk::{Desk, Purpose};
use super::dispatcher::Dispatcher;
use crate::backend::{Happening, LaunchId, Order};
use crate::error::Result;
use crate::output::News;

impl Dispatcher<'_> {
    /// Takes one happening.
    pub(super) fn hear(&mut self, happening: Happening) -> Result<()> {
        match happening {
            Happening::LauncherReady => {}
            Happening::LauncherDied { restarts, again } => self.on_launcher_died(restarts, again),
            Happening::Started { .. } => {}
            Happening::Said { id, message } => {
                let Some(flight) = self.desk.flights.get(&id) else {
                    return Ok(());
                };
                match flight.purpose {
                    Purpose::Leg { trial, attempt } => {
                        self.on_trial_said(id, trial, attempt, message)?
                    }
                    Purpose::Probe | Purpose::Evaluate { .. } => self.on_task_said(id, message),
                }
            }
            Happening::Exited {
                id,
                how,
                message,
                leaked,
            } => self.on_exited(id, how, message, leaked)?,
        }
        Ok(())
    }

    /// Launches without a hello are lost to the conductor: their processes must not live on.
    fn on_launcher_died(&mut self, restarts: u32, again: bool) {
        self.entries.push(Entry::LauncherDied { restarts });
        if !again {
            let text = "the launcher keeps dying; trials start cold from now on".to_owned();
            self.talk.tell(self.now.0, &News::Warning(text));
        }
        for (id, flight) in &mut self.desk.flights {
            if !flight.is_ready && matches!(flight.purpose, Purpose::Leg { .. }) {
                self.backend.order(*id, Order::KillNow);
            }
        }
        self.tell(Event::LauncherDied);
    }

    fn on_trial_said(
        &mut self,
        id: LaunchId,
        trial: TrialId,
        attempt: Attempt,
        message: TrialMessage,
    ) -> Result<()> {
        match message {
            TrialMessage::Hello {
                version,
                pid,
                trial: its_trial,
                attempt: its_attempt,
            } => {
                if let Err(error) = check_version(version) {
                    self.disown(id, FailureKind::WrongVersion, error.to_string());
                } else if (its_trial, its_attempt) != (trial.0, attempt.0) {
                    let text =
                        format!("it says that it is attempt {its_attempt} of trial {its_trial}");
                    self.disown(id, FailureKind::Internal, text);
                } else {
                    self.on_ready(id);
                    self.entries.push(Entry::LegReady {
                        trial: trial.0,
                        attempt: attempt.0,
                        pid,
                    });
                    self.tell(Event::Hello { trial, attempt });
                }
            }
            TrialMessage::Started { .. }
            | TrialMessage::Failed { .. }
            | TrialMessage::Result(_) => {}
            TrialMessage::Heartbeat { step } => self.tell(Event::Heartbeat {
                trial,
                attempt,
                step,
            }),
            TrialMessage::Report(report) => self.on_report(trial, attempt, report),
            TrialMessage::Checkpoint { epoch } => {
                self.entries.push(Entry::Checkpointed {
                    trial: trial.0,
                    attempt: attempt.0,
                    epoch,
                });
                self.tell(Event::Checkpointed {
                    trial,
                    attempt,
                    epoch,
                });
            }
            TrialMessage::LegEnd {
                epoch,
                best_epoch,
                best_score,
                train_s,
            } => {
                let now_s = self.now.as_secs_f64();
                let flight = self.desk.flights.get_mut(&id);
                let began = flight.map_or(now_s, |flight| {
                    std::mem::replace(&mut flight.leg_began_s, now_s)
                });
                let seconds = now_s - began;
                self.entries.push(Entry::LegEnded {
                    trial: trial.0,
                    attempt: attempt.0,
                    epoch,
                    best_epoch,
                    best_score: Number(best_score),
                    train_s,
                    seconds,
                });
                self.take_model(trial)?;
                self.observe(trial, epoch, best_score, false);
                let best = self.score(best_score);
                self.tell(Event::LegEnded {
                    trial,
                    attempt,
                    epoch,
                    best,
                    seconds,
                });
            }
        }
        Ok(())
    }

    fn on_ready(&mut self, id: LaunchId) {
        let now_s = self.now.as_secs_f64();
        if let Some(flight) = self.desk.flights.get_mut(&id) {
            flight.is_ready = true;
            flight.leg_began_s = now_s;
        }
    }

    /// Ends a process that is not what it should be.
    fn disown(&mut self, id: LaunchId, failure: FailureKind, why: String) {
        if let Some(flight) = self.desk.flights.get_mut(&id) {
            flight.fault = Some((failure, why));
        }
        self.backend.order(id, Order::KillNow);
    }

    fn on_report(&mut self, trial: TrialId, attempt: Attempt, report: Report) {
        let numbers = |scores: BTreeMap<String, f64>| {
            scores
                .into_iter()
                .map(|(name, score)| (name, Number(score)))
                .collect()
        };
        if let Some(seat) = self.desk.seats.get_mut(&trial) {
            seat.epoch = report.epoch;
            seat.best = report.best_score;
        }
        let news = News::Reported {
            trial: trial.0,
            epoch: report.epoch,
            score: report.score,
        };
        self.talk.tell(self.now.0, &news);
        let event = Event::Reported {
            trial,
            attempt,
            epoch: report.epoch,
            score: self.score(report.score),
            seconds: report.train_s + report.eval_s,
        };
        self.entries.push(Entry::Reported(Reported {
            trial: trial.0,
            attempt: attempt.0,
            epoch: report.epoch,
            loss: Number(report.loss),
            score: Number(report.score),
            scores: numbers(report.scores),
            best_epoch: report.best_epoch,
            best_score: Number(report.best_score),
            train_s: report.train_s,
            eval_s: report.eval_s,
        }));
        self.tell(event);
    }

    /// A probe or an evaluation: only its result counts.
    fn on_task_said(&mut self, id: LaunchId, message: TrialMessage) {
        match message {
            TrialMessage::Hello { version, .. } => match check_version(version) {
                Ok(()) => self.on_ready(id),
                Err(error) => self.disown(id, FailureKind::WrongVersion, error.to_string()),
            },
            TrialMessage::Result(result) => {
                if let Some(flight) = self.desk.flights.get_mut(&id) {
                    flight.result = Some(result);
                }
            }
            TrialMessage::Started { .. }
            | TrialMessage::Heartbeat { .. }
            | TrialMessage::Report(_)
            | TrialMessage::Checkpoint { .. }
            | TrialMessage::LegEnd { .. }
            | TrialMessage::Failed { .. } => {}
        }
    }

    fn on_exited(
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
        self.observe(trial, epoch, best, true);
    }

    /// Tells the sampler how a trial stands.
    pub(super) fn observe(&mut self, trial: TrialId, epoch: u32, best: f64, done: bool) {
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
            done,
        });
    }
}

fn stopper(by: StoppedBy) -> &'static str {
    match by {
        StoppedBy::Rung => "not among the best of a rung",
        StoppedBy::User => "stopped by its user",
    }
}
