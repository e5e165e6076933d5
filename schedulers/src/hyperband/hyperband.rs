//! Synchronous HyperBand, one bracket after the other.
//!
//! New trials fill a bracket, then the next; after the last one the first comes again. A rung waits until all that
//! were to reach it have, or are gone; then its best go on. No slot waits for that: it goes to the next bracket's
//! trials, as in HpBandSter. Non-finite scores are counted, and never go on.
//!
//! Deviation: a trial that comes past a rung it was to reach is counted at that rung, not at the highest it has
//! passed: else the rung would wait for ever.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::plan::{Level, Survivors, plan};
use crate::explain::{Rule, Verdict};
use crate::ids::{Epochs, TrialId};
use crate::rung::Rung;
use crate::rungs::Rungs;
use crate::scheduler::{Found, Judgement, Progress, Promoted, Scheduler};
use crate::score::Standing;

/// HyperBand.
#[derive(Clone, Debug)]
pub struct Hyperband {
    rungs: Rungs,
    eta: u32,
    plan: Vec<Vec<Level>>,
    /// Brackets that were begun, in order.
    brackets: Vec<Bracket>,
    seats: BTreeMap<TrialId, Seat>,
    /// Who waits and may go on.
    promoted: BTreeSet<Turn>,
}

/// Whose turn it is: the highest rung first, then the earlier bracket, then the better.
type Turn = (Reverse<Epochs>, usize, Standing);

/// One bracket at work.
#[derive(Clone, Debug)]
struct Bracket {
    /// Its place in the plan.
    kind: usize,
    /// Trials that have come in.
    entered: usize,
    steps: Vec<Step>,
}

/// One rung under R of a bracket at work.
#[derive(Clone, Debug)]
struct Step {
    rung: Rung,
    /// How many are to reach it.
    expected: usize,
    /// How many of those never will.
    lost: usize,
}

/// Where a trial is.
#[derive(Clone, Copy, Debug)]
struct Seat {
    bracket: usize,
    /// The step that it is to reach next.
    next: usize,
    /// How it stood at the step before.
    stood: Option<Standing>,
    /// Whether it trains, or may, on the way to `next`.
    goes_on: bool,
    /// Whether it was judged and has given back its slot since.
    is_parked: bool,
    /// Whether it is over.
    is_gone: bool,
}

impl Hyperband {
    /// One in `eta` goes on; an `eta` under 2 is 2.
    #[must_use]
    pub fn new(rungs: Rungs, eta: u32) -> Self {
        Self {
            plan: plan(&rungs, eta, Survivors::Floor),
            eta: eta.max(2),
            rungs,
            brackets: Vec::new(),
            seats: BTreeMap::new(),
            promoted: BTreeSet::new(),
        }
    }

    const fn rule(&self) -> Rule {
        Rule::Hyperband { eta: self.eta }
    }

    /// How many of a step go on.
    fn k(&self, bracket: usize, step: usize) -> usize {
        self.plan[self.brackets[bracket].kind][step + 1].n
    }

    fn begin_bracket(&mut self) {
        let kind = self.brackets.len() % self.plan.len();
        let levels = &self.plan[kind];
        let number = u32::try_from(kind).unwrap_or(u32::MAX);
        let step = |level: &Level| Step {
            rung: Rung::new(number, level.at),
            expected: 0,
            lost: 0,
        };
        let mut steps: Vec<Step> = levels[..levels.len() - 1].iter().map(step).collect();
        if let Some(first) = steps.first_mut() {
            first.expected = levels[0].n;
        }
        self.brackets.push(Bracket {
            kind,
            entered: 0,
            steps,
        });
    }

    /// Records a trial at the step that it was to reach, if it has; that step.
    fn record(&mut self, standing: Standing) -> Option<(usize, usize)> {
        let seat = self.seats.get_mut(&standing.trial)?;
        let (bracket, next) = (seat.bracket, seat.next);
        let step = self.brackets[bracket].steps.get_mut(next)?;
        if standing.epochs < step.rung.at() || !seat.goes_on {
            return None;
        }
        step.rung.record(standing);
        seat.next += 1;
        seat.stood = Some(standing);
        seat.goes_on = false;
        Some((bracket, next))
    }

    /// Lets the best of a step go on when all have reached it that will.
    fn close(&mut self, (bracket, at): (usize, usize)) {
        let step = &self.brackets[bracket].steps[at];
        if step.rung.len() + step.lost < step.expected {
            return;
        }
        let k = self.k(bracket, at);
        let may_go_on = |standing: &&Standing| {
            let is_gone = self
                .seats
                .get(&standing.trial)
                .is_none_or(|seat| seat.is_gone);
            standing.score.is_finite() && !is_gone
        };
        let best: Vec<Standing> = step.rung.reached().take(k).copied().collect();
        let best: Vec<Standing> = best.iter().filter(may_go_on).copied().collect();
        for standing in &best {
            if let Some(seat) = self.seats.get_mut(&standing.trial) {
                seat.goes_on = true;
            }
            self.line_up(standing.trial);
        }
        let Some(next) = self.brackets[bracket].steps.get_mut(at + 1) else {
            return;
        };
        next.expected = best.len();
        if best.is_empty() {
            self.close((bracket, at + 1));
        }
    }

    fn next_level(&self, seat: Seat) -> Epochs {
        let kind = self.brackets[seat.bracket].kind;
        self.plan[kind]
            .get(seat.next)
            .map_or(self.rungs.full(), |level| level.at)
    }

    /// The turn of a trial that was judged.
    fn turn(&self, trial: TrialId) -> Option<Turn> {
        let seat = self.seats.get(&trial)?;
        let standing = seat.stood?;
        let level = self.brackets[seat.bracket].steps[seat.next - 1].rung.at();
        Some((Reverse(level), seat.bracket, standing))
    }

    /// Lets a trial wait for its turn, if it has given back its slot and may go on.
    fn line_up(&mut self, trial: TrialId) {
        let waits = self
            .seats
            .get(&trial)
            .is_some_and(|seat| seat.is_parked && seat.goes_on && !seat.is_gone);
        if let Some(turn) = self.turn(trial).filter(|_| waits) {
            self.promoted.insert(turn);
        }
    }
}

impl Scheduler for Hyperband {
    fn rungs(&self) -> &Rungs {
        &self.rungs
    }

    fn enter(&mut self, trial: TrialId) -> Epochs {
        let is_full = |bracket: &Bracket| bracket.entered >= self.plan[bracket.kind][0].n;
        if self.brackets.last().is_none_or(is_full) {
            self.begin_bracket();
        }
        let bracket = self.brackets.len() - 1;
        self.brackets[bracket].entered += 1;
        let seat = Seat {
            bracket,
            next: 0,
            stood: None,
            goes_on: true,
            is_parked: false,
            is_gone: false,
        };
        self.seats.insert(trial, seat);
        self.next_level(seat)
    }

    fn judge(&mut self, progress: &Progress) -> Judgement {
        let (standing, rule) = (progress.standing, self.rule());
        let trial = standing.trial;
        let recorded = self.record(standing);
        let seat = self.seats.get(&trial).copied();
        let Some((seat, stood)) = seat.and_then(|seat| Some((seat, seat.stood?))) else {
            // It has not come to a rung yet, or is in no bracket.
            let to = seat.map_or(self.rungs.next(standing.epochs), |seat| {
                self.next_level(seat)
            });
            return Judgement {
                verdict: Verdict::Continue { to },
                place: None,
                rule,
            };
        };
        if let Some(at) = recorded {
            self.close(at);
        }
        let at = seat.next - 1;
        let place = self.brackets[seat.bracket].steps[at]
            .rung
            .place(&stood, self.k(seat.bracket, at));
        // Only who would be the next to be promoted goes on without giving its slot back.
        let turn = self
            .turn(trial)
            .filter(|_| recorded.is_some() && self.seats[&trial].goes_on);
        let is_next = |turn: &Turn| self.promoted.first().is_none_or(|first| turn < first);
        let verdict = if turn.as_ref().is_some_and(is_next) {
            Verdict::Continue {
                to: self.next_level(seat),
            }
        } else {
            Verdict::Pause
        };
        Judgement {
            verdict,
            place: Some(place),
            rule,
        }
    }

    fn report(&mut self, _: &Progress) -> Option<Judgement> {
        None
    }

    fn pass(&mut self, standing: Standing) {
        // It has ended on its way: it counts where it was to be judged, and does not go on.
        let Some(at) = self.record(standing) else {
            return;
        };
        if let Some(seat) = self.seats.get_mut(&standing.trial) {
            seat.is_gone = true;
        }
        self.close(at);
    }

    fn park(&mut self, trial: TrialId) {
        if let Some(seat) = self.seats.get_mut(&trial) {
            seat.is_parked = true;
        }
        self.line_up(trial);
    }

    fn promotable(&self) -> Option<Promoted> {
        let (_, bracket, standing) = self.promoted.first()?;
        let seat = *self.seats.get(&standing.trial)?;
        let at = seat.next - 1;
        let place = self.brackets[*bracket].steps[at]
            .rung
            .place(standing, self.k(*bracket, at));
        Some(Promoted {
            trial: standing.trial,
            place,
            to: self.next_level(seat),
            rule: self.rule(),
        })
    }

    fn take(&mut self, trial: TrialId) {
        if let Some(turn) = self.turn(trial) {
            self.promoted.remove(&turn);
        }
        if let Some(seat) = self.seats.get_mut(&trial) {
            seat.is_parked = false;
        }
    }

    fn leave(&mut self, trial: TrialId) {
        self.take(trial);
        let Some(seat) = self.seats.get_mut(&trial).filter(|seat| !seat.is_gone) else {
            return;
        };
        seat.is_gone = true;
        let (bracket, next, goes_on) = (seat.bracket, seat.next, seat.goes_on);
        if let Some(step) = self.brackets[bracket]
            .steps
            .get_mut(next)
            .filter(|_| goes_on)
        {
            step.lost += 1;
            self.close((bracket, next));
        }
    }

    fn sizes(&self) -> Vec<usize> {
        let size = |level: &Epochs| {
            let steps = self.brackets.iter().flat_map(|bracket| &bracket.steps);
            let here = steps.filter(|step| step.rung.at() == *level);
            here.map(|step| step.rung.len()).sum()
        };
        self.rungs.judged().iter().map(size).collect()
    }

    fn take_found(&mut self) -> Vec<Found> {
        Vec::new()
    }
}
