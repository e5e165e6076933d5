//! What becomes of a decision: first its line in the journal, then the deed.

use std::fs;
use std::path::Path;

use results::Entry;
use results::journal::Outcome;
use schedulers::conductor::{Effect, Event};
use schedulers::protocol::{
    Command, EvaluateTask, FailureKind, ProbeTask, Task, TaskSpec, TrainOn, TrainTask,
};
use schedulers::{Attempt, SlotId, TrialId};

use super::candidates::Candidate;
use super::desk::{Desk, Purpose, Seat};
use super::dispatcher::Dispatcher;
use crate::backend::{Launch, Order};
use crate::error::{Error, Result};
use crate::output::News;

/// Time between two checkpoints within a leg; the trial itself takes fewer when they are dear.
const CHECKPOINT_EVERY_S: f64 = 2.0;

/// So many trials that fail from the first on are enough to know that all will.
const HOPELESS: usize = 10;

/// What is done after the commit.
#[derive(Debug)]
pub(super) enum Act {
    Launch(Leg),
    Order(TrialId, Order),
    Probe(SlotId),
    End,
}

/// A leg to launch.
#[derive(Debug)]
pub(super) struct Leg {
    trial: TrialId,
    attempt: Attempt,
    slot: SlotId,
    from: u32,
    to: u32,
    full: u32,
}

impl Dispatcher<'_> {
    /// Writes down what will be done, and puts it off until that is committed. Making a config is done
    /// here: a trial's folder stands before its entry, its entry before its process.
    pub(super) fn prepare(&mut self, effect: Effect, acts: &mut Vec<Act>) -> Result<()> {
        let ask = |trial: TrialId, what: &str| Entry::Asked {
            trial: trial.0,
            what: what.to_owned(),
        };
        match effect {
            Effect::Ask { trial } => self.suggest(trial)?,
            Effect::Probe { slot } => acts.push(Act::Probe(slot)),
            Effect::Launch {
                trial,
                attempt,
                slot,
                from,
                to,
                full,
                retry_of,
            } => {
                self.entries.push(Entry::LegStarted {
                    trial: trial.0,
                    attempt: attempt.0,
                    slot: slot.0,
                    from,
                    to,
                    full,
                    retry_of,
                });
                if retry_of == Some(FailureKind::OutOfMemory) {
                    self.halve(trial)?;
                }
                acts.push(Act::Launch(Leg {
                    trial,
                    attempt,
                    slot,
                    from,
                    to,
                    full,
                }));
            }
            Effect::Continue { trial, to } => {
                let from = self.desk.seats.get(&trial).map_or(0, |seat| seat.epoch);
                self.entries.push(Entry::LegContinued {
                    trial: trial.0,
                    from,
                    to,
                });
                acts.push(Act::Order(trial, Order::Tell(Command::Continue { to })));
            }
            Effect::Pause { trial } => {
                self.entries.push(ask(trial, "pause"));
                acts.push(Act::Order(trial, Order::Tell(Command::Pause)));
            }
            Effect::Stop { trial, .. } => {
                self.entries.push(ask(trial, "stop"));
                acts.push(Act::Order(trial, Order::Tell(Command::Stop)));
            }
            Effect::Kill { trial, .. } => {
                self.entries.push(ask(trial, "kill"));
                acts.push(Act::Order(trial, Order::Kill));
            }
            Effect::Record(decision) => {
                self.tell_decision(&decision);
                self.entries.push(Entry::Decided { decision });
            }
            Effect::Entered(phase) => self.entered(phase),
            Effect::RunEnded => acts.push(Act::End),
        }
        Ok(())
    }

    /// Does it.
    pub(super) fn act(&mut self, act: Act) -> Result<()> {
        match act {
            Act::Launch(leg) => self.launch(&leg),
            Act::Probe(slot) => self.probe(slot),
            Act::Order(trial, order) => {
                if let Some(id) = self.desk.launch_of(trial) {
                    self.backend.order(id, order);
                }
                Ok(())
            }
            Act::End => {
                self.ended();
                Ok(())
            }
        }
    }

    fn suggest(&mut self, trial: TrialId) -> Result<()> {
        if let Some(cause) = self.why_hopeless() {
            let text =
                format!("the first {HOPELESS} trials all failed, and no more are begun: {cause}");
            self.talk.tell(self.now.0, &News::Warning(text));
            self.exhausted(trial);
            return Ok(());
        }
        match self.candidates.ask(trial) {
            Ok(Some(candidate)) => {
                let class = candidate.class;
                self.seat(trial, candidate)?;
                self.tell(Event::Suggested { trial, class });
            }
            Ok(None) => self.exhausted(trial),
            Err(fault) => {
                let text =
                    format!("the sampler proposes nothing that a config can be made of: {fault}");
                self.talk.tell(self.now.0, &News::Warning(text));
                self.exhausted(trial);
            }
        }
        Ok(())
    }

    /// The last cause, when the first trials failed one and all: more would fail likewise.
    fn why_hopeless(&self) -> Option<String> {
        let mut searched = self
            .desk
            .seats
            .iter()
            .filter(|(trial, _)| **trial != TrialId::BASELINE);
        let is_failed = |seat: &Seat| seat.outcome == Some(Outcome::Failed);
        let is_hopeless = searched.clone().count() >= HOPELESS
            && searched
                .all(|(_, seat)| is_failed(seat) || seat.best.is_nan() && seat.outcome.is_none());
        let last = self.desk.seats.values().rev().find(|seat| is_failed(seat));
        last.filter(|_| is_hopeless)
            .map(|seat| seat.last_words.clone().unwrap_or_default())
    }

    fn exhausted(&mut self, trial: TrialId) {
        self.entries.push(Entry::SpaceExhausted { trial: trial.0 });
        self.tell(Event::SpaceExhausted { trial });
    }

    /// Makes a trial's folder and its entry.
    pub(super) fn seat(&mut self, trial: TrialId, candidate: Candidate) -> Result<()> {
        let dir = Desk::trial_dir(&self.setup.folder, trial);
        fs::create_dir_all(&dir).map_err(Error::file("create", &dir))?;
        write(&dir.join("config.yaml"), &candidate.yaml)?;
        self.entries.push(Entry::TrialCreated {
            trial: trial.0,
            class: candidate.class.0,
            origin: candidate.origin.clone(),
            parameters: candidate.parameters.clone(),
        });
        self.desk
            .seat(trial, dir, candidate.origin, candidate.parameters);
        Ok(())
    }

    /// Halves the batch of a trial that ran out of memory. A config that cannot be halved stays.
    fn halve(&mut self, trial: TrialId) -> Result<()> {
        let Some(seat) = self.desk.seats.get_mut(&trial) else {
            return Ok(());
        };
        seat.halvings += 1;
        if let Ok(yaml) = self.candidates.halved(&seat.parameters, seat.halvings)
            && trial != TrialId::BASELINE
        {
            write(&seat.dir.join("config.yaml"), &yaml)?;
        }
        Ok(())
    }

    fn launch(&mut self, leg: &Leg) -> Result<()> {
        let purpose = Purpose::Leg {
            trial: leg.trial,
            attempt: leg.attempt,
        };
        let id = self
            .desk
            .take_off(purpose, Some(leg.slot), self.now.as_secs_f64());
        let Some(seat) = self.desk.seats.get_mut(&leg.trial) else {
            return Ok(());
        };
        seat.full = leg.full;
        seat.epoch = leg.from;
        let news = News::LegStarted {
            trial: leg.trial.0,
            origin: seat.origin.clone(),
            from: leg.from,
            to: leg.to,
        };
        let dir = seat.dir.clone();
        let task = Task::Train(TrainTask {
            trial: leg.trial.0,
            attempt: leg.attempt.0,
            config: dir.join("config.yaml"),
            prepared: self.setup.prepared.clone(),
            trial_dir: dir.clone(),
            from: leg.from,
            to: leg.to,
            full: leg.full,
            epoch_rows: self.setup.epoch_rows,
            seed: search::seed::derive(self.setup.seed, "trial", u64::from(leg.trial.0)),
            metric: self.setup.metric.clone(),
            on: TrainOn::Train,
            checkpoint_every_s: CHECKPOINT_EVERY_S,
        });
        self.spawn(id, &dir, task, Some(leg.slot))?;
        self.talk.tell(self.now.0, &news);
        Ok(())
    }

    /// Times an epoch of the tuned default.
    fn probe(&mut self, slot: SlotId) -> Result<()> {
        let dir = self.setup.folder.join("trials").join("probe");
        fs::create_dir_all(&dir).map_err(Error::file("create", &dir))?;
        let id = self
            .desk
            .take_off(Purpose::Probe, Some(slot), self.now.as_secs_f64());
        let config = dir.join("config.yaml");
        match self.candidates.default_config() {
            Ok(yaml) => write(&config, &yaml)?,
            Err(fault) => {
                return Err(Error::bug(format!(
                    "the base config cannot be trained: {fault}"
                )));
            }
        }
        let task = Task::Probe(ProbeTask {
            config,
            prepared: self.setup.prepared.clone(),
            seconds: self.setup.probe_seconds,
            epoch_rows: self.setup.epoch_rows,
        });
        self.spawn(id, &dir, task, Some(slot))
    }

    /// Scores the model in `model_dir` on the test part, beside the slots.
    pub(super) fn evaluate(&mut self, trial: TrialId, model_dir: &Path) -> Result<()> {
        let dir = Desk::trial_dir(&self.setup.folder, trial).join("test");
        fs::create_dir_all(&dir).map_err(Error::file("create", &dir))?;
        let id = self
            .desk
            .take_off(Purpose::Evaluate { trial }, None, self.now.as_secs_f64());
        let task = Task::Evaluate(EvaluateTask {
            model_dir: model_dir.to_owned(),
            prepared: self.setup.prepared.clone(),
            part: "test".to_owned(),
            metrics: self.setup.metrics.clone(),
        });
        self.spawn(id, &dir, task, None)
    }

    fn spawn(
        &mut self,
        id: crate::backend::LaunchId,
        dir: &Path,
        task: Task,
        slot: Option<SlotId>,
    ) -> Result<()> {
        let mut spec = TaskSpec::new(task);
        spec.memory_limit_bytes = self.setup.memory_limit_bytes;
        if let Some(slot) = slot.and_then(|slot| self.setup.slots.get(slot.0 as usize)) {
            spec.threads = u32::try_from(slot.cpus.len()).unwrap_or(1).max(1);
            spec.cpus.clone_from(&slot.cpus);
            spec.gpu.clone_from(&slot.gpu);
        }
        let path = dir.join("spec.json");
        let text = spec
            .to_json()
            .map_err(|error| Error::bug(format!("a task that cannot be written: {error}")))?;
        write(&path, &text)?;
        self.backend.launch(Launch {
            id,
            spec: path,
            dir: dir.to_owned(),
        });
        Ok(())
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(Error::file("write", path))
}
