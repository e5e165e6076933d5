//! What the lines of a program come to: reports, and the end of a leg.

use std::collections::BTreeMap;

use schedulers::protocol::{Report, TrialMessage};
use schedulers::{Direction, Epochs};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The key that says which epoch a line is about; without it lines are counted.
const EPOCH: &str = "epoch";

/// The best score of a trial so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Best {
    pub(super) epoch: Epochs,
    pub(super) score: f64,
}

/// One trial's standing, as its lines tell it.
#[derive(Debug)]
pub(super) struct Account {
    metric: String,
    direction: Direction,
    /// A full trial is one epoch: the program runs to its end, and its last line counts.
    is_one_shot: bool,
    /// Where this leg ends.
    to: Epochs,
    /// The last epoch that was reported.
    epoch: Epochs,
    /// Lines with the metric since the program was started, counted from where it was to go on.
    counted: Epochs,
    best: Option<Best>,
    /// The last report of a program that runs to its end.
    last: Option<Report>,
    /// Seconds of training in this leg.
    seconds: f64,
}

impl Account {
    /// The account of a trial with `from` epochs behind it, whose leg ends at `to`; `full` is a full trial. `goes_on`
    /// says whether a program that is started now goes on from there, or begins from nothing.
    pub(super) fn new(
        metric: &str,
        direction: Direction,
        (from, to, full): (Epochs, Epochs, Epochs),
        goes_on: bool,
        best: Option<Best>,
    ) -> Self {
        Self {
            metric: metric.to_owned(),
            direction,
            is_one_shot: full == 1,
            to,
            epoch: from,
            counted: if goes_on { from } else { 0 },
            best,
            last: None,
            seconds: 0.0,
        }
    }

    /// Takes a line that came `seconds` after the one before; a report, where it is one and is to be told now.
    pub(super) fn line(&mut self, line: &str, seconds: f64) -> Option<Report> {
        let found = object(line)?;
        let score = number(found.get(&self.metric)?)?;
        let scores: BTreeMap<String, f64> = found
            .iter()
            .filter(|(key, _)| *key != EPOCH)
            .filter_map(|(key, value)| Some((key.clone(), number(value)?)))
            .collect();
        self.counted = self.counted.saturating_add(1);
        let written = found.get(EPOCH).and_then(Value::as_u64);
        let epoch = written.map_or(self.counted, |epoch| {
            Epochs::try_from(epoch).unwrap_or(Epochs::MAX)
        });
        let epoch = if self.is_one_shot {
            1
        } else {
            // A program that was started again from nothing tells of what is known once more.
            epoch.min(self.to)
        };
        if epoch <= self.epoch {
            return None;
        }
        let is_better = self.is_one_shot
            || self
                .best
                .is_none_or(|best| !is_no_better(score, best.score, self.direction));
        let best = if is_better {
            Best { epoch, score }
        } else {
            self.best?
        };
        let mut report = Report {
            epoch,
            loss: scores.get("loss").copied().unwrap_or(f64::NAN),
            score,
            scores,
            best_epoch: best.epoch,
            best_score: best.score,
            train_s: seconds,
            eval_s: 0.0,
            n_rows: 0,
        };
        self.seconds += seconds;
        self.best = Some(best);
        if self.is_one_shot {
            report.train_s = self.seconds;
            self.last = Some(report);
            return None;
        }
        self.epoch = epoch;
        Some(report)
    }

    /// The program ended by itself: the report that was held back.
    pub(super) fn ended(&mut self) -> Option<Report> {
        let report = self.last.take()?;
        self.epoch = report.epoch;
        Some(report)
    }

    /// Whether the leg is at its end.
    pub(super) fn is_at_end(&self) -> bool {
        self.epoch >= self.to
    }

    /// The end of the leg, at the epoch that was reached; `None` when nothing was ever reported.
    pub(super) fn leg_end(&mut self) -> Option<TrialMessage> {
        let best = self.best.filter(|_| self.epoch > 0)?;
        let seconds = std::mem::take(&mut self.seconds);
        Some(TrialMessage::LegEnd {
            epoch: self.epoch,
            best_epoch: best.epoch,
            best_score: best.score,
            train_s: seconds,
        })
    }

    /// The next leg, which ends at `to`.
    pub(super) fn go_on(&mut self, to: Epochs) {
        self.to = to;
    }

    /// The program is started again, to go on from what is behind it.
    pub(super) fn started_again(&mut self) {
        self.counted = self.epoch;
    }

    /// Epochs behind it.
    pub(super) fn epoch(&self) -> Epochs {
        self.epoch
    }

    /// Lines with the metric since the program was started.
    pub(super) fn n_lines(&self) -> Epochs {
        self.counted
    }

    /// Where the leg ends.
    pub(super) fn to(&self) -> Epochs {
        self.to
    }

    /// The best so far.
    pub(super) fn best(&self) -> Option<Best> {
        self.best
    }
}

/// Ties, and what is no number, are no better; anything is better than what is no number.
fn is_no_better(score: f64, best: f64, direction: Direction) -> bool {
    match direction {
        _ if best.is_nan() => score.is_nan(),
        Direction::Maximise => score.is_nan() || score <= best,
        Direction::Minimise => score.is_nan() || score >= best,
    }
}

/// The object on a line. Python writes NaN and Infinity, which JSON does not have.
fn object(line: &str) -> Option<Map<String, Value>> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    if let Ok(found) = serde_json::from_str(line) {
        return Some(found);
    }
    let mut text = String::with_capacity(line.len());
    let mut is_text = false;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let word = ["NaN", "-Infinity", "Infinity"]
            .into_iter()
            .find(|word| !is_text && rest.starts_with(word));
        if let Some(word) = word {
            text.push_str(&format!("\"{word}\""));
            rest = &rest[word.len()..];
            continue;
        }
        // What follows a backslash in a text ends nothing.
        let n = if is_text && c == '\\' {
            rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at)
        } else {
            is_text ^= c == '"';
            c.len_utf8()
        };
        text.push_str(&rest[..n]);
        rest = &rest[n..];
    }
    serde_json::from_str(&text).ok()
}

/// A score. `null` is a missing one.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::Null => Some(f64::NAN),
        Value::String(word) => match word.as_str() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests;
