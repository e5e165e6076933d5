//! A training written down between two epochs, and taken up again.

use std::path::Path;

use datasets::store::Prepared;
use search::config::model as config;
use search::config::trainer::{self, BatchSize};

use super::{Best, Options, Trainer};
use crate::checkpoint::{self, Checkpoint, Progress};
use crate::error::{Error, Result};
use crate::train::guarded;

impl<'a> Trainer<'a> {
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
        // Counted in the steps of this batch size, which need not be those of the writer.
        let step = u64::from(progress.epoch) * self.steps_an_epoch();
        let states: Vec<&[f32]> = states.iter().map(Vec::as_slice).collect();
        let fits = progress.identity == self.identity()
            && values.len() == n
            && (progress.best.is_none() || best.len() == n)
            && self.optimizer.restore(step, &states);
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
        (self.epoch, self.step, self.stale) = (progress.epoch, step, progress.stale);
        Ok(())
    }

    /// What must be the same for a checkpoint to be of this training. All but the batch size: a trial that
    /// ran out of memory goes on from its last epoch in smaller steps, at the same share of the schedule.
    fn identity(&self) -> String {
        let options = &self.options;
        let but_batch = trainer::Trainer {
            batch_size: BatchSize::Auto,
            ..self.config.trainer.clone()
        };
        let shapes: Vec<String> = self
            .network
            .parameters()
            .entries()
            .iter()
            .map(|e| format!("{} {:?}", e.name, e.shape))
            .collect();
        let all = format!(
            "{but_batch:?} {:?} {} {:?} {} {} {shapes:?}",
            options.metric,
            options.full,
            options.epoch_rows,
            options.seed,
            self.prepared.manifest().key,
        );
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(all.as_bytes()))
    }
}
