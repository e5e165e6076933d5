//! The linear baseline as something that legs are trained of: one epoch, and it is done.

use std::collections::BTreeMap;

use datasets::store::{Part, Prepared};
use schedulers::protocol::{Report, TrainOn, TrainTask};
use search::Metric;
use search::config::model::Linear;

use super::learner::Learner;
use super::network::metric;
use crate::baseline::{LinearModel, Rows};
use crate::error::Result;
use crate::metric;
use crate::model::Arrays;
use crate::package::{About, Family, Package};
use crate::predict::{Predictor, kind_of, linear_predictor};
use crate::session::{Pulse, Stopwatch};

/// A linear model that was fitted when it was made; its one epoch tells of it.
pub(super) struct LinearLearner<'a> {
    model: LinearModel,
    config: &'a Linear,
    config_text: &'a str,
    prepared: &'a Prepared,
    /// Rows it is judged on; none after a refit on both parts.
    judged_on: &'a [u32],
    objective: Metric,
    about: About,
    fit_s: f64,
    n_rows: u64,
    is_told: bool,
}

impl<'a> LinearLearner<'a> {
    /// Fits it: a second for a million numbers.
    pub(super) fn new(
        config: &'a Linear,
        config_text: &'a str,
        task: &TrainTask,
        prepared: &'a Prepared,
    ) -> Result<Self> {
        let schema = &prepared.manifest().schema;
        let watch = Stopwatch::start();
        let (train, validation) = (prepared.part(Part::Train), prepared.part(Part::Validation));
        let fit = |config: &Linear, train: &[u32], validation: &[u32]| {
            let arrays = Arrays::from(prepared);
            LinearModel::fit(
                schema,
                config,
                &Rows {
                    arrays,
                    target: prepared.target(),
                    weights: prepared.weights(),
                    train,
                    validation,
                },
            )
        };
        let chosen = fit(config, train, validation)?;
        let (model, judged_on, n_rows) = match task.on {
            TrainOn::Train => (chosen, validation, train.len()),
            TrainOn::TrainAndValidation => {
                let mut all = [train, validation].concat();
                all.sort_unstable();
                let config = Linear {
                    l2: chosen.l2(),
                    ..config.clone()
                };
                (fit(&config, &all, &[])?, &[][..], all.len())
            }
        };
        let mut about = About::new(Family::Linear, schema);
        about.metric = Some(task.metric.clone());
        about.trial = Some(task.trial);
        about.epoch = Some(1);
        Ok(Self {
            model,
            config,
            config_text,
            prepared,
            judged_on,
            objective: metric(task, schema.target.kind)?,
            about,
            fit_s: watch.seconds(),
            n_rows: n_rows as u64,
            is_told: false,
        })
    }

    fn scores(&self) -> BTreeMap<String, f64> {
        if self.judged_on.is_empty() {
            return BTreeMap::new();
        }
        let gather = |values: &[f32]| -> Vec<f32> {
            self.judged_on
                .iter()
                .map(|&row| values[row as usize])
                .collect()
        };
        let (truth, weights) = (
            gather(self.prepared.target()),
            self.prepared.weights().map(gather),
        );
        let predictions = linear_predictor(self.model.clone(), self.config, &self.about.target)
            .predict(&Arrays::from(self.prepared), self.judged_on);
        let kind = kind_of(self.about.target.kind);
        // The fit is paid once: every metric of the kind costs little beside it.
        let all = Metric::all_for(kind)
            .filter(|other| *other != self.objective)
            .chain([self.objective]);
        all.map(|metric| {
            (
                metric.name(),
                metric::evaluate(metric, &truth, &predictions, weights.as_deref()),
            )
        })
        .collect()
    }
}

impl Learner for LinearLearner<'_> {
    fn n_params(&self) -> u64 {
        self.model.n_params() as u64
    }

    fn n_rows(&self) -> u64 {
        self.n_rows
    }

    fn epochs(&self) -> u32 {
        u32::from(self.is_told)
    }

    fn is_exhausted(&self) -> bool {
        self.is_told
    }

    fn train_epoch(&mut self, pulse: &Pulse) -> Result<Option<Report>> {
        pulse.beat();
        let watch = Stopwatch::start();
        self.about.scores = self.scores();
        self.is_told = true;
        let (best_epoch, score) = self.best();
        let scores = self.about.scores.clone();
        let (train_s, eval_s) = (self.fit_s, watch.seconds());
        Ok(Some(Report {
            epoch: 1,
            loss: f64::NAN,
            score,
            scores,
            best_epoch,
            best_score: score,
            train_s,
            eval_s,
            n_rows: self.n_rows,
        }))
    }

    fn best(&self) -> (u32, f64) {
        let score = self
            .about
            .scores
            .get(&self.objective.name())
            .copied()
            .unwrap_or(f64::NAN);
        (self.epochs(), score)
    }

    /// Nothing to keep: the fit is the same when it is made again.
    fn save(&mut self) -> Result<()> {
        Ok(())
    }

    fn package(&self) -> Result<Package> {
        let schema = &self.prepared.manifest().schema;
        let mut about = self.about.clone();
        about.scores.retain(|_, score| score.is_finite());
        Ok(Package {
            about,
            config: self.config_text.to_owned(),
            encodings: serde_json::json!({ "schema": schema, "linear": self.model.encodings()? }),
            weights: self.model.to_safetensors()?,
        })
    }
}
