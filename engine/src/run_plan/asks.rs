//! What a plan asks of the parts of a run.

use std::collections::BTreeMap;

use datasets::Kind;

use super::RunPlan;
use crate::autoconfig::Wishes;
use crate::error::Result;
use crate::fetch::Located;
use crate::look::LookSpec;

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

    /// The look at the table, which is a local file by now; it must have a target.
    ///
    /// # Errors
    /// When a type is no kind of column.
    pub fn look_spec(&self, located: &Located) -> Result<LookSpec> {
        let types: BTreeMap<String, Kind> = self
            .types
            .iter()
            .map(|(column, kind)| Ok((column.clone(), kind.parse()?)))
            .collect::<Result<_>>()?;
        let spec = LookSpec::new(located, &self.cache, self.hardware.n_cores());
        let spec = spec.with(self.target.as_deref(), &types, &self.ignore);
        Ok(LookSpec {
            need_target: true,
            ..spec
        })
    }
}
