//! Talk for programs: every piece of news as one JSON object a line on stdout.
//!
//! The objects are written out by hand, so that the names stay what they are when types are renamed.

use std::time::Duration;

use serde_json::{Value, json};

use super::Data;
use super::news::{News, Phase, Talk};
use crate::error::Error;
use crate::run_plan::RunPlan;

/// Talks to a program.
#[derive(Debug)]
pub(super) struct Json;

impl Talk for Json {
    fn tell(&self, at: Duration, news: &News) {
        Data::new().json(&object(at, news));
    }
}

/// Says one thing, as an object.
pub(super) fn say(kind: &str, text: &str) {
    Data::new().json(&json!({ "event": kind, "text": text }));
}

/// Says what a run will do, as an object.
pub(super) fn say_plan(plan: &RunPlan) {
    let mut object = json!({ "event": "plan" });
    if let (Value::Object(object), Value::Object(plan)) = (&mut object, plan.to_json()) {
        object.extend(plan);
    }
    Data::new().json(&object);
}

/// Says an error as an object.
pub(super) fn say_error(error: &Error) {
    Data::new().json(&json!({ "event": "error", "message": error.to_string(), "hint": error.hint(), "exit_code": error.exit().code() }));
}

/// The object of a piece of news.
fn object(at: Duration, news: &News) -> Value {
    let mut object = match news {
        News::RunOpened { name, folder } => {
            json!({ "event": "run_opened", "name": name, "folder": folder })
        }
        News::PhaseBegan(phase) => json!({ "event": "phase_began", "phase": phase_name(*phase) }),
        News::Progress { unit, done, of } => {
            json!({ "event": "progress", "unit": unit, "done": done, "of": of })
        }
        News::Finding(text) => json!({ "event": "finding", "text": text }),
        News::Reason { what, why } => json!({ "event": "reason", "what": what, "why": why }),
        News::Warning(text) => json!({ "event": "warning", "text": text }),
        News::LegStarted {
            trial,
            origin,
            from,
            to,
        } => {
            json!({ "event": "leg_started", "trial": trial, "origin": origin, "from": from, "to": to })
        }
        // A score that is not finite becomes null: JSON has no other word for it.
        News::Reported {
            trial,
            epoch,
            score,
        } => json!({ "event": "reported", "trial": trial, "epoch": epoch, "score": score }),
        News::Decided {
            trial,
            verdict,
            reason,
        } => json!({ "event": "decided", "trial": trial, "verdict": verdict, "reason": reason }),
        News::TrialEnded {
            trial,
            outcome,
            cause,
        } => json!({ "event": "trial_ended", "trial": trial, "outcome": outcome, "cause": cause }),
        News::BestChanged {
            trial,
            epoch,
            score,
        } => json!({ "event": "best_changed", "trial": trial, "epoch": epoch, "score": score }),
        News::Standing {
            n_trials,
            n_finished,
            busy,
            slots,
            left,
        } => json!({
            "event": "standing", "n_trials": n_trials, "n_finished": n_finished, "busy": busy, "slots": slots,
            "left_s": left.map(|left| left.as_secs_f64()),
        }),
    };
    if let Value::Object(map) = &mut object {
        let millis = (at.as_secs_f64() * 1000.0).round() / 1000.0;
        map.insert("at_s".to_owned(), json!(millis));
    }
    object
}

fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Open => "open",
        Phase::Profile => "profile",
        Phase::Propose => "propose",
        Phase::Prepare => "prepare",
        Phase::Search => "search",
        Phase::Finish => "finish",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_are_one_flat_object_with_their_time() {
        let at = Duration::from_millis(1500);
        let seen = object(
            at,
            &News::Reported {
                trial: 3,
                epoch: 7,
                score: f64::NAN,
            },
        )
        .to_string();
        assert_eq!(
            seen,
            r#"{"event":"reported","trial":3,"epoch":7,"score":null,"at_s":1.5}"#
        );
        let seen = object(at, &News::PhaseBegan(Phase::Search)).to_string();
        assert_eq!(
            seen,
            r#"{"event":"phase_began","phase":"search","at_s":1.5}"#
        );
    }
}
