//! A decision on a trial, for whoever listens.

use schedulers::explain::{Decision, Verdict};

use super::dispatcher::Dispatcher;
use crate::output::News;

impl Dispatcher<'_> {
    /// Tells a decision on a trial in words.
    pub(super) fn tell_decision(&self, decision: &Decision) {
        if let Some((trial, verdict)) = verdict(decision) {
            let reason = decision.sentence(self.setup.direction);
            let news = News::Decided {
                trial,
                verdict: verdict.to_owned(),
                reason,
            };
            self.talk.tell(self.now.0, &news);
        }
    }
}

/// The trial a decision is about, and the word for what becomes of it.
fn verdict(decision: &Decision) -> Option<(u32, &'static str)> {
    match decision {
        Decision::Judged { trial, verdict, .. } => Some((
            trial.0,
            match verdict {
                Verdict::Continue { .. } => "continue",
                Verdict::Pause => "pause",
                Verdict::Stop => "stop",
                Verdict::Complete => "complete",
            },
        )),
        Decision::Promoted { trial, .. } | Decision::Finished { trial, .. } => {
            Some((trial.0, "continue"))
        }
        Decision::Stopped { trial, .. } => Some((trial.0, "stop")),
        Decision::Retried { trial, .. } => Some((trial.0, "retry")),
        Decision::Failed { trial, .. } => Some((trial.0, "fail")),
        Decision::Length { .. }
        | Decision::Portfolio { .. }
        | Decision::FirstRungRaised { .. }
        | Decision::CapRaised { .. }
        | Decision::Straight { .. }
        | Decision::Finishing { .. }
        | Decision::Exhausted
        | Decision::Ignored { .. } => None,
    }
}
