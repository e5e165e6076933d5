//! A network as something that legs are trained of.

use std::path::PathBuf;

use datasets::encode::TargetKind;
use datasets::store::{Part, Prepared};
use schedulers::protocol::{Report, TrainOn, TrainTask};
use search::Metric;
use search::config::model::Network;
use tch::Device;

use super::learner::Learner;
use crate::error::{Error, Result};
use crate::package::{About, Family, Package};
use crate::session::{Ask, Pulse, Stopwatch};
use crate::train::{Flow, Options, Trained, Trainer};

/// A network in training, with what its model folder will say.
pub(super) struct NetworkLearner<'a> {
    trainer: Trainer<'a>,
    about: About,
    config_text: &'a str,
    checkpoint_dir: PathBuf,
    n_rows: u64,
}

impl<'a> NetworkLearner<'a> {
    /// Goes on from the newest whole checkpoint of the trial's folder, else begins.
    pub(super) fn new(
        network: &Network,
        config_text: &'a str,
        task: &TrainTask,
        prepared: &'a Prepared,
        device: Device,
    ) -> Result<Self> {
        let schema = &prepared.manifest().schema;
        let options = options(
            task,
            metric(task, schema.target.kind)?,
            schema.target.kind,
            device,
        );
        let checkpoint_dir = task.trial_dir.join("checkpoint");
        let trainer = match Trainer::resume(network, prepared, &options, &checkpoint_dir)? {
            Some(trainer) => trainer,
            None if task.from > 0 => {
                return Err(Error::corrupt(
                    &checkpoint_dir,
                    format!(
                        "there is no checkpoint, and the leg begins at epoch {}",
                        task.from
                    ),
                ));
            }
            None => Trainer::new(network, prepared, &options)?,
        };
        let mut about = About::new(Family::Network, schema);
        about.metric = Some(task.metric.clone());
        about.trial = Some(task.trial);
        Ok(Self {
            n_rows: epoch_rows(task.on, task.epoch_rows, prepared),
            trainer,
            about,
            config_text,
            checkpoint_dir,
        })
    }
}

impl Learner for NetworkLearner<'_> {
    fn n_params(&self) -> u64 {
        self.trainer.n_params() as u64
    }

    fn n_rows(&self) -> u64 {
        self.n_rows
    }

    fn epochs(&self) -> u32 {
        self.trainer.epoch()
    }

    fn is_exhausted(&self) -> bool {
        self.trainer.is_exhausted()
    }

    fn train_epoch(&mut self, pulse: &Pulse) -> Result<Option<Report>> {
        let mut watch = Stopwatch::start();
        let trained = self.trainer.train(&mut || match pulse.beat() {
            Ask::GoOn | Ask::Pause => Flow::GoOn,
            Ask::Stop | Ask::Gone => Flow::Stop,
        })?;
        let Trained::Epoch {
            epoch,
            loss,
            n_rows,
        } = trained
        else {
            return Ok(None);
        };
        let train_s = watch.lap();
        let judged = self.trainer.judge()?;
        if judged.improved {
            self.about.scores = judged.scores.clone();
        }
        let (score, scores) = (judged.score, judged.scores);
        let (best_epoch, best_score) = (judged.best.epoch, judged.best.score);
        Ok(Some(Report {
            epoch,
            loss,
            score,
            scores,
            best_epoch,
            best_score,
            train_s,
            eval_s: watch.lap(),
            n_rows,
        }))
    }

    fn best(&self) -> (u32, f64) {
        self.trainer
            .best()
            .map_or((0, f64::NAN), |best| (best.epoch, best.score))
    }

    fn save(&mut self) -> Result<()> {
        self.trainer.checkpoint(&self.checkpoint_dir)
    }

    fn package(&self) -> Result<Package> {
        let (epoch, score) = self.best();
        let mut about = self.about.clone();
        about.epoch = Some(epoch);
        // After a resume only the score that chose the epoch is known.
        if let Some(metric) = about.metric.clone().filter(|_| score.is_finite()) {
            about.scores.insert(metric, score);
        }
        about.scores.retain(|_, score| score.is_finite());
        let encodings = serde_json::to_value(self.trainer.codings())
            .map_err(|e| Error::Bug(format!("codings that are no JSON: {e}")))?;
        Ok(Package {
            about,
            config: self.config_text.to_owned(),
            encodings,
            weights: self.trainer.best_weights()?,
        })
    }
}

/// Rows of one epoch.
pub(super) fn epoch_rows(on: TrainOn, epoch_rows: Option<u64>, prepared: &Prepared) -> u64 {
    let n_validation = match on {
        TrainOn::Train => 0,
        TrainOn::TrainAndValidation => prepared.part(Part::Validation).len(),
    };
    let all = (prepared.part(Part::Train).len() + n_validation) as u64;
    epoch_rows.map_or(all, |rows| rows.min(all))
}

/// The metric of a task, which must be one for its target.
pub(super) fn metric(task: &TrainTask, kind: TargetKind) -> Result<Metric> {
    let kind = crate::predict::kind_of(kind);
    Metric::named(&task.metric, kind).ok_or_else(|| {
        Error::Config(format!(
            "\"{}\" is no metric of a {} target",
            task.metric,
            kind.name()
        ))
    })
}

fn options(task: &TrainTask, metric: Metric, kind: TargetKind, device: Device) -> Options {
    // Cheap ones: each epoch pays for them.
    let beside: &[Metric] = match kind {
        TargetKind::Binary | TargetKind::Category => &[Metric::LogLoss, Metric::Accuracy],
        TargetKind::Number => &[Metric::RootMeanSquaredError, Metric::R2],
    };
    Options {
        full: task.full,
        epoch_rows: task.epoch_rows,
        seed: task.seed,
        metric,
        metrics: beside
            .iter()
            .copied()
            .filter(|other| *other != metric)
            .collect(),
        on: task.on,
        device,
    }
}
