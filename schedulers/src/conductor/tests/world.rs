//! A world that misbehaves: processes crash, hang, repeat themselves and speak out of turn; the engine dies and comes
//! back. After every event the invariants hold, and a replay of the journal decides the same.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::rules;
use crate::conductor::{
    Baseline, Cap, Conductor, Effect, Event, Exit, Full, Levels, Limits, Phase, Policy, Rules,
    Sign, StopBy,
};
use crate::explain::{Decision, Rule, Unit};
use crate::ids::{Attempt, CostClass, Epochs, RunTime, SlotId, TrialId};
use crate::protocol::FailureKind;
use crate::score::Score;
use crate::trial::{Outcome, Phase as TrialPhase};

/// A process as it really is, whatever the conductor believes.
#[derive(Clone, Debug)]
struct Process {
    slot: SlotId,
    attempt: Attempt,
    epoch: Epochs,
    to: Epochs,
    said_hello: bool,
    /// It has ended its leg and waits for an answer.
    waits: bool,
    told_to_go: bool,
}

struct World {
    conductor: Conductor,
    rules: Rules,
    now: f64,
    processes: BTreeMap<TrialId, Process>,
    asked: BTreeSet<TrialId>,
    probing: Option<SlotId>,
    slots: BTreeSet<SlotId>,
    /// Epochs on disk of each trial.
    checkpoints: BTreeMap<TrialId, Epochs>,
    outcomes: BTreeMap<TrialId, Outcome>,
    /// Epochs trained, with what was trained again after a loss.
    trained: u64,
    /// A process was lost before its checkpoint.
    lost_work: bool,
    journal: Vec<(RunTime, Event, Vec<Effect>)>,
    ended: bool,
    exhausted: bool,
}

impl World {
    fn new(rules: Rules, n_slots: u32) -> Self {
        let mut world = Self {
            conductor: Conductor::new(rules.clone(), RunTime::ZERO),
            rules,
            now: 0.0,
            processes: BTreeMap::new(),
            asked: BTreeSet::new(),
            probing: None,
            slots: (0..n_slots).map(SlotId).collect(),
            checkpoints: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            trained: 0,
            lost_work: false,
            journal: Vec::new(),
            ended: false,
            exhausted: false,
        };
        world.open();
        world
    }

    fn open(&mut self) {
        let slots = self.slots.iter().copied().collect();
        self.tell(Event::SlotsOpened { slots });
    }

    fn tell(&mut self, event: Event) {
        let now = RunTime::from_secs_f64(self.now);
        let is_beat = matches!(event, Event::Heartbeat { .. });
        let ends_leg = self.ends_leg(&event);
        let effects = self.conductor.handle(now, event.clone());
        for effect in &effects {
            self.act(effect);
        }
        if let Some(trial) = ends_leg {
            assert!(
                !self.processes[&trial].waits || self.processes[&trial].told_to_go,
                "an ended leg is answered: {event:?}"
            );
        }
        if is_beat {
            assert_eq!(
                effects,
                [],
                "a heartbeat is not journalled, so it asks for nothing"
            );
        } else {
            self.journal.push((now, event, effects));
        }
        self.check();
    }

    /// The trial that waits for an answer to this event.
    fn ends_leg(&self, event: &Event) -> Option<TrialId> {
        let Event::LegEnded { trial, attempt, .. } = event else {
            return None;
        };
        self.processes
            .get(trial)
            .filter(|process| process.attempt == *attempt && !process.told_to_go)?;
        Some(*trial)
    }

    fn act(&mut self, effect: &Effect) {
        match effect {
            Effect::Ask { trial } => {
                assert!(
                    self.asked.insert(*trial) && self.conductor.trial(*trial).is_none(),
                    "asked for once"
                );
            }
            Effect::Probe { slot } => {
                assert!(self.probing.replace(*slot).is_none() && self.is_free(*slot))
            }
            Effect::Launch {
                trial,
                attempt,
                slot,
                from,
                to,
                full,
                retry_of: _,
            } => {
                self.start(*trial, (*slot, *attempt), (*from, *to, *full));
            }
            Effect::Continue { trial, to } => {
                let process = self
                    .processes
                    .get_mut(trial)
                    .expect("who continues is there");
                assert!(
                    process.waits && *to > process.to,
                    "it waits, and never does a rung twice"
                );
                process.waits = false;
                process.to = *to;
            }
            Effect::Pause { trial } | Effect::Stop { trial, .. } => {
                self.processes
                    .get_mut(trial)
                    .expect("who is told to go is there")
                    .told_to_go = true;
            }
            // The launcher may be asked to kill what it never told of.
            Effect::Kill { trial, attempt } => {
                if let Some(process) = self.processes.get_mut(trial) {
                    assert_eq!(process.attempt, *attempt);
                    process.told_to_go = true;
                }
            }
            Effect::Record(Decision::Promoted {
                place,
                rule: Rule::AshaPromotion { eta },
                ..
            }) => {
                assert!(
                    place.score.is_finite() && place.rank <= place.n / *eta as usize,
                    "among the best: {place:?}"
                );
            }
            Effect::Record(Decision::Ignored { why, .. }) => {
                panic!("this world sends nothing illegal: {why}")
            }
            Effect::Record(_) | Effect::Entered(_) => {}
            Effect::RunEnded => {
                assert!(!self.ended, "said once");
                self.ended = true;
            }
        }
    }

    fn start(
        &mut self,
        trial: TrialId,
        (slot, attempt): (SlotId, Attempt),
        (from, to, full): (Epochs, Epochs, Epochs),
    ) {
        assert!(
            self.is_free(slot) && self.probing != Some(slot),
            "a slot has one holder"
        );
        assert!(
            !self.processes.contains_key(&trial),
            "a trial has one process"
        );
        assert!(
            !self.outcomes.contains_key(&trial),
            "what is over stays over"
        );
        assert_eq!(
            from,
            self.checkpoints.get(&trial).copied().unwrap_or(0),
            "from its checkpoint"
        );
        assert!(from < to && to <= full);
        assert!(
            !self.is_past_deadline() && self.conductor.phase() != Phase::Done,
            "not past the deadline"
        );
        let process = Process {
            slot,
            attempt,
            epoch: from,
            to,
            said_hello: false,
            waits: false,
            told_to_go: false,
        };
        self.processes.insert(trial, process);
    }

    fn is_free(&self, slot: SlotId) -> bool {
        self.slots.contains(&slot) && self.processes.values().all(|process| process.slot != slot)
    }

    fn is_past_deadline(&self) -> bool {
        self.conductor
            .deadline()
            .is_some_and(|deadline| self.now >= deadline.as_secs_f64())
    }

    fn check(&mut self) {
        let (busy, n_slots) = self.conductor.slots_busy();
        let live = self
            .conductor
            .trials()
            .filter(|trial| trial.is_live())
            .count();
        assert_eq!(
            busy,
            live + usize::from(self.probing.is_some()),
            "held slots are live trials and the probe"
        );
        for trial in self.conductor.trials() {
            if let TrialPhase::Finished { outcome } = *trial.phase() {
                let before = self.outcomes.insert(trial.id, outcome);
                assert!(
                    before.is_none_or(|before| before == outcome),
                    "what is over never changes"
                );
            } else {
                assert!(
                    !self.outcomes.contains_key(&trial.id),
                    "what is over never lives again"
                );
            }
        }
        let settled = self.conductor.scheduler().is_some() && self.probing.is_none();
        if self.conductor.phase() == Phase::Search
            && busy < n_slots
            && settled
            && self.rules.limits == Limits::default()
        {
            let promotable = self
                .conductor
                .scheduler()
                .and_then(|scheduler| scheduler.promotable());
            assert_eq!(promotable, None, "no slot idles beside a promotable trial");
            assert!(
                !self.asked.is_empty() || self.exhausted,
                "no slot idles without asking for a trial"
            );
        }
        if let Some(max) = self.rules.limits.max_epochs {
            let epochs = |trial: &crate::trial::Trial| u64::from(trial.history().epochs());
            let search = self
                .conductor
                .trials()
                .filter(|trial| trial.id != TrialId::BASELINE);
            assert!(
                search.map(epochs).sum::<u64>() <= max,
                "epochs are never overspent"
            );
        }
        if let Some(max) = self.rules.limits.max_trials {
            assert!(self.conductor.trials().all(|trial| trial.id.0 <= max));
        }
    }

    /// One thing happens: which one and how, by two numbers.
    fn step(&mut self, what: u8, how: u16) {
        let pick = |n: usize| usize::from(how) % n.max(1);
        let trial = self
            .processes
            .keys()
            .nth(pick(self.processes.len()))
            .copied();
        match what % 32 {
            0..=5 => self.answer(how),
            6..=17 => {
                if let Some(trial) = trial {
                    self.live(trial, how);
                }
            }
            18..=21 => {
                self.now += f64::from(how % 100) / 100.0;
                self.clock();
            }
            22 => {
                if let Some(trial) = trial {
                    self.exit(trial, FailureKind::ALL[pick(FailureKind::ALL.len())]);
                }
            }
            23 => {
                if let Some((_, event, _)) = self.journal.get(pick(self.journal.len())).cloned() {
                    self.repeat(event);
                }
            }
            24 => {
                let process = trial.and_then(|trial| Some((trial, self.processes.get(&trial)?)));
                if let Some((trial, process)) = process.filter(|(_, process)| process.said_hello) {
                    let attempt = process.attempt;
                    self.tell(Event::Heartbeat {
                        trial,
                        attempt,
                        step: u64::from(how),
                    });
                }
            }
            25 => {
                self.processes
                    .retain(|_, process| process.said_hello || process.told_to_go);
                self.tell(Event::LauncherDied);
            }
            26 if how.is_multiple_of(4) => self.crash_of_the_engine(),
            27 if how.is_multiple_of(8) => self.tell(Event::StopAsked { by: StopBy::User }),
            28 if how.is_multiple_of(8) => {
                let known: Vec<TrialId> = self.conductor.trials().map(|trial| trial.id).collect();
                if let Some(trial) = known.get(pick(known.len())) {
                    self.tell(Event::TrialStopAsked { trial: *trial });
                }
            }
            29 => {
                if let Some(trial) = trial.filter(|_| how.is_multiple_of(4)) {
                    let sign = [Sign::Hello, Sign::Heartbeat, Sign::Progress][pick(3)];
                    self.tell(Event::Unresponsive {
                        trial,
                        attempt: self.processes[&trial].attempt,
                        sign,
                    });
                }
            }
            // The wall clock steps back.
            30 => self.now = (self.now - 0.5).max(0.0),
            _ => self.clock(),
        }
    }

    fn clock(&mut self) {
        for event in self.conductor.due(RunTime::from_secs_f64(self.now)) {
            self.tell(event);
        }
    }

    fn answer(&mut self, how: u16) {
        if self.probing.is_some() && how.is_multiple_of(2) {
            self.probing = None;
            let event = if how.is_multiple_of(16) {
                Event::ProbeFailed
            } else {
                Event::Probed {
                    seconds_per_epoch: f64::from(how % 64) / 16.0,
                    fixed_seconds: 0.01,
                }
            };
            self.tell(event);
        } else if let Some(trial) = self.asked.pop_first() {
            let event = if how.is_multiple_of(64) {
                self.exhausted = true;
                Event::SpaceExhausted { trial }
            } else {
                Event::Suggested {
                    trial,
                    class: CostClass(u32::from(how % 3)),
                }
            };
            self.tell(event);
        }
    }

    /// A process does what comes next for it.
    fn live(&mut self, trial: TrialId, how: u16) {
        let process = self.processes[&trial].clone();
        let attempt = process.attempt;
        if process.told_to_go {
            self.leave(trial);
        } else if !process.said_hello {
            self.processes.get_mut(&trial).unwrap().said_hello = true;
            self.tell(Event::Hello { trial, attempt });
        } else if process.epoch < process.to {
            let epoch = process.epoch + 1;
            self.processes.get_mut(&trial).unwrap().epoch = epoch;
            self.trained += 1;
            let loss = if how.is_multiple_of(40) {
                f64::NAN
            } else {
                f64::from(how % 1000) / f64::from(epoch)
            };
            let seconds = f64::from(how % 7) / 10.0;
            self.now += seconds / 4.0;
            self.tell(Event::Reported {
                trial,
                attempt,
                epoch,
                score: Score::from_loss(loss),
                seconds,
            });
            let told_to_go = self
                .processes
                .get(&trial)
                .is_none_or(|process| process.told_to_go);
            if how.is_multiple_of(3) && !told_to_go {
                if epoch < process.to {
                    self.checkpoints.insert(trial, epoch);
                }
                self.tell(Event::Checkpointed {
                    trial,
                    attempt,
                    epoch,
                });
            }
        } else if !process.waits {
            self.processes.get_mut(&trial).unwrap().waits = true;
            self.checkpoints.insert(trial, process.epoch);
            let best = Score::from_loss(f64::from(how));
            self.tell(Event::LegEnded {
                trial,
                attempt,
                epoch: process.epoch,
                best,
                seconds: 1.0,
            });
        }
    }

    fn leave(&mut self, trial: TrialId) {
        let process = self.processes.remove(&trial).unwrap();
        self.lost_work |= self.checkpoints.get(&trial).copied().unwrap_or(0) < process.epoch;
        self.tell(Event::Exited {
            trial,
            attempt: process.attempt,
            how: Exit::Ok,
        });
    }

    fn exit(&mut self, trial: TrialId, kind: FailureKind) {
        let process = self.processes.remove(&trial).unwrap();
        self.lost_work |= self.checkpoints.get(&trial).copied().unwrap_or(0) < process.epoch;
        self.tell(Event::Exited {
            trial,
            attempt: process.attempt,
            how: Exit::Failed(kind),
        });
    }

    /// An event of a process comes again, much later maybe.
    fn repeat(&mut self, event: Event) {
        let is_dead = |trial: &TrialId, attempt: &Attempt| {
            self.processes
                .get(trial)
                .is_none_or(|process| process.attempt != *attempt)
        };
        let is_harmless = match &event {
            // Of a process that lives these would be news.
            Event::Hello { trial, attempt } | Event::Exited { trial, attempt, .. } => {
                is_dead(trial, attempt)
            }
            Event::Reported { .. } | Event::LegEnded { .. } | Event::Checkpointed { .. } => {
                self.said_hello(&event)
            }
            Event::SlotsOpened { .. } | Event::Suggested { .. } => true,
            Event::Tick
            | Event::Unresponsive { .. }
            | Event::SpaceExhausted { .. }
            | Event::Probed { .. }
            | Event::ProbeFailed
            | Event::Heartbeat { .. }
            | Event::LauncherDied
            | Event::StopAsked { .. }
            | Event::KillAsked
            | Event::TrialStopAsked { .. }
            | Event::BudgetAdded { .. }
            | Event::ReserveMeasured { .. }
            | Event::Resumed => false,
        };
        if is_harmless {
            let before = self.effects_of_nothing();
            let now = RunTime::from_secs_f64(self.now);
            let effects = self.conductor.handle(now, event.clone());
            assert!(
                before || effects.is_empty(),
                "a repetition asks for nothing: {event:?} {effects:?}"
            );
            for effect in &effects {
                self.act(effect);
            }
            self.journal.push((now, event, effects));
            self.check();
        }
    }

    /// Whether its process, if it lives, is past its hello: before that the event would be illegal.
    fn said_hello(&self, event: &Event) -> bool {
        let (Event::Reported { trial, attempt, .. }
        | Event::LegEnded { trial, attempt, .. }
        | Event::Checkpointed { trial, attempt, .. }) = event
        else {
            return false;
        };
        self.processes
            .get(trial)
            .is_none_or(|process| process.attempt != *attempt || process.said_hello)
    }

    /// Whether time alone asks for something now.
    fn effects_of_nothing(&mut self) -> bool {
        !self
            .conductor
            .due(RunTime::from_secs_f64(self.now))
            .is_empty()
    }

    fn crash_of_the_engine(&mut self) {
        let is_lost = |(trial, process): (&TrialId, &Process)| {
            self.checkpoints.get(trial).copied().unwrap_or(0) < process.epoch
        };
        self.lost_work |= self.processes.iter().any(is_lost);
        self.processes.clear();
        self.asked.clear();
        self.probing = None;
        // The new engine has nothing but the journal.
        let mut conductor = Conductor::new(self.rules.clone(), RunTime::ZERO);
        for (now, event, effects) in &self.journal {
            assert_eq!(
                conductor.handle(*now, event.clone()),
                *effects,
                "a replay decides the same"
            );
        }
        self.conductor = conductor;
        self.ended = false;
        self.tell(Event::Resumed);
        self.open();
    }

    /// Everything goes well from here, until the run ends.
    fn run_out(&mut self) {
        for _ in 0..5_000 {
            if self.ended {
                return;
            }
            if let Some(trial) = self.processes.keys().next().copied() {
                self.live(trial, 7);
            } else if self.probing.is_some() || !self.asked.is_empty() {
                self.answer(2);
            }
            self.now += 0.1;
            self.clock();
        }
        panic!("the run never ends: {:?}", self.conductor);
    }
}

fn policies() -> impl Strategy<Value = Policy> {
    prop_oneof![
        Just(Policy::Fifo),
        Just(Policy::AshaPromotion { eta: 3 }),
        Just(Policy::AshaPromotion { eta: 2 }),
        Just(Policy::AshaStopping { eta: 3 }),
        Just(Policy::Hyperband { eta: 3 }),
        Just(Policy::Median {
            unit: Unit::Epochs,
            grace: 1,
            min_samples: 1,
        }),
        Just(Policy::Median {
            unit: Unit::Seconds,
            grace: 1,
            min_samples: 1,
        }),
    ]
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let limits = prop_oneof![
        Just(Limits::default()),
        Just(rules().limits),
        (1..12_u32).prop_map(|max| Limits {
            max_trials: Some(max),
            ..Limits::default()
        }),
        (16..120_u64).prop_map(|max| Limits {
            max_epochs: Some(max),
            ..Limits::default()
        }),
        (1..30_u32).prop_map(|max| Limits {
            max_trials: Some(max),
            ..rules().limits
        }),
    ];
    let full = prop_oneof![
        Just(Full::Fixed(16)),
        Just(Full::Fixed(3)),
        Just(Full::Probed)
    ];
    let levels = prop_oneof![
        Just(Levels::Coslog4),
        Just(Levels::Geometric { min: 1, factor: 3 }),
        Just(Levels::Seconds {
            min: 1,
            factor: 2,
            full: 4,
        }),
    ];
    (
        limits,
        full,
        levels,
        policies(),
        1..3_u32,
        any::<[bool; 3]>(),
        0..2_u32,
    )
        .prop_map(
            |(limits, full, levels, policy, brackets, [baseline, guard, capped], straight)| Rules {
                limits,
                full,
                levels,
                policy,
                brackets,
                guard,
                cap: if capped { Cap::Progressive } else { Cap::Full },
                baseline: baseline.then_some(Baseline { full: 1 }),
                straight,
                ..rules()
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_the_invariants_hold_and_a_replay_decides_the_same(
        rules in any_rules(),
        n_slots in 1..4_u32,
        steps in prop::collection::vec((any::<u8>(), any::<u16>()), 0..400),
    ) {
        let mut world = World::new(rules, n_slots);
        for (what, how) in steps {
            world.step(what, how);
        }
        // At every border of two events: what follows from the journal so far is what followed then.
        let mut replayed = Conductor::new(world.rules.clone(), RunTime::ZERO);
        for (now, event, effects) in &world.journal {
            prop_assert_eq!(&replayed.handle(*now, event.clone()), effects);
        }
        // Whatever was killed or lost on the way, a limited run comes to its end.
        if world.rules.limits != Limits::default() {
            world.run_out();
        }
    }

    #[test]
    fn without_losses_nothing_is_trained_twice(
        rules in any_rules(),
        n_slots in 1..4_u32,
        how in prop::collection::vec(any::<u16>(), 1..300),
    ) {
        let mut world = World::new(rules, n_slots);
        for how in how {
            let n = world.processes.len();
            match world.processes.keys().nth(usize::from(how) % n.max(1)).copied() {
                Some(trial) if how % 5 > 0 => world.live(trial, how),
                _ => world.answer(how),
            }
        }
        if !world.lost_work {
            let sum: u64 = world.conductor.trials().map(|trial| u64::from(trial.history().epochs())).sum();
            prop_assert_eq!(world.trained, sum);
        }
    }
}
