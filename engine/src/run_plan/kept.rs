//! The plan as it is kept with a run, and read again to go on with it.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Limits, RunPlan, Slot, Verb, choose_gpus, lay_out};
use crate::error::{Error, Result};
use crate::hardware::Hardware;

/// What a plan says, without what is found out about the machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    command_line: Vec<String>,
    verb: String,
    dataset: String,
    validation: Option<String>,
    test: Option<String>,
    no_test: bool,
    target: Option<String>,
    types: std::collections::BTreeMap<String, String>,
    ignore: Vec<String>,
    split: Option<String>,
    metric: Option<String>,
    encoding: Option<String>,
    config: Option<PathBuf>,
    budget_s: Option<f64>,
    max_trials: Option<u32>,
    max_epochs: Option<u32>,
    seed: u64,
    slots: Vec<KeptSlot>,
    memory_limit_bytes: Option<u64>,
    scheduler: Option<String>,
    sampler: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct KeptSlot {
    cpus: Vec<u32>,
    gpu: Option<String>,
}

/// Where a kept plan is gone on with.
#[derive(Debug)]
pub struct Place {
    /// The folder of the run.
    pub folder: PathBuf,
    /// The folder of everything kept for reuse.
    pub cache: PathBuf,
    /// The program that trains.
    pub trial_binary: PathBuf,
}

impl RunPlan {
    /// The plan to be kept.
    pub fn to_kept(&self) -> Value {
        let kept = Kept {
            command_line: self.command_line.clone(),
            verb: self.verb.word().to_owned(),
            dataset: self.dataset.clone(),
            validation: self.validation.clone(),
            test: self.test.clone(),
            no_test: self.no_test,
            target: self.target.clone(),
            types: self.types.clone(),
            ignore: self.ignore.clone(),
            split: self.split.clone(),
            metric: self.metric.clone(),
            encoding: self.encoding.clone(),
            config: self.config.clone(),
            budget_s: self.limits.budget.map(|budget| budget.as_secs_f64()),
            max_trials: self.limits.max_trials,
            max_epochs: self.limits.max_epochs,
            seed: self.seed,
            slots: self.slots.iter().map(KeptSlot::of).collect(),
            memory_limit_bytes: self.memory_limit_bytes,
            scheduler: self.scheduler.clone(),
            sampler: self.sampler.clone(),
        };
        serde_json::to_value(kept).unwrap_or_default()
    }

    /// The plan again, with as many slots, laid out on the machine as it is now.
    ///
    /// # Errors
    /// When `kept` is no plan, or its GPUs are not there any more.
    pub fn from_kept(name: &str, kept: &Value, place: Place) -> Result<Self> {
        let kept = Kept::deserialize(kept).map_err(|error| {
            Error::data(
                format!("the plan of the run {name} cannot be read: {error}"),
                "go on with the version of autotune that began it",
            )
        })?;
        let hardware = Hardware::measure();
        let wanted: Vec<String> = kept
            .slots
            .iter()
            .filter_map(|slot| slot.gpu.clone())
            .collect();
        let gpus = choose_gpus(&hardware, Some(&wanted.join(",")))?;
        let turn = usize::try_from(std::process::id()).unwrap_or(0);
        let slots = lay_out(&hardware, &gpus, Some(kept.slots.len().max(1)), turn)?;
        Ok(Self {
            verb: [Verb::Train, Verb::Tune]
                .into_iter()
                .find(|verb| kept.verb == verb.word())
                .unwrap_or(Verb::Search),
            name: name.to_owned(),
            folder: place.folder,
            cache: place.cache,
            trial_binary: place.trial_binary,
            dataset: kept.dataset,
            validation: kept.validation,
            test: kept.test,
            no_test: kept.no_test,
            target: kept.target,
            types: kept.types,
            ignore: kept.ignore,
            split: kept.split,
            metric: kept.metric,
            encoding: kept.encoding,
            config: kept.config,
            program: None,
            limits: Limits {
                budget: kept
                    .budget_s
                    .and_then(|s| Duration::try_from_secs_f64(s).ok()),
                max_trials: kept.max_trials,
                max_epochs: kept.max_epochs,
            },
            seed: kept.seed,
            hardware,
            slots,
            memory_limit_bytes: kept.memory_limit_bytes,
            scheduler: kept.scheduler,
            sampler: kept.sampler,
            command_line: kept.command_line,
        })
    }
}

impl KeptSlot {
    fn of(slot: &Slot) -> Self {
        Self {
            cpus: slot.cpus.clone(),
            gpu: slot.gpu.clone(),
        }
    }
}
