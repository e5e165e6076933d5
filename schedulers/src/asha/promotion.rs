//! Asynchronous successive halving, promotion variant: the default.
//!
//! A trial pauses at each rung. When a slot is free, rungs are looked at from the top down: the best of a rung
//! that waits goes on, if it is among the best floor(n / eta) of the n scores there; else a new trial starts.
//! Non-finite scores are counted, and never go on.

use super::brackets::{At, Brackets};
use super::cap::Cap;
use super::guard::AGREEMENT;
use crate::conductor::Shares;
use crate::explain::{Place, Rule, Verdict};
use crate::ids::{Epochs, TrialId};
use crate::rungs::Rungs;
use crate::scheduler::{Found, Judgement, Progress, Promoted, Scheduler};
use crate::score::Standing;

/// ASHA by promotion.
#[derive(Clone, Debug)]
pub struct Promotion {
    brackets: Brackets,
    cap: Option<Cap>,
    found: Vec<Found>,
}

impl Promotion {
    /// One in `eta` goes on; an `eta` under 2 is 2. There are at most as many brackets as levels under R.
    #[must_use]
    pub fn new(rungs: Rungs, eta: u32, n_brackets: u32, shares: Shares) -> Self {
        Self {
            brackets: Brackets::new(rungs, eta, n_brackets, shares),
            cap: None,
            found: Vec::new(),
        }
    }

    /// With the guard: the second bracket, opened if it was not, is the hedge that the first rung is measured by.
    #[must_use]
    pub fn guarded(mut self) -> Self {
        self.brackets = self.brackets.guarded();
        self
    }

    /// With a cap on the rungs that rises only when it must (PASHA). Beside the guard it holds only while the guard
    /// finds the order at the first rung as good as that of the next.
    #[must_use]
    pub fn capped(mut self) -> Self {
        self.cap = Some(Cap::new());
        self
    }

    const fn rule(&self) -> Rule {
        Rule::AshaPromotion {
            eta: self.brackets.eta,
        }
    }

    fn k(&self, at: At) -> usize {
        self.brackets.rung(at).len() / self.brackets.eta as usize
    }

    fn place(&self, at: At, standing: &Standing) -> Place {
        self.brackets.rung(at).place(standing, self.k(at))
    }

    /// Whether who has reached this rung may go on at all.
    fn is_open(&self, at: At) -> bool {
        let Some(cap) = &self.cap else {
            return true;
        };
        let agrees = self
            .brackets
            .trust()
            .is_some_and(|found| found.rho > AGREEMENT);
        let holds = !self.brackets.is_guarded() || agrees;
        !holds || Brackets::level(at) < cap.top().max(self.brackets.base().0 + 1)
    }

    /// The best that waits at this rung, if it may go on.
    fn promotable_at(&self, at: At) -> Option<Standing> {
        let best = self.brackets.rung(at).best_waiting()?;
        let may_go_on = self.is_open(at) && self.brackets.rung(at).is_among(best, self.k(at));
        may_go_on.then_some(*best)
    }

    fn best(&self) -> Option<(At, Standing)> {
        self.brackets
            .top_down()
            .find_map(|at| Some((at, self.promotable_at(at)?)))
    }

    /// Opens the next rung when the trials at the highest open one are in another order than one below.
    fn reconsider(&mut self, at: At) {
        let (base, rungs) = self.brackets.base();
        let Some(cap) = self
            .cap
            .as_mut()
            .filter(|cap| at.0 == base && Brackets::level(at) == cap.top())
        else {
            return;
        };
        let Some(below) = at.1.checked_sub(1).map(|below| rungs[below].at()) else {
            return;
        };
        let here = rungs[at.1].at();
        let best = rungs[at.1].reached().map(|standing| standing.trial);
        if let Some(raise) = cap.reconsider(best, (below, here)) {
            self.found.push(Found::CapRaised {
                from: here,
                to: self.brackets.after(at),
                n: raise.n,
                epsilon: raise.epsilon,
            });
        }
    }
}

impl Scheduler for Promotion {
    fn rungs(&self) -> &Rungs {
        &self.brackets.rungs
    }

    fn enter(&mut self, trial: TrialId) -> Epochs {
        self.brackets.enter(trial)
    }

    fn judge(&mut self, progress: &Progress) -> Judgement {
        let (standing, rule) = (progress.standing, self.rule());
        if let Some(cap) = &mut self.cap {
            cap.watch(standing.trial, standing.epochs, standing.score);
        }
        let Some((at, standing)) = self.brackets.record(standing) else {
            let to = self.brackets.rungs.next(standing.epochs);
            return Judgement {
                verdict: Verdict::Continue { to },
                place: None,
                rule,
            };
        };
        self.reconsider(at);
        let place = Some(self.place(at, &standing));
        // Only who would be the next to be promoted goes on without giving its slot back.
        let mut verdict = Verdict::Pause;
        if self.is_open(at) && self.brackets.rung(at).is_among(&standing, self.k(at)) {
            self.brackets.park(standing.trial);
            if self
                .best()
                .is_some_and(|(_, best)| best.trial == standing.trial)
            {
                verdict = Verdict::Continue {
                    to: self.brackets.after(at),
                };
            }
            self.brackets.take(standing.trial);
        }
        Judgement {
            verdict,
            place,
            rule,
        }
    }

    fn report(&mut self, progress: &Progress) -> Option<Judgement> {
        if let Some(cap) = &mut self.cap {
            cap.watch(
                progress.standing.trial,
                progress.standing.epochs,
                progress.last,
            );
        }
        if !progress.ends_leg {
            self.brackets.record(progress.standing);
        }
        None
    }

    fn pass(&mut self, standing: Standing) {
        self.brackets.record(standing);
    }

    fn park(&mut self, trial: TrialId) {
        self.brackets.park(trial);
    }

    fn promotable(&self) -> Option<Promoted> {
        let (at, best) = self.best()?;
        Some(Promoted {
            trial: best.trial,
            place: self.place(at, &best),
            to: self.brackets.after(at),
            rule: self.rule(),
        })
    }

    fn take(&mut self, trial: TrialId) {
        self.brackets.take(trial);
    }

    fn leave(&mut self, trial: TrialId) {
        self.brackets.take(trial);
    }

    fn sizes(&self) -> Vec<usize> {
        self.brackets.sizes()
    }

    fn take_found(&mut self) -> Vec<Found> {
        let mut found = self.brackets.take_found();
        found.append(&mut self.found);
        found
    }
}
