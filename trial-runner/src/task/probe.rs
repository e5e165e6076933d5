//! Measures how long an epoch takes, and throws the model away.

use std::path::Path;

use datasets::store::Prepared;
use schedulers::protocol::{ProbeTask, TaskResult, TrainOn, TrialMessage};
use search::Metric;
use search::config::model::Network;

use super::Setting;
use crate::error::{Error, Result};
use crate::predict::kind_of;
use crate::session::{Ask, Stopwatch};
use crate::train::{Flow, Options, Trainer};

/// The first steps of a process, which are slower: memory is touched for the first time.
const FIRST_STEPS: u64 = 4;

/// Performs the task. An engine that wants the process to leave gets no result.
pub(super) fn run(
    task: &ProbeTask,
    network: &Network,
    prepared: &Prepared,
    setting: &Setting<'_>,
) -> Result<()> {
    let kind = kind_of(prepared.manifest().schema.target.kind);
    let options = Options {
        // The schedule only sets rates, which cost nothing.
        full: 1,
        epoch_rows: task.epoch_rows,
        seed: 0,
        metric: Metric::default_for(kind),
        metrics: Vec::new(),
        on: TrainOn::Train,
        device: setting.device,
    };
    let mut trainer = Trainer::new(network, prepared, &options)?;
    let n_params = trainer.n_params() as u64;
    let setup_s = setting.clock.seconds();
    setting.link.send(&TrialMessage::Started {
        n_params,
        n_rows: super::network::epoch_rows(options.on, task.epoch_rows, prepared),
        setup_s,
    });

    let Some(steps) = time_steps(&mut trainer, task.seconds, setting)? else {
        return Ok(());
    };
    let mut watch = Stopwatch::start();
    trainer.judge()?;
    let judge_s = watch.lap();
    let save_s = time_save(&trainer, &task.config)?;
    setting.link.send(&TrialMessage::Result(TaskResult::Probe {
        seconds_per_epoch: steps.each_s * trainer.steps_an_epoch() as f64 + judge_s,
        fixed_seconds: setup_s + steps.slow_start_s + save_s,
        validation_seconds: judge_s,
        n_params,
    }));
    Ok(())
}

struct Steps {
    /// Of a step once the process is warm.
    each_s: f64,
    /// What the first steps took beyond that.
    slow_start_s: f64,
}

/// Trains for `seconds`, at most an epoch; `None` when the engine wanted the process to leave.
fn time_steps(
    trainer: &mut Trainer<'_>,
    seconds: f64,
    setting: &Setting<'_>,
) -> Result<Option<Steps>> {
    let watch = Stopwatch::start();
    let (mut n_begun, mut first_s, mut left) = (0, 0.0, false);
    // Whether the epoch came to its end makes no difference to what its steps took.
    trainer.train(&mut || {
        if n_begun == FIRST_STEPS {
            first_s = watch.seconds();
        }
        left = setting.link.pulse().beat() != Ask::GoOn;
        if left || (n_begun > FIRST_STEPS && watch.seconds() >= seconds) {
            return Flow::Stop;
        }
        n_begun += 1;
        Flow::GoOn
    })?;
    if left {
        return Ok(None);
    }
    let all_s = watch.seconds();
    if n_begun <= FIRST_STEPS {
        return Ok(Some(Steps {
            each_s: all_s / n_begun.max(1) as f64,
            slow_start_s: 0.0,
        }));
    }
    let each_s = (all_s - first_s) / (n_begun - FIRST_STEPS) as f64;
    Ok(Some(Steps {
        each_s,
        slow_start_s: (first_s - each_s * FIRST_STEPS as f64).max(0.0),
    }))
}

/// What the end of a leg costs: a checkpoint, beside the config.
fn time_save(trainer: &Trainer<'_>, config: &Path) -> Result<f64> {
    let dir = config.with_extension("probe");
    let watch = Stopwatch::start();
    trainer.checkpoint(&dir)?;
    let seconds = watch.seconds();
    std::fs::remove_dir_all(&dir).map_err(Error::writing(&dir))?;
    Ok(seconds)
}
