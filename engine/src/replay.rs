//! The journal and the conductor: what it was told can be made from the entries again.
//!
//! A journal is replayed through a fresh conductor, and each decision it takes now is checked against the one that
//! was taken then: the proof that a run can be gone on with from its journal alone.

use std::collections::VecDeque;

use results::{Entry, Stamped};
use schedulers::conductor::{Conductor, Effect, Event};
use schedulers::explain::Decision;
use schedulers::{Attempt, CostClass, Direction, RunTime, Score, SlotId, TrialId};

/// What a replay has found.
#[derive(Debug)]
pub struct Replayed {
    /// The conductor as it stood at the last entry.
    pub conductor: Conductor,
    /// Decisions in the journal.
    pub n_decisions: usize,
    /// Where deciding again gives something else, in words.
    pub differences: Vec<String>,
}

/// Tells a fresh conductor all of a journal. `None` when the journal ends before the rules were settled.
pub fn check_replay(entries: &[Stamped], direction: Direction) -> Option<Replayed> {
    let mut conductor = None;
    let mut expected: VecDeque<Decision> = VecDeque::new();
    let mut found = (0, Vec::new());
    for Stamped { seq, at, entry } in entries {
        let now = RunTime(*at);
        if let Entry::RulesSettled { rules } = entry {
            conductor = Some(Conductor::new(rules.clone(), now));
        }
        if let Entry::Decided { decision } = entry {
            found.0 += 1;
            match expected.pop_front() {
                Some(again) if again == *decision => {}
                again => found
                    .1
                    .push(format!("entry {seq}: {decision:?}, now {again:?}")),
            }
        }
        if let (Some(conductor), Some(event)) = (&mut conductor, event_of(entry, direction)) {
            let effects = conductor.handle(now, event);
            for effect in effects {
                if let Effect::Record(decision) = effect {
                    expected.push_back(decision);
                }
            }
        }
    }
    found.1.extend(
        expected
            .iter()
            .map(|decision| format!("at the end: {decision:?} is missing")),
    );
    conductor.map(|conductor| Replayed {
        conductor,
        n_decisions: found.0,
        differences: found.1,
    })
}

/// The event behind an entry; `None` for an entry that the conductor was not told of.
#[expect(clippy::too_many_lines, reason = "one arm an entry")]
pub fn event_of(entry: &Entry, direction: Direction) -> Option<Event> {
    let score = |raw: f64| Score::new(raw, direction);
    Some(match entry {
        Entry::SlotsOpened { slots } => Event::SlotsOpened {
            slots: slots.iter().copied().map(SlotId).collect(),
        },
        Entry::Probed {
            seconds_per_epoch,
            fixed_seconds,
        } => Event::Probed {
            seconds_per_epoch: *seconds_per_epoch,
            fixed_seconds: *fixed_seconds,
        },
        Entry::ProbeFailed { .. } => Event::ProbeFailed,
        // The baseline is not asked for: it is in the rules.
        Entry::TrialCreated { trial, class, .. } if TrialId(*trial) != TrialId::BASELINE => {
            Event::Suggested {
                trial: TrialId(*trial),
                class: CostClass(*class),
            }
        }
        Entry::SpaceExhausted { trial } => Event::SpaceExhausted {
            trial: TrialId(*trial),
        },
        Entry::LegReady { trial, attempt, .. } => Event::Hello {
            trial: TrialId(*trial),
            attempt: Attempt(*attempt),
        },
        Entry::Reported(reported) => Event::Reported {
            trial: TrialId(reported.trial),
            attempt: Attempt(reported.attempt),
            epoch: reported.epoch,
            score: score(reported.score.0),
            seconds: reported.train_s + reported.eval_s,
        },
        Entry::Checkpointed {
            trial,
            attempt,
            epoch,
        } => Event::Checkpointed {
            trial: TrialId(*trial),
            attempt: Attempt(*attempt),
            epoch: *epoch,
        },
        Entry::LegEnded {
            trial,
            attempt,
            epoch,
            best_score,
            seconds,
            ..
        } => Event::LegEnded {
            trial: TrialId(*trial),
            attempt: Attempt(*attempt),
            epoch: *epoch,
            best: score(best_score.0),
            seconds: *seconds,
        },
        Entry::Exited {
            trial,
            attempt,
            how,
            ..
        } => Event::Exited {
            trial: TrialId(*trial),
            attempt: Attempt(*attempt),
            how: *how,
        },
        Entry::LauncherDied { .. } => Event::LauncherDied,
        Entry::Unresponsive {
            trial,
            attempt,
            sign,
        } => Event::Unresponsive {
            trial: TrialId(*trial),
            attempt: Attempt(*attempt),
            sign: *sign,
        },
        Entry::TimeIsUp => Event::Tick,
        Entry::StopAsked { by } => Event::StopAsked { by: *by },
        Entry::KillAsked => Event::KillAsked,
        Entry::ReserveMeasured { reserve_ms } => Event::ReserveMeasured {
            reserve: std::time::Duration::from_millis(*reserve_ms),
        },
        Entry::BudgetAdded { by_ms } => Event::BudgetAdded {
            time: std::time::Duration::from_millis(*by_ms),
        },
        Entry::Resumed => Event::Resumed,
        Entry::RunBegan(_)
        | Entry::PhaseEntered { .. }
        | Entry::Noted { .. }
        | Entry::Reasoned { .. }
        | Entry::TargetKnown { .. }
        | Entry::Prepared { .. }
        | Entry::RulesSettled { .. }
        | Entry::TrialCreated { .. }
        | Entry::LegStarted { .. }
        | Entry::Decided { .. }
        | Entry::LegContinued { .. }
        | Entry::Asked { .. }
        | Entry::TrialWaits { .. }
        | Entry::TrialEnded { .. }
        | Entry::ModelChosen(_)
        | Entry::Evaluated(_)
        | Entry::Suspended { .. }
        | Entry::RunEnded { .. } => return None,
    })
}
