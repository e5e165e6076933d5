//! The conductor as a whole: its state, and one event after another.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Effect, Event, Full, Phase, Rules, Sign, StopReason};
use crate::budget::{self, Rates};
use crate::explain::{Decision, FinishWhy};
use crate::hyperband;
use crate::ids::{Attempt, Epochs, RunTime, TrialId};
use crate::scheduler::{self, Scheduler};
use crate::score::Standing;
use crate::slot::{Holder, Slots};
use crate::trial::{Course, IllegalTransition, Phase as TrialPhase, Trial, TrialEvent};

/// How often [`Conductor::due`] wants to be asked, at least.
pub const TICK: Duration = Duration::from_millis(100);

/// A process that has not said hello for so long after its launch is given up: a cold start on a busy machine with
/// a GPU takes a few seconds.
pub const LAUNCH_TIMEOUT: Duration = Duration::from_secs(30);

/// Decides what happens next in one run.
///
/// The dispatcher's loop: wait for an event or `TICK`; on `TICK` take the events of `due`; journal each event; hand it to
/// `handle`; journal and do the effects, in order. After a crash, a new conductor with the same rules is handed the
/// journalled events with their times, its effects are dropped (they were done), and `Resumed` follows.
///
/// Invariants after every event: a slot holds at most one live trial; every live trial holds a slot; a finished trial never
/// changes; nothing is launched past the deadline; while the run searches, no slot idles beside a trial that may be promoted.
#[derive(Debug)]
pub struct Conductor {
    pub(super) rules: Rules,
    pub(super) now: RunTime,
    pub(super) stage: Stage,
    pub(super) plan: Plan,
    pub(super) slots: Slots,
    pub(super) trials: BTreeMap<TrialId, Trial>,
    /// Trials in phase `Pending`.
    pub(super) pending: BTreeSet<TrialId>,
    /// Every trial of the search with a finite score, best first.
    pub(super) ranking: BTreeSet<Standing>,
    /// Those of `ranking` that are not finished.
    pub(super) open: BTreeSet<Standing>,
    /// Trials that the sampler was asked for and has not answered.
    pub(super) asked: BTreeSet<TrialId>,
    /// No trial under this number is free to be asked for.
    pub(super) next: TrialId,
    /// The sampler has said that there is nothing new.
    pub(super) exhausted: bool,
    pub(super) rates: Rates,
    /// Epochs trained by all trials of the search.
    pub(super) epochs_used: u64,
    /// Trials of the search that have trained in full.
    n_full: usize,
    /// When `due` was asked last.
    listened: Option<RunTime>,
    effects: Vec<Effect>,
}

/// Where the run stands. `Phase` is what is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Search,
    Finish(FinishWhy),
    /// What runs was told to go; its end is not waited for any longer than this.
    Draining {
        give_up: RunTime,
    },
    Ended,
}

/// Whether it is known how long trials are and how they are judged.
#[derive(Debug)]
pub(super) enum Plan {
    /// Not before the probe.
    Unsettled,
    /// It is.
    Settled(Box<dyn Scheduler>),
}

impl Conductor {
    /// A run that waits for its slots.
    #[must_use]
    pub fn new(rules: Rules, now: RunTime) -> Self {
        let mut conductor = Self {
            now,
            stage: Stage::Search,
            plan: Plan::Unsettled,
            slots: Slots::default(),
            trials: BTreeMap::new(),
            pending: BTreeSet::new(),
            ranking: BTreeSet::new(),
            open: BTreeSet::new(),
            asked: BTreeSet::new(),
            next: TrialId(1),
            exhausted: false,
            rates: Rates::default(),
            epochs_used: 0,
            n_full: 0,
            listened: None,
            effects: Vec::new(),
            rules,
        };
        if let Full::Fixed(full) = conductor.rules.full {
            conductor.settle(full);
        }
        if let Some(baseline) = conductor.rules.baseline {
            conductor.add(Trial::new(
                TrialId::BASELINE,
                crate::CostClass(u32::MAX),
                Course::Baseline,
                baseline.full,
                baseline.full,
            ));
        }
        conductor
    }

    /// Takes what has happened; returns what shall be done. Time that runs backwards stands still.
    pub fn handle(&mut self, now: RunTime, event: Event) -> Vec<Effect> {
        let before = self.now;
        self.now = self.now.max(now);
        match event {
            // It must change nothing but the pulse, not even the time: it is not in the journal.
            Event::Heartbeat {
                trial,
                attempt,
                step,
            } => {
                let now = std::mem::replace(&mut self.now, before);
                self.tell(trial, attempt, TrialEvent::Heartbeat { step, now });
                return std::mem::take(&mut self.effects);
            }
            Event::Tick => {}
            Event::Unresponsive {
                trial,
                attempt,
                sign,
            } => self.on_unresponsive(trial, attempt, sign),
            Event::SlotsOpened { slots } => self.slots.open(slots),
            Event::Suggested { trial, class } => self.on_suggested(trial, class),
            Event::SpaceExhausted { trial } => self.on_space_exhausted(trial),
            Event::Probed {
                seconds_per_epoch,
                fixed_seconds,
            } => self.on_probed(seconds_per_epoch, fixed_seconds),
            Event::ProbeFailed => self.on_probe_failed(),
            Event::Hello { trial, attempt } => {
                let now = self.now;
                self.tell(trial, attempt, TrialEvent::Hello { now });
            }
            Event::Reported {
                trial,
                attempt,
                epoch,
                score,
                seconds,
            } => {
                self.on_reported(trial, attempt, (epoch, score, seconds));
            }
            Event::Checkpointed {
                trial,
                attempt,
                epoch,
            } => {
                self.tell(trial, attempt, TrialEvent::Checkpointed { epoch });
            }
            Event::LegEnded {
                trial,
                attempt,
                epoch,
                best,
                seconds: _,
            } => self.on_leg_ended(trial, attempt, epoch, best),
            Event::Exited {
                trial,
                attempt,
                how,
            } => self.on_exited(trial, attempt, how),
            Event::LauncherDied => self.on_launcher_died(),
            Event::StopAsked { by: _ } => self.on_stop_asked(),
            Event::KillAsked => self.on_kill_asked(),
            Event::TrialStopAsked { trial } => self.on_trial_stop_asked(trial),
            Event::BudgetAdded { time } => self.on_budget_added(time),
            Event::ReserveMeasured { reserve } => self.rules.reserve = reserve,
            Event::Resumed => self.on_resumed(),
        }
        self.go_on();
        std::mem::take(&mut self.effects)
    }

    /// What time alone calls for: events to be journalled and handled like any other. Cheap; to be asked at
    /// least every `TICK`. When nobody asked for longer, the silence of processes meanwhile is forgiven.
    pub fn due(&mut self, now: RunTime) -> Vec<Event> {
        let now = self.now.max(now);
        let deaf = self
            .listened
            .map_or(Duration::ZERO, |listened| now.since(listened));
        self.listened = Some(now);
        let live: Vec<TrialId> = self.slots.trials().collect();
        let mut events = Vec::new();
        let mut is_due = self.is_change_due(now);
        for id in live {
            let Some(trial) = self.trials.get_mut(&id) else {
                continue;
            };
            if deaf > TICK * 20 {
                trial.forgive(deaf);
            }
            let sign = match trial.phase() {
                TrialPhase::Launching { since, .. } => {
                    (now.since(*since) > LAUNCH_TIMEOUT).then_some(Sign::Hello)
                }
                TrialPhase::Running { pulse, .. } if pulse.is_lost(now) => Some(Sign::Heartbeat),
                TrialPhase::Running { pulse, .. } if pulse.is_hung(now) => Some(Sign::Progress),
                TrialPhase::Stopping { deadline, .. } => {
                    is_due |= now >= *deadline;
                    None
                }
                TrialPhase::Running { .. }
                | TrialPhase::Pending
                | TrialPhase::Paused
                | TrialPhase::Finished { .. } => None,
            };
            events.extend(sign.map(|sign| Event::Unresponsive {
                trial: id,
                attempt: trial.attempt(),
                sign,
            }));
        }
        if is_due {
            events.push(Event::Tick);
        }
        events
    }

    /// What follows from the state, whatever has happened.
    fn go_on(&mut self) {
        self.record_found();
        self.kill_overdue();
        self.check_deadline();
        self.check_leader();
        self.wake();
        self.check_idle();
        self.check_drained();
    }

    /// The phase of the run.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match self.stage {
            Stage::Search => Phase::Search,
            Stage::Finish(_) => Phase::Finish,
            Stage::Draining { .. } | Stage::Ended => Phase::Done,
        }
    }

    /// The rules, as they stand now.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Full training, R, and where trials are judged; nothing before the probe.
    #[must_use]
    pub fn scheduler(&self) -> Option<&dyn Scheduler> {
        match &self.plan {
            Plan::Unsettled => None,
            Plan::Settled(scheduler) => Some(scheduler.as_ref()),
        }
    }

    /// All trials so far, by number.
    pub fn trials(&self) -> impl Iterator<Item = &Trial> {
        self.trials.values()
    }

    /// One trial.
    #[must_use]
    pub fn trial(&self, trial: TrialId) -> Option<&Trial> {
        self.trials.get(&trial)
    }

    /// Trials of the search with a finite score, best first.
    pub fn ranking(&self) -> impl Iterator<Item = &Standing> {
        self.ranking.iter()
    }

    /// Which level a sampler that learns from one level alone is to be fitted on (BOHB): the highest that enough trials
    /// have reached for so many parameters. Nothing while there is none.
    #[must_use]
    pub fn fit_level(&self, n_dimensions: usize) -> Option<Epochs> {
        let scheduler = self.scheduler()?;
        let rungs = scheduler.rungs();
        let mut reached: Vec<(Epochs, usize)> = rungs
            .judged()
            .iter()
            .copied()
            .zip(scheduler.sizes())
            .collect();
        reached.push((rungs.full(), self.n_full));
        hyperband::fit_level(&reached, n_dimensions)
    }

    /// Slots held, and slots in all.
    #[must_use]
    pub fn slots_busy(&self) -> (usize, usize) {
        (self.slots.len() - self.slots.n_free(), self.slots.len())
    }

    /// Settles R: builds the scheduler.
    pub(super) fn settle(&mut self, full: Epochs) {
        self.plan = Plan::Settled(scheduler::of_rules(&self.rules, full.max(1)));
    }

    /// Settles R where there is no clock to choose it by.
    pub(super) fn settle_untimed(&mut self) {
        self.settle(budget::choose_full_untimed(
            self.rules.limits.max_epochs,
            self.slots.len(),
        ));
    }

    pub(super) fn scheduler_mut(&mut self) -> Option<&mut dyn Scheduler> {
        match &mut self.plan {
            Plan::Unsettled => None,
            Plan::Settled(scheduler) => Some(scheduler.as_mut()),
        }
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(super) fn record(&mut self, decision: Decision) {
        self.effects.push(Effect::Record(decision));
    }

    /// Writes down what the scheduler has found about its rungs.
    fn record_found(&mut self) {
        let found = self.scheduler_mut().map(Scheduler::take_found);
        for found in found.into_iter().flatten() {
            self.record(found.into());
        }
    }

    /// Takes a new trial in.
    pub(super) fn add(&mut self, trial: Trial) {
        self.pending.insert(trial.id);
        self.trials.insert(trial.id, trial);
    }

    /// Hands an event to a trial's live process; false when that process is not there, or cannot take it.
    pub(super) fn tell(&mut self, id: TrialId, attempt: Attempt, event: TrialEvent) -> bool {
        let is_live = self
            .trials
            .get(&id)
            .is_some_and(|trial| trial.is_live() && trial.attempt() == attempt);
        is_live && self.apply(id, event)
    }

    /// Changes a trial, and all that is kept of it; false, with a record, when it cannot take the event.
    pub(super) fn apply(&mut self, id: TrialId, event: TrialEvent) -> bool {
        let Some(trial) = self.trials.get_mut(&id) else {
            return false;
        };
        let before = trial.standing();
        let was_finished = matches!(trial.phase(), TrialPhase::Finished { .. });
        let result = trial.apply(event);
        let standing = trial.standing();
        let (is_pending, is_live, is_finished) = (
            *trial.phase() == TrialPhase::Pending,
            trial.is_live(),
            matches!(trial.phase(), TrialPhase::Finished { .. }),
        );
        if trial.course != Course::Baseline && is_finished && !was_finished {
            self.n_full += usize::from(trial.is_trained());
        }
        if trial.course != Course::Baseline && (standing != before || is_finished) {
            before.iter().for_each(|old| {
                self.ranking.remove(old);
                self.open.remove(old);
            });
            self.ranking.extend(standing);
            self.open.extend(standing.filter(|_| !is_finished));
        }
        if is_pending {
            self.pending.insert(id);
        } else {
            self.pending.remove(&id);
        }
        if !is_live {
            self.slots.release(Holder::Trial(id));
        }
        match result {
            Ok(()) => true,
            Err(IllegalTransition {
                trial,
                phase,
                event,
            }) => {
                let why = IllegalTransition {
                    trial,
                    phase,
                    event,
                }
                .to_string();
                self.record(Decision::Ignored { trial, why });
                false
            }
        }
    }

    /// Tells a trial's process to go.
    pub(super) fn stop(&mut self, id: TrialId, reason: StopReason) {
        let deadline = self.kill_at();
        if self.apply(id, TrialEvent::StopAsked { reason, deadline }) {
            let effect = if reason == StopReason::Paused {
                Effect::Pause { trial: id }
            } else {
                Effect::Stop { trial: id, reason }
            };
            self.push(effect);
        }
    }

    /// Kills a trial's process.
    pub(super) fn kill(&mut self, id: TrialId) {
        let Some(trial) = self.trials.get(&id) else {
            return;
        };
        let attempt = trial.attempt();
        let deadline = self.now + self.grace();
        self.push(Effect::Kill { trial: id, attempt });
        self.apply(id, TrialEvent::KillAsked { deadline });
    }
}
