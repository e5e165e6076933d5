//! What a plan asks of the parts of a run.

use super::RunPlan;
use crate::autoconfig::Wishes;

impl RunPlan {
    /// What `autoconfig` is asked.
    pub fn wishes(&self) -> Wishes {
        Wishes {
            dataset: self.dataset.clone(),
            metric: self.metric.clone(),
            split: self.split.clone(),
            no_test_part: self.no_test || self.test.is_some(),
            validation_table: self.validation.is_some(),
            budget: self.limits.budget,
            max_trials: self.limits.max_trials,
            max_epochs: self.limits.max_epochs,
            scheduler: self.scheduler.clone(),
            sampler: self.sampler.clone(),
        }
    }

    /// Cores of all slots together, at least one: the threads of what runs while no trial does.
    pub fn n_threads(&self) -> usize {
        self.slots
            .iter()
            .map(|slot| slot.cpus.len())
            .sum::<usize>()
            .max(1)
    }
}
