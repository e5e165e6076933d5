//! Asynchronous successive halving, promotion variant: the default.
//!
//! A trial pauses at each rung. When a slot is free, rungs are looked at from the top down: the best of a rung
//! that waits goes on, if it is among the best floor(n / eta) of the n scores there; else a new trial starts.
//! Non-finite scores are counted, and never go on.

use super::brackets::{At, Brackets};
use crate::explain::{Place, Rule, Verdict};
use crate::ids::{Epochs, TrialId};
use crate::rungs::Rungs;
use crate::scheduler::{Judgement, Promoted, Scheduler};
use crate::score::Standing;

/// ASHA by promotion.
#[derive(Clone, Debug)]
pub struct Promotion {
    brackets: Brackets,
}

impl Promotion {
    /// One in `eta` goes on; an `eta` under 2 is 2. There are at most as many brackets as levels under R.
    #[must_use]
    pub fn new(rungs: Rungs, eta: u32, n_brackets: u32) -> Self {
        Self {
            brackets: Brackets::new(rungs, eta, n_brackets),
        }
    }

    const fn rule(&self) -> Rule {
        Rule::AshaPromotion {
            eta: self.brackets.eta,
        }
    }

    fn place(&self, at: At, trial: TrialId) -> Option<Place> {
        let eta = self.brackets.eta as usize;
        self.brackets.rung(at).place(trial, |n| n / eta)
    }

    /// Whether the best that waits at this rung may go on, and who it is.
    fn promotable_at(&self, at: At) -> Option<Promoted> {
        let trial = self.brackets.rung(at).best_waiting()?;
        let place = self.place(at, trial)?;
        let promoted = Promoted {
            trial,
            place,
            to: self.brackets.after(at),
            rule: self.rule(),
        };
        (place.score.is_finite() && place.rank <= place.k).then_some(promoted)
    }
}

impl Scheduler for Promotion {
    fn rungs(&self) -> &Rungs {
        &self.brackets.rungs
    }

    fn enter(&mut self, trial: TrialId) -> Epochs {
        self.brackets.enter(trial)
    }

    fn judge(&mut self, standing: Standing) -> Judgement {
        let rule = self.rule();
        let Some(at) = self.brackets.record(standing) else {
            let to = self.brackets.rungs.next(standing.epochs);
            return Judgement {
                verdict: Verdict::Continue { to },
                place: None,
                rule,
            };
        };
        let place = self.place(at, standing.trial);
        self.brackets.park(standing.trial);
        let best = self
            .promotable()
            .filter(|best| best.trial == standing.trial);
        self.brackets.take(standing.trial);
        let verdict = best.map_or(Verdict::Pause, |best| Verdict::Continue { to: best.to });
        Judgement {
            verdict,
            place,
            rule,
        }
    }

    fn pass(&mut self, standing: Standing) {
        self.brackets.record(standing);
    }

    fn park(&mut self, trial: TrialId) {
        self.brackets.park(trial);
    }

    fn promotable(&self) -> Option<Promoted> {
        self.brackets
            .top_down()
            .find_map(|at| self.promotable_at(at))
    }

    fn take(&mut self, trial: TrialId) {
        self.brackets.take(trial);
    }

    fn sizes(&self) -> Vec<usize> {
        self.brackets.sizes()
    }
}
