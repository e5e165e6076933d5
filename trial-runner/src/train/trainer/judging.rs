//! What an epoch is worth: its scores, and whether it is the best so far.

use std::collections::BTreeMap;

use datasets::store::Part;
use schedulers::protocol::TrainOn;
use search::Metric;

use super::Trainer;
use crate::error::Result;
use crate::metric::{self, Predictions};
use crate::train::guarded;

/// The scores of an epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The metric that picks the best epoch; NaN where it has no value or there is nothing to judge on.
    pub score: f64,
    /// That one and the further ones, by name.
    pub scores: BTreeMap<String, f64>,
    /// The best epoch so far.
    pub best: Best,
    /// Whether that is this one.
    pub improved: bool,
}

/// The best epoch of a training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    /// Which one, counted from 1.
    pub epoch: u32,
    /// Its score; NaN where epochs have none.
    pub score: f64,
}
impl Trainer<'_> {
    /// Scores the epoch just trained on the validation part, and keeps its weights when it is the best so
    /// far. Where there is nothing to judge on, the last epoch is the best.
    pub fn judge(&mut self) -> Result<Judged> {
        guarded(|| {
            let rows = match self.options.on {
                TrainOn::Train => self.prepared.part(Part::Validation),
                TrainOn::TrainAndValidation => &[],
            };
            let metrics: Vec<Metric> = std::iter::once(self.options.metric)
                .chain(self.options.metrics.iter().copied())
                .collect();
            let scores = if rows.is_empty() {
                BTreeMap::new()
            } else {
                let predictions = self.network.predict(&self.arrays, rows);
                self.scores(&metrics, rows, &predictions)
            };
            let score = scores
                .get(&self.options.metric.name())
                .copied()
                .unwrap_or(f64::NAN);
            let improved = rows.is_empty() || self.is_better(score);
            if improved {
                let best = Best {
                    epoch: self.epoch,
                    score,
                };
                self.best = Some((best, self.network.parameters().to_vec()));
                self.stale = 0;
            } else {
                self.stale += 1;
            }
            let best = self.best().unwrap_or(Best {
                epoch: 0,
                score: f64::NAN,
            });
            Ok(Judged {
                score,
                scores,
                best,
                improved,
            })
        })
    }

    /// Whether a score beats the best so far. One that is not finite never does, but for the very first
    /// epoch: some weights must be kept.
    fn is_better(&self, score: f64) -> bool {
        match self.best() {
            None => true,
            Some(_) if !score.is_finite() => false,
            Some(best) if !best.score.is_finite() => true,
            Some(best) if self.options.metric.maximise() => score > best.score,
            Some(best) => score < best.score,
        }
    }

    /// Predictions of the best epoch for a part, in the order of its rows.
    pub fn predict(&mut self, part: Part) -> Result<Predictions> {
        let rows = self.prepared.part(part);
        guarded(|| {
            let Some((_, best)) = &self.best else {
                return Ok(self.network.predict(&self.arrays, rows));
            };
            let present = self.network.parameters().to_vec();
            self.network.parameters_mut().set(best);
            let predictions = self.network.predict(&self.arrays, rows);
            self.network.parameters_mut().set(&present);
            Ok(predictions)
        })
    }

    /// Scores of the best epoch on a part.
    pub fn evaluate(&mut self, part: Part, metrics: &[Metric]) -> Result<BTreeMap<String, f64>> {
        let predictions = self.predict(part)?;
        Ok(self.scores(metrics, self.prepared.part(part), &predictions))
    }

    fn scores(
        &self,
        metrics: &[Metric],
        rows: &[u32],
        predictions: &Predictions,
    ) -> BTreeMap<String, f64> {
        let gather =
            |values: &[f32]| -> Vec<f32> { rows.iter().map(|&row| values[row as usize]).collect() };
        let truth = gather(self.prepared.target());
        let weights = self.prepared.weights().map(gather);
        let of =
            |metric: &Metric| metric::evaluate(*metric, &truth, predictions, weights.as_deref());
        metrics
            .iter()
            .map(|metric| (metric.name(), of(metric)))
            .collect()
    }
}
