//! A run without processes: what the conductor asks for happens, one epoch a second, until the time is up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::time::Duration;

use super::World;
use super::trace::{Observation, Trace};
use crate::conductor::{Conductor, Effect, Event, Exit, Rules};
use crate::ids::{Attempt, CostClass, Epochs, RunTime, SlotId, TrialId};
use crate::protocol::FailureKind;
use crate::score::Score;

/// When trials report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// After every epoch, as processes do.
    EveryEpoch,
    /// At the levels of the run alone: nobody else would learn anything of what lies between.
    AtRungs,
}

/// One simulated run.
pub struct Simulation {
    conductor: Conductor,
    reports: Reports,
    /// What running trials do next: the earliest first, then the lowest slot.
    queue: BinaryHeap<Reverse<(RunTime, SlotId, TrialId, u64)>>,
    running: BTreeMap<TrialId, Leg>,
    /// Legs begun.
    n_legs: u64,
    trace: Trace,
    n_events: u64,
}

/// What a running trial is doing.
#[derive(Clone, Copy, Debug)]
struct Leg {
    slot: SlotId,
    attempt: Attempt,
    /// Epochs so far.
    epoch: Epochs,
    to: Epochs,
    /// Tells the leg from others of the trial.
    number: u64,
}

impl Simulation {
    /// Runs to its end, or until `until`; what would happen later is dropped.
    #[must_use]
    pub fn run(
        rules: Rules,
        n_slots: u32,
        until: RunTime,
        reports: Reports,
        world: &mut dyn World,
    ) -> Self {
        let mut run = Self {
            conductor: Conductor::new(rules, RunTime::ZERO),
            reports,
            queue: BinaryHeap::new(),
            running: BTreeMap::new(),
            n_legs: 0,
            trace: Trace::default(),
            n_events: 0,
        };
        let slots = (0..n_slots).map(SlotId).collect();
        run.tell(RunTime::ZERO, Event::SlotsOpened { slots }, world);
        while let Some(Reverse((at, _, trial, number))) = run.queue.pop() {
            if at > until {
                break;
            }
            let running = run.running.get(&trial).copied();
            if let Some(leg) = running.filter(|leg| leg.number == number) {
                run.train(at, trial, leg, world);
            }
        }
        run
    }

    /// The conductor as it stands at the end.
    #[must_use]
    pub const fn conductor(&self) -> &Conductor {
        &self.conductor
    }

    /// What was observed at the ends of legs, in order.
    #[must_use]
    pub const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Events that the conductor has handled.
    #[must_use]
    pub const fn n_events(&self) -> u64 {
        self.n_events
    }

    /// A trial has come to where it reports next.
    fn train(&mut self, at: RunTime, trial: TrialId, leg: Leg, world: &mut dyn World) {
        let (attempt, epoch) = (leg.attempt, self.next_report(leg));
        let loss = world.observe(trial, epoch);
        let score = Score::from_loss(loss);
        let seconds = f64::from(epoch - leg.epoch);
        self.running.insert(trial, Leg { epoch, ..leg });
        // A curve is looked at where a leg ends: there, or where it is cut.
        let seen = Observation {
            at,
            trial,
            epochs: epoch,
            loss,
        };
        let ends = epoch == leg.to;
        if ends {
            self.trace.push(seen);
        }
        let reported = Event::Reported {
            trial,
            attempt,
            epoch,
            score,
            seconds,
        };
        self.tell(at, reported, world);
        if ends {
            let ended = Event::LegEnded {
                trial,
                attempt,
                epoch,
                best: score,
                seconds: 0.0,
            };
            self.tell(at, ended, world);
        } else if self
            .running
            .get(&trial)
            .is_some_and(|now| now.number == leg.number)
        {
            self.plan(at, trial);
        } else {
            self.trace.push(seen);
        }
    }

    fn tell(&mut self, now: RunTime, event: Event, world: &mut dyn World) {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            self.n_events += 1;
            for effect in self.conductor.handle(now, event) {
                events.extend(self.act(now, &effect, world));
            }
        }
    }

    /// Does what is asked for; returns the answer.
    fn act(&mut self, now: RunTime, effect: &Effect, world: &mut dyn World) -> Option<Event> {
        match *effect {
            Effect::Ask { trial } if !world.ask(trial) => Some(Event::SpaceExhausted { trial }),
            Effect::Ask { trial } => Some(Event::Suggested {
                trial,
                class: CostClass::default(),
            }),
            Effect::Probe { slot: _ } => Some(Event::Probed {
                seconds_per_epoch: 1.0,
                fixed_seconds: 0.0,
            }),
            Effect::Launch {
                trial,
                attempt,
                slot,
                from,
                to,
                full: _,
                retry_of: _,
            } => {
                self.begin(now, trial, (slot, attempt), (from, to));
                Some(Event::Hello { trial, attempt })
            }
            Effect::Continue { trial, to } => {
                let leg = self.running[&trial];
                self.begin(now, trial, (leg.slot, leg.attempt), (leg.to, to));
                None
            }
            Effect::Pause { trial } | Effect::Stop { trial, reason: _ } => {
                self.end(trial, Exit::Ok)
            }
            Effect::Kill { trial, attempt: _ } => {
                self.end(trial, Exit::Failed(FailureKind::Killed))
            }
            Effect::Record(_) | Effect::Entered(_) | Effect::RunEnded => None,
        }
    }

    fn end(&mut self, trial: TrialId, how: Exit) -> Option<Event> {
        let attempt = self.running.remove(&trial)?.attempt;
        Some(Event::Exited {
            trial,
            attempt,
            how,
        })
    }

    fn begin(
        &mut self,
        now: RunTime,
        trial: TrialId,
        (slot, attempt): (SlotId, Attempt),
        (epoch, to): (Epochs, Epochs),
    ) {
        self.n_legs += 1;
        let leg = Leg {
            slot,
            attempt,
            epoch,
            to,
            number: self.n_legs,
        };
        self.running.insert(trial, leg);
        self.plan(now, trial);
    }

    /// Puts what a trial does next into the queue.
    fn plan(&mut self, now: RunTime, trial: TrialId) {
        let leg = self.running[&trial];
        let seconds = Duration::from_secs(u64::from(self.next_report(leg) - leg.epoch));
        self.queue
            .push(Reverse((now + seconds, leg.slot, trial, leg.number)));
    }

    fn next_report(&self, leg: Leg) -> Epochs {
        let next = match self.reports {
            Reports::EveryEpoch => leg.epoch + 1,
            Reports::AtRungs => self
                .conductor
                .scheduler()
                .map_or(leg.to, |scheduler| scheduler.rungs().next(leg.epoch)),
        };
        next.clamp(leg.epoch + 1, leg.to)
    }
}
