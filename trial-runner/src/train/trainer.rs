//! One network in training.

use std::collections::BTreeMap;
use std::path::Path;

use datasets::split::SplitSpec;
use datasets::store::{Part, Prepared};
use schedulers::protocol::TrainOn;
use search::Metric;
use search::config::model as config;
use search::config::trainer::Regularization;
use tch::Device;

use super::guard::guarded;
use super::order::{Cut, Order};
use super::schedule::Rate;
use crate::checkpoint::{self, Checkpoint, Progress};
use crate::error::{Error, Result};
use crate::metric::{self, Predictions};
use crate::model::decoder::Targets;
use crate::model::pass::Training;
use crate::model::stream::Stream;
use crate::model::{Arrays, Codings, Network, weights};
use crate::optimizer::{self, Optimizer};

/// What a training is, beside its config and its data.
#[derive(Debug, Clone)]
pub struct Options {
    /// Epochs of the full training, R: what the schedule spans.
    pub full: u32,
    /// Rows of an epoch when it is less than a pass.
    pub epoch_rows: Option<u64>,
    /// Seed of the trial: first weights, shuffles and dropout all come from it.
    pub seed: u64,
    /// What picks the best epoch.
    pub metric: Metric,
    /// Further metrics of each epoch.
    pub metrics: Vec<Metric>,
    /// Which rows to train on.
    pub on: TrainOn,
    /// Where the tensors lie.
    pub device: Device,
}

/// Whether a training goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// With the next step.
    GoOn,
    /// No more: the epoch is left as it is.
    Stop,
}

/// What watches a training.
pub trait Control {
    /// Called before each step; must be cheap.
    fn on_step(&mut self) -> Flow;
}

impl<F: FnMut() -> Flow> Control for F {
    fn on_step(&mut self) -> Flow {
        self()
    }
}

/// What became of an epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trained {
    /// All its steps are taken.
    Epoch {
        /// Which one, counted from 1.
        epoch: u32,
        /// Mean training loss over its steps.
        loss: f64,
        /// Rows seen.
        n_rows: u64,
    },
    /// It was stopped between two steps. The training cannot go on from here, but from the last checkpoint.
    Interrupted,
}

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

/// A network in training on prepared arrays, which it only borrows.
#[derive(Debug)]
pub struct Trainer<'a> {
    arrays: Arrays<'a>,
    prepared: &'a Prepared,
    config: config::Network,
    options: Options,
    network: Network,
    optimizer: Optimizer,
    order: Order,
    rate: Rate,
    /// What every weight is divided by, so that their mean over the training rows is 1.
    mean_weight: f32,
    epoch: u32,
    step: u64,
    best: Option<(Best, Vec<f32>)>,
    /// Judged epochs since the best one.
    stale: u32,
}

impl<'a> Trainer<'a> {
    /// A training before its first epoch: codings fitted, weights drawn.
    pub fn new(
        config: &config::Network,
        prepared: &'a Prepared,
        options: &Options,
    ) -> Result<Self> {
        guarded(|| {
            let rows = training_rows(prepared, options.on);
            let arrays = Arrays::from(prepared);
            let mut codings = Codings::fit(
                config,
                &prepared.manifest().schema,
                &arrays,
                prepared.target(),
                &rows,
            )?;
            if matches!(prepared.manifest().split.spec, SplitSpec::Datetime { .. }) {
                codings.without_trend();
            }
            Self::with(config, prepared, options, rows, codings)
        })
    }

    /// The training that the checkpoint in `dir` is of, from there on. `None` when there is no checkpoint.
    pub fn resume(
        config: &config::Network,
        prepared: &'a Prepared,
        options: &Options,
        dir: &Path,
    ) -> Result<Option<Self>> {
        let Some(checkpoint) = checkpoint::load(dir)? else {
            return Ok(None);
        };
        let mut trainer = Self::new(config, prepared, options)?;
        guarded(|| trainer.restore(checkpoint, dir))?;
        Ok(Some(trainer))
    }

    fn with(
        config: &config::Network,
        prepared: &'a Prepared,
        options: &Options,
        rows: Vec<u32>,
        codings: Codings,
    ) -> Result<Self> {
        if rows.is_empty() {
            return Err(Error::data("the training part has no rows"));
        }
        let network = Network::new(config, codings, options.seed, options.device)?;
        let optimizer = Optimizer::new(config.trainer.optimizer, network.parameters());
        let trainer = &config.trainer;
        let mean_weight = prepared
            .weights()
            .map_or(1.0, |weights| mean_weight(weights, &rows));
        let cut = Cut {
            batch: trainer.batch_size.rows(rows.len()),
            drop_last: trainer.drop_last_batch,
            epoch_rows: options.epoch_rows,
        };
        let order = Order::new(rows, cut, trainer.should_shuffle.then_some(options.seed));
        let rate = Rate {
            peak: trainer.learning_rate,
            schedule: trainer.schedule,
            warmup_fraction: trainer.warmup_fraction,
            full: u64::from(options.full) * order.steps_an_epoch(),
            epoch: order.steps_an_epoch(),
        };
        Ok(Self {
            arrays: Arrays::from(prepared),
            prepared,
            config: config.clone(),
            options: options.clone(),
            network,
            optimizer,
            order,
            rate,
            mean_weight,
            epoch: 0,
            step: 0,
            best: None,
            stale: 0,
        })
    }

    /// Epochs done.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The network as it stands.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Learned values of the network.
    pub fn n_params(&self) -> usize {
        self.network.parameters().n_learned()
    }

    /// Steps of an epoch.
    pub fn steps_an_epoch(&self) -> u64 {
        self.order.steps_an_epoch()
    }

    /// The best epoch so far; `None` before the first one is judged.
    pub fn best(&self) -> Option<Best> {
        self.best.as_ref().map(|(best, _)| *best)
    }

    /// Whether the config's patience (`early_stop`) is at its end.
    pub fn is_exhausted(&self) -> bool {
        self.config
            .trainer
            .early_stop
            .is_some_and(|patience| self.stale >= patience)
    }

    /// What was fitted before training: `encodings.json` of a model folder.
    pub fn codings(&self) -> &Codings {
        self.network.codings()
    }

    /// Trains the next epoch. A loss that is not finite ends it at once as [`Error::Diverged`].
    pub fn train(&mut self, control: &mut dyn Control) -> Result<Trained> {
        guarded(|| self.train_epoch(control))
    }

    fn train_epoch(&mut self, control: &mut dyn Control) -> Result<Trained> {
        let _no_gradients = tch::no_grad_guard();
        let epoch = self.epoch + 1;
        let mut stream = Stream::new(self.options.seed, "dropout", u64::from(epoch));
        let mut targets = Targets::default();
        let (mut loss, mut n_rows) = (0.0, 0);
        for _ in 0..self.order.steps_an_epoch() {
            if control.on_step() == Flow::Stop {
                return Ok(Trained::Interrupted);
            }
            let rows = self.order.rows(self.step);
            let target = self.prepared.target();
            targets.values.clear();
            targets
                .values
                .extend(rows.iter().map(|&row| target[row as usize]));
            if let Some(weights) = self.prepared.weights() {
                targets.weights.clear();
                targets.weights.extend(
                    rows.iter()
                        .map(|&row| weights[row as usize] / self.mean_weight),
                );
            }
            let trainer = &self.config.trainer;
            if trainer.regularization != Regularization::None {
                // A penalty writes to all gradients, also those that a layer leaves at zero.
                let _ = self
                    .network
                    .parameters()
                    .gradients()
                    .shallow_clone()
                    .zero_();
            }
            let training = Training {
                done: self.rate.done(self.step),
            };
            let of_step = self
                .network
                .step(&self.arrays, rows, &targets, training, &mut stream);
            if !of_step.is_finite() {
                return Err(Error::Diverged { epoch });
            }
            loss += of_step * rows.len() as f64;
            n_rows += rows.len() as u64;
            let parameters = self.network.parameters_mut();
            optimizer::prepare(
                parameters,
                trainer.regularization,
                trainer.gradient_clipping,
            );
            self.optimizer.update(parameters, self.rate.at(self.step));
            self.step += 1;
        }
        self.epoch = epoch;
        Ok(Trained::Epoch {
            epoch,
            loss: loss / n_rows as f64,
            n_rows,
        })
    }

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

    /// The weights of the best epoch (of the present one before any is judged) as a safetensors file.
    pub fn best_weights(&self) -> Result<Vec<u8>> {
        let parameters = self.network.parameters();
        match &self.best {
            Some((_, flat)) => weights::save(parameters, flat),
            None => weights::save(parameters, &parameters.to_vec()),
        }
    }

    /// Writes a checkpoint of the last finished epoch. Only between epochs.
    pub fn checkpoint(&self, dir: &Path) -> Result<()> {
        let best = self
            .best
            .as_ref()
            .map(|(best, _)| (best.epoch, Some(best.score).filter(|s| s.is_finite())));
        let progress = Progress {
            version: checkpoint::VERSION,
            identity: self.identity(),
            epoch: self.epoch,
            step: self.step,
            best,
            stale: self.stale,
        };
        let best = self
            .best
            .as_ref()
            .map(|(_, flat)| flat.clone())
            .unwrap_or_default();
        let values = self.network.parameters().to_vec();
        checkpoint::save(
            dir,
            &Checkpoint {
                progress,
                values,
                best,
                states: self.optimizer.states(),
            },
        )
    }

    fn restore(&mut self, checkpoint: Checkpoint, dir: &Path) -> Result<()> {
        let Checkpoint {
            progress,
            values,
            best,
            states,
        } = checkpoint;
        let n = self.network.parameters().to_vec().len();
        let states: Vec<&[f32]> = states.iter().map(Vec::as_slice).collect();
        let fits = progress.identity == self.identity()
            && values.len() == n
            && (progress.best.is_none() || best.len() == n)
            && self.optimizer.restore(progress.step, &states);
        if !fits {
            return Err(Error::corrupt(
                dir,
                "the checkpoint is of another training than this config, seed and data",
            ));
        }
        self.network.parameters_mut().set(&values);
        self.best = progress.best.map(|(epoch, score)| {
            (
                Best {
                    epoch,
                    score: score.unwrap_or(f64::NAN),
                },
                best,
            )
        });
        (self.epoch, self.step, self.stale) = (progress.epoch, progress.step, progress.stale);
        Ok(())
    }

    /// What must be the same for a checkpoint to be of this training.
    fn identity(&self) -> String {
        let options = &self.options;
        let shapes: Vec<String> = self
            .network
            .parameters()
            .entries()
            .iter()
            .map(|e| format!("{} {:?}", e.name, e.shape))
            .collect();
        let all = format!(
            "{:?} {:?} {} {:?} {} {} {shapes:?}",
            self.config.trainer,
            options.metric,
            options.full,
            options.epoch_rows,
            options.seed,
            self.prepared.manifest().key,
        );
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(all.as_bytes()))
    }
}

fn training_rows(prepared: &Prepared, on: TrainOn) -> Vec<u32> {
    let mut rows = prepared.part(Part::Train).to_vec();
    match on {
        TrainOn::Train => {}
        TrainOn::TrainAndValidation => {
            rows.extend_from_slice(prepared.part(Part::Validation));
            rows.sort_unstable();
        }
    }
    rows
}

/// 1 where all weights are 0, so that it can be divided by.
fn mean_weight(weights: &[f32], rows: &[u32]) -> f32 {
    let sum: f64 = rows
        .iter()
        .map(|&row| f64::from(weights[row as usize]))
        .sum();
    #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
    let mean = (sum / rows.len() as f64) as f32;
    if mean > 0.0 { mean } else { 1.0 }
}
