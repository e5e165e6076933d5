//! One network in training.

mod judging;
mod resume;

pub use judging::{Best, Judged};

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
use crate::error::{Error, Result};
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

    /// Steps done, as counted with this batch size.
    pub fn step(&self) -> u64 {
        self.step
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

    /// The weights of the best epoch (of the present one before any is judged) as a safetensors file.
    pub fn best_weights(&self) -> Result<Vec<u8>> {
        let parameters = self.network.parameters();
        match &self.best {
            Some((_, flat)) => weights::save(parameters, flat),
            None => weights::save(parameters, &parameters.to_vec()),
        }
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
