//! A search that goes on where an earlier process left it: everything known is made from the journal again.

use std::time::Duration;

use results::{Entry, Stamped};
use schedulers::TrialId;
use schedulers::conductor::Event;
use schedulers::protocol::FailureKind;
use search::sampler::State;

use super::desk::{Desk, Seat};
use super::dispatcher::{Dispatcher, Opening};
use crate::error::{Error, Result};
use crate::output::News;
use crate::replay::check_replay;

impl Dispatcher<'_> {
    /// Takes this dispatcher, which has done nothing yet, to where `journal` ends; the search then begins with `added`
    /// more time. Returns what deciding again would decide differently, in words: an earlier version decided then.
    ///
    /// # Errors
    /// When the journal ends before the search began.
    pub fn go_on(&mut self, journal: &[Stamped], added: Duration) -> Result<Vec<String>> {
        let replayed = check_replay(journal, self.setup.direction)
            .ok_or_else(|| Error::bug("a search is gone on with that never began"))?;
        self.conductor = replayed.conductor;
        self.reserve = self.conductor.rules().reserve;
        for Stamped { entry, .. } in journal {
            self.remember(entry);
        }
        self.opening = Opening::Again { added };
        Ok(replayed.differences)
    }

    /// Says that the search goes on; what was running when it was left is queued again.
    pub(super) fn begin_again(&mut self, added: Duration) {
        if !added.is_zero() {
            let by_ms = u64::try_from(added.as_millis()).unwrap_or(u64::MAX);
            self.entries.push(Entry::BudgetAdded { by_ms });
            self.tell(Event::BudgetAdded { time: added });
        }
        self.entries.push(Entry::Resumed);
        self.tell(Event::Resumed);
        if let Some((best, trial)) = self
            .best
            .as_ref()
            .and_then(|best| Some((best, best.trial?)))
        {
            let news = News::BestChanged {
                trial,
                epoch: best.epoch,
                score: best.score.0,
            };
            self.talk.tell(self.now.0, &news);
        }
        let trials: Vec<TrialId> = self.desk.seats.keys().copied().collect();
        for trial in trials {
            self.settle(trial);
        }
        self.open_slots();
    }

    /// What the desk, the sampler and the model knew of an entry.
    #[expect(clippy::too_many_lines, reason = "one arm an entry")]
    fn remember(&mut self, entry: &Entry) {
        match entry {
            Entry::TrialCreated {
                trial,
                origin,
                parameters,
                ..
            } => {
                let trial = TrialId(*trial);
                let dir = Desk::trial_dir(&self.setup.folder, trial);
                if trial != TrialId::BASELINE {
                    self.candidates.recall(trial, origin, parameters);
                }
                self.desk
                    .seat(trial, dir, origin.clone(), parameters.clone());
            }
            Entry::LegStarted {
                trial,
                from,
                full,
                retry_of,
                ..
            } => self.change(*trial, |seat| {
                (seat.epoch, seat.full) = (*from, *full);
                seat.halvings += u32::from(*retry_of == Some(FailureKind::OutOfMemory));
            }),
            Entry::Reported(reported) => self.change(reported.trial, |seat| {
                (seat.epoch, seat.best) = (reported.epoch, reported.best_score.0);
            }),
            Entry::LegEnded {
                trial,
                epoch,
                best_score,
                ..
            } => self.observe(TrialId(*trial), *epoch, best_score.0, State::Running),
            Entry::TrialEnded {
                trial,
                outcome,
                cause,
            } => {
                self.change(*trial, |seat| {
                    seat.outcome = Some(*outcome);
                    seat.last_words.clone_from(cause);
                });
                let standing = self.desk.seats.get(&TrialId(*trial));
                if let Some((epoch, best)) = standing.map(|seat| (seat.epoch, seat.best)) {
                    self.observe(TrialId(*trial), epoch, best, super::exits::state(*outcome));
                }
            }
            Entry::ModelChosen(chosen) => self.best = Some(chosen.clone()),
            Entry::Evaluated(scored) if scored.trial == Some(TrialId::BASELINE.0) => {
                let raw = scored
                    .scores
                    .iter()
                    .map(|(name, score)| (name.clone(), score.0));
                self.baseline_test = Some(raw.collect());
            }
            Entry::Evaluated(_)
            | Entry::RunBegan(_)
            | Entry::PhaseEntered { .. }
            | Entry::Noted { .. }
            | Entry::Reasoned { .. }
            | Entry::TargetKnown { .. }
            | Entry::Prepared { .. }
            | Entry::RulesSettled { .. }
            | Entry::SlotsOpened { .. }
            | Entry::Probed { .. }
            | Entry::ProbeFailed { .. }
            | Entry::SpaceExhausted { .. }
            | Entry::LegReady { .. }
            | Entry::Checkpointed { .. }
            | Entry::LegContinued { .. }
            | Entry::Decided { .. }
            | Entry::Asked { .. }
            | Entry::Exited { .. }
            | Entry::TrialWaits { .. }
            | Entry::LauncherDied { .. }
            | Entry::Unresponsive { .. }
            | Entry::TimeIsUp
            | Entry::StopAsked { .. }
            | Entry::KillAsked
            | Entry::ReserveMeasured { .. }
            | Entry::BudgetAdded { .. }
            | Entry::Resumed
            | Entry::Suspended { .. }
            | Entry::RunEnded { .. } => {}
        }
    }

    fn change(&mut self, trial: u32, how: impl FnOnce(&mut Seat)) {
        if let Some(seat) = self.desk.seats.get_mut(&TrialId(trial)) {
            how(seat);
        }
    }
}
