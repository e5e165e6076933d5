//! The loop: what happens is handed to the conductor, what comes back is written down, then done.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use results::journal::{self, Evaluation};
use results::{Entry, Store};
use schedulers::conductor::{Conductor, Effect, Event, Phase, Rules, StopBy, TICK};
use schedulers::{Direction, RunTime, Score, TrialId};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use super::candidates::Candidates;
use super::desk::Desk;
use super::model_folder::ModelFolder;
use crate::backend::{Happening, Local};
use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::output::{News, Talk};
use crate::run_plan::Slot;
use crate::signal::{Asked, Signals, Wish};

/// What a search is given.
pub struct Setup<'a> {
    /// The run's folder.
    pub folder: PathBuf,
    /// The folder of prepared arrays.
    pub prepared: PathBuf,
    /// What the conductor keeps to.
    pub rules: Rules,
    /// Where trials run.
    pub slots: &'a [Slot],
    /// The most memory one trial may take.
    pub memory_limit_bytes: Option<u64>,
    /// The seed of the run.
    pub seed: u64,
    /// The metric of the run, by name.
    pub metric: String,
    /// Whether more of it is better.
    pub direction: Direction,
    /// What a finished model is scored by.
    pub metrics: Vec<String>,
    /// Rows of the test part for each of the validation part; 0 where there is nothing to test on.
    pub test_share: f64,
    /// Rows of one epoch when it is less than a pass.
    pub epoch_rows: Option<u64>,
    /// How long an epoch may be timed for.
    pub probe_seconds: f64,
    /// The model that stands already, with its score if it has one; of a program, its best trial so far.
    pub standing: Option<Evaluation>,
    /// Trials are programs of the user's: there is no model but what they keep themselves, and that stays.
    pub is_program: bool,
}

/// What a search has come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The model in the run's folder.
    pub best: Option<Evaluation>,
    /// The baseline's scores on the test part.
    pub baseline_test: Option<BTreeMap<String, f64>>,
    /// Trials begun, the baseline among them.
    pub n_trials: u32,
    /// Trials begun, the baseline not counted.
    pub n_searched: u32,
    /// How many of those failed.
    pub n_failed: u32,
    /// Why they failed: cause, how many.
    pub causes: BTreeMap<String, u32>,
    /// Somebody asked for the end.
    pub stopped_by: Option<StopBy>,
}

/// One search, from its first slot to its last process.
pub struct Dispatcher<'a> {
    pub(super) setup: Setup<'a>,
    pub(super) clock: Clock,
    pub(super) talk: &'a dyn Talk,
    pub(super) store: &'a Store,
    pub(super) conductor: Conductor,
    pub(super) candidates: Candidates,
    pub(super) backend: Local,
    pub(super) happenings: mpsc::Receiver<Happening>,
    pub(super) desk: Desk,
    pub(super) model: ModelFolder,
    pub(super) best: Option<Evaluation>,
    pub(super) baseline_test: Option<BTreeMap<String, f64>>,
    /// Time kept back before the end, as the conductor has it.
    pub(super) reserve: Duration,
    pub(super) opening: Opening,
    /// The time of this turn of the loop; all that happens in it happens now.
    pub(super) now: RunTime,
    /// To be written in this turn.
    pub(super) entries: Vec<Entry>,
    /// To be done in this turn, once the entries are written.
    pub(super) effects: Vec<Effect>,
    wish: Wish,
    told_at: RunTime,
    has_ended: bool,
}

/// How a search begins.
#[derive(Debug, Clone, Copy)]
pub(super) enum Opening {
    /// From nothing.
    First,
    /// Where an earlier process left it, with so much more time.
    Again { added: Duration },
}

/// How often the standing of the search is told.
const TELL_EVERY: Duration = Duration::from_millis(250);

impl<'a> Dispatcher<'a> {
    /// A search that is about to begin, on a backend that is open.
    pub fn new(
        setup: Setup<'a>,
        candidates: Candidates,
        backend: (Local, mpsc::Receiver<Happening>),
        clock: Clock,
        store: &'a Store,
        talk: &'a dyn Talk,
    ) -> Self {
        let now = clock.now();
        let reserve = setup.rules.reserve;
        let conductor = Conductor::new(setup.rules.clone(), now);
        let model = ModelFolder::of_run(&setup.folder);
        Self {
            best: setup.standing.clone(),
            setup,
            clock,
            talk,
            store,
            conductor,
            candidates,
            backend: backend.0,
            happenings: backend.1,
            desk: Desk::default(),
            model,
            baseline_test: None,
            reserve,
            opening: Opening::First,
            now,
            entries: Vec::new(),
            effects: Vec::new(),
            wish: Wish::default(),
            told_at: RunTime::ZERO,
            has_ended: false,
        }
    }

    /// Runs the search to its end. The processes of its trials are gone when this returns.
    pub async fn run(&mut self, signals: &mut Signals) -> Result<Outcome> {
        match self.opening {
            Opening::First => self.begin()?,
            Opening::Again { added } => self.begin_again(added),
        }
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.commit_and_act().await?;
        while !self.has_ended {
            let woken = tokio::select! {
                happening = self.happenings.recv() => Woken::By(happening),
                wish = signals.changed() => Woken::Wish(wish),
                _ = ticks.tick() => Woken::Tick,
            };
            self.now = self.clock.now();
            match woken {
                Woken::By(happening) => self.hear_all(happening)?,
                Woken::Wish(wish) => self.on_wish(wish),
                Woken::Tick => self.on_tick(),
            }
            self.commit_and_act().await?;
            self.tell_standing();
        }
        Ok(self.outcome())
    }

    /// Hands the backend on, for what is left to do after the search.
    pub fn into_backend(self) -> (Local, mpsc::Receiver<Happening>) {
        (self.backend, self.happenings)
    }

    fn begin(&mut self) -> Result<()> {
        self.entries.push(Entry::RulesSettled {
            rules: self.setup.rules.clone(),
        });
        if let Some(baseline) = self.candidates.baseline() {
            self.seat(TrialId::BASELINE, baseline)?;
        }
        self.open_slots();
        Ok(())
    }

    pub(super) fn open_slots(&mut self) {
        let slots: Vec<u32> = (0..)
            .zip(self.setup.slots)
            .map(|(number, _)| number)
            .collect();
        self.entries.push(Entry::SlotsOpened {
            slots: slots.clone(),
        });
        self.tell(Event::SlotsOpened {
            slots: slots.into_iter().map(schedulers::SlotId).collect(),
        });
    }

    /// Takes what happened and whatever else has happened by now: one commit for all of it.
    fn hear_all(&mut self, first: Option<Happening>) -> Result<()> {
        let mut next = first;
        while let Some(happening) = next {
            self.hear(happening)?;
            next = self.happenings.try_recv().ok();
        }
        Ok(())
    }

    /// Tells the conductor, and keeps what it wants done.
    pub(super) fn tell(&mut self, event: Event) {
        self.effects.extend(self.conductor.handle(self.now, event));
    }

    /// What time alone calls for.
    fn on_tick(&mut self) {
        self.give_up_tasks();
        for event in self.conductor.due(self.now) {
            // `due` gives these two and no other.
            let entry = if let Event::Unresponsive {
                trial,
                attempt,
                sign,
            } = event
            {
                Entry::Unresponsive {
                    trial: trial.0,
                    attempt: attempt.0,
                    sign,
                }
            } else {
                Entry::TimeIsUp
            };
            self.entries.push(entry);
            self.tell(event);
        }
    }

    fn on_wish(&mut self, wish: Wish) {
        let before = std::mem::replace(&mut self.wish, wish);
        if wish.suspended > before.suspended {
            let for_ms =
                u64::try_from((wish.suspended - before.suspended).as_millis()).unwrap_or(u64::MAX);
            self.entries.push(Entry::Suspended { for_ms });
        }
        let by = wish.by.unwrap_or(StopBy::User);
        if before.asked < Asked::Finish && wish.asked >= Asked::Finish {
            self.entries.push(Entry::StopAsked { by });
            self.tell(Event::StopAsked { by });
        }
        if wish.asked == Asked::Kill && before.asked < Asked::Kill {
            self.entries.push(Entry::KillAsked);
            self.tell(Event::KillAsked);
        }
    }

    /// The end of a turn: prepares what was decided, writes it down, does it. Preparing a trial's config
    /// can bring decisions of its own.
    async fn commit_and_act(&mut self) -> Result<()> {
        let mut acts = Vec::new();
        while !self.effects.is_empty() {
            for effect in std::mem::take(&mut self.effects) {
                self.prepare(effect, &mut acts)?;
            }
        }
        let entries = std::mem::take(&mut self.entries);
        self.store
            .append(self.now.0, entries)
            .await
            .map_err(Error::from)?;
        for act in acts {
            self.act(act)?;
        }
        Ok(())
    }

    /// The search has begun. Its own finish is one of its decisions; the phase of that name begins after it.
    pub(super) fn entered(&mut self, phase: Phase) {
        match phase {
            Phase::Search => self.entries.push(Entry::PhaseEntered {
                phase: "search".to_owned(),
            }),
            Phase::Finish | Phase::Done => {}
        }
    }

    /// Every process is gone.
    pub(super) fn ended(&mut self) {
        self.has_ended = true;
    }

    fn tell_standing(&mut self) {
        if self.now.since(self.told_at) < TELL_EVERY {
            return;
        }
        self.told_at = self.now;
        let seats = self.desk.seats.values();
        self.talk.tell(
            self.now.0,
            &News::Standing {
                n_trials: count(seats.len()),
                n_finished: count(seats.filter(|seat| seat.outcome.is_some()).count()),
                busy: self.desk.n_busy(),
                slots: self.setup.slots.len(),
                left: self.setup.rules.limits.end.map(|end| end.since(self.now)),
            },
        );
    }

    /// The score of a raw value of the run's metric.
    pub(super) fn score(&self, raw: f64) -> Score {
        Score::new(raw, self.setup.direction)
    }

    fn outcome(&self) -> Outcome {
        let searched = || {
            self.desk
                .seats
                .iter()
                .filter(|(trial, _)| **trial != TrialId::BASELINE)
        };
        let mut causes = BTreeMap::new();
        for (_, seat) in searched() {
            if seat.outcome == Some(journal::Outcome::Failed) {
                *causes
                    .entry(seat.last_words.clone().unwrap_or_default())
                    .or_default() += 1;
            }
        }
        Outcome {
            best: self.best.clone(),
            baseline_test: self.baseline_test.clone(),
            n_trials: count(self.desk.seats.len()),
            n_searched: count(searched().count()),
            n_failed: causes.values().sum(),
            causes,
            stopped_by: self.wish.by,
        }
    }
}

enum Woken {
    By(Option<Happening>),
    Wish(Wish),
    Tick,
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
