//! No early stopping: each trial runs to R, in the order of suggestion.

use crate::explain::{Rule, Verdict};
use crate::ids::{Epochs, TrialId};
use crate::rungs::Rungs;
use crate::scheduler::{Found, Judgement, Progress, Promoted, Scheduler};
use crate::score::Standing;

/// First in, first out.
#[derive(Clone, Debug)]
pub struct Fifo {
    rungs: Rungs,
}

impl Fifo {
    /// Trials run to `full`.
    #[must_use]
    pub fn new(full: Epochs) -> Self {
        Self {
            rungs: Rungs::none(full),
        }
    }
}

impl Scheduler for Fifo {
    fn rungs(&self) -> &Rungs {
        &self.rungs
    }

    fn enter(&mut self, _: TrialId) -> Epochs {
        self.rungs.full()
    }

    fn judge(&mut self, _: &Progress) -> Judgement {
        Judgement {
            verdict: Verdict::Continue {
                to: self.rungs.full(),
            },
            place: None,
            rule: Rule::Fifo,
        }
    }

    fn report(&mut self, _: &Progress) -> Option<Judgement> {
        None
    }

    fn pass(&mut self, _: Standing) {}

    fn park(&mut self, _: TrialId) {}

    fn promotable(&self) -> Option<Promoted> {
        None
    }

    fn take(&mut self, _: TrialId) {}

    fn leave(&mut self, _: TrialId) {}

    fn sizes(&self) -> Vec<usize> {
        Vec::new()
    }

    fn take_found(&mut self) -> Vec<Found> {
        Vec::new()
    }
}
