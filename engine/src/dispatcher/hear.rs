//! What becomes of a happening: its line in the journal, and its event for the conductor.

use std::collections::BTreeMap;

use results::journal::Reported;
use results::{Entry, Number};
use schedulers::conductor::Event;
use schedulers::protocol::{FailureKind, Report, TrialMessage, check_version};
use schedulers::{Attempt, TrialId};
use search::sampler::State;

use super::desk::{Flight, Purpose};
use super::dispatcher::Dispatcher;
use crate::backend::{Happening, LaunchId, Order};
use crate::error::Result;
use crate::output::News;

/// How long a probe or an evaluation may take beside twenty times the time that it is to measure for: a cold start, a pass
/// over a large part.
const TASK_PATIENCE_S: f64 = 30.0;

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
                self.observe(trial, epoch, best_score, State::Running);
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

    /// Ends a probe or an evaluation that does not come to an end: the conductor watches the legs of trials alone.
    pub(super) fn give_up_tasks(&mut self) {
        let patience = TASK_PATIENCE_S + 20.0 * self.setup.probe_seconds;
        let now_s = self.now.as_secs_f64();
        let stuck = |flight: &Flight| {
            let is_task = match flight.purpose {
                Purpose::Probe | Purpose::Evaluate { .. } => true,
                Purpose::Leg { .. } => false,
            };
            is_task && flight.fault.is_none() && now_s - flight.leg_began_s > patience
        };
        let ids: Vec<LaunchId> = self
            .desk
            .flights
            .iter()
            .filter(|(_, flight)| stuck(flight))
            .map(|(id, _)| *id)
            .collect();
        for id in ids {
            let text = format!("it took longer than {patience:.0} s");
            self.disown(id, FailureKind::Hung, text);
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
        if self.setup.is_program {
            self.take_score(trial, report.epoch, report.score);
        }
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
}
