//! A run without processes: what the conductor asks for happens, one epoch a second, until the time is up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::conductor::{Conductor, Effect, Event, Exit, Rules};
use crate::ids::{Attempt, CostClass, Epochs, RunTime, SlotId, TrialId};
use crate::score::Score;

/// What was observed at the end of a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// When.
    pub at: RunTime,
    /// Of which trial.
    pub trial: TrialId,
    /// After how many epochs.
    pub epochs: Epochs,
    /// The loss.
    pub loss: f64,
}

/// One simulated run.
pub struct Simulation<'a> {
    conductor: Conductor,
    /// The observed loss of a trial after so many epochs.
    curve: &'a dyn Fn(TrialId, Epochs) -> f64,
    /// Ends of running legs: the earliest first, then the lowest slot.
    queue: BinaryHeap<Reverse<(RunTime, SlotId, TrialId)>>,
    /// Slot, attempt, and where the leg ends, of each running trial.
    running: BTreeMap<TrialId, (SlotId, Attempt, Epochs)>,
    observations: Vec<Observation>,
    n_events: u64,
}

impl<'a> Simulation<'a> {
    /// Runs to its end, or until `until`; legs that end later are dropped.
    #[must_use]
    pub fn run(
        rules: Rules,
        n_slots: u32,
        until: RunTime,
        curve: &'a dyn Fn(TrialId, Epochs) -> f64,
    ) -> Self {
        let mut run = Self {
            conductor: Conductor::new(rules, RunTime::ZERO),
            curve,
            queue: BinaryHeap::new(),
            running: BTreeMap::new(),
            observations: Vec::new(),
            n_events: 0,
        };
        run.tell(
            RunTime::ZERO,
            Event::SlotsOpened {
                slots: (0..n_slots).map(SlotId).collect(),
            },
        );
        while let Some(Reverse((at, slot, trial))) = run.queue.pop() {
            if at > until {
                break;
            }
            let Some((_, attempt, epoch)) = run
                .running
                .get(&trial)
                .copied()
                .filter(|running| running.0 == slot)
            else {
                continue;
            };
            let loss = (run.curve)(trial, epoch);
            run.observations.push(Observation {
                at,
                trial,
                epochs: epoch,
                loss,
            });
            let score = Score::from_loss(loss);
            run.tell(
                at,
                Event::Reported {
                    trial,
                    attempt,
                    epoch,
                    score,
                    seconds: 1.0,
                },
            );
            run.tell(
                at,
                Event::LegEnded {
                    trial,
                    attempt,
                    epoch,
                    best: score,
                    seconds: 0.0,
                },
            );
        }
        run
    }

    /// The conductor as it stands at the end.
    #[must_use]
    pub const fn conductor(&self) -> &Conductor {
        &self.conductor
    }

    /// What was observed, in order.
    #[must_use]
    pub fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// Events that the conductor has handled.
    #[must_use]
    pub const fn n_events(&self) -> u64 {
        self.n_events
    }

    /// The best observation up to a time.
    #[must_use]
    pub fn incumbent(&self, at: RunTime) -> Option<Observation> {
        let seen = self.observations.iter().take_while(|seen| seen.at <= at);
        seen.min_by(|a, b| a.loss.total_cmp(&b.loss)).copied()
    }

    fn tell(&mut self, now: RunTime, event: Event) {
        let mut events = std::collections::VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            self.n_events += 1;
            for effect in self.conductor.handle(now, event) {
                events.extend(self.act(now, &effect));
            }
        }
    }

    /// Does what is asked for; returns the answer.
    fn act(&mut self, now: RunTime, effect: &Effect) -> Option<Event> {
        match *effect {
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
                self.begin(now, trial, (slot, attempt, to), from);
                Some(Event::Hello { trial, attempt })
            }
            Effect::Continue { trial, to } => {
                let (slot, attempt, from) = self.running[&trial];
                self.begin(now, trial, (slot, attempt, to), from);
                None
            }
            Effect::Pause { trial } | Effect::Stop { trial, reason: _ } => {
                let (_, attempt, _) = self.running.remove(&trial)?;
                Some(Event::Exited {
                    trial,
                    attempt,
                    how: Exit::Ok,
                })
            }
            Effect::Kill { trial, attempt: _ } => {
                let (_, attempt, _) = self.running.remove(&trial)?;
                Some(Event::Exited {
                    trial,
                    attempt,
                    how: Exit::Failed(crate::protocol::FailureKind::Killed),
                })
            }
            Effect::Record(_) | Effect::Entered(_) | Effect::RunEnded => None,
        }
    }

    fn begin(
        &mut self,
        now: RunTime,
        trial: TrialId,
        leg: (SlotId, Attempt, Epochs),
        from: Epochs,
    ) {
        let seconds = f64::from(leg.2 - from);
        self.running.insert(trial, leg);
        self.queue.push(Reverse((
            now + std::time::Duration::from_secs_f64(seconds),
            leg.0,
            trial,
        )));
    }
}
