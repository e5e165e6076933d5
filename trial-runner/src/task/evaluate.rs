//! Scores a finished model on a part of the prepared arrays.

use std::collections::BTreeMap;

use datasets::store::Part;
use schedulers::protocol::{EvaluateTask, TaskResult, TrialMessage};
use search::Metric;

use super::Setting;
use crate::error::{Error, Result};
use crate::metric;
use crate::model::Arrays;
use crate::package::Package;
use crate::predict;
use crate::session::Ask;

/// Rows between two looks at what the engine wants.
const BLOCK: usize = 65_536;

/// Performs the task. An engine that wants the process to leave gets no result.
pub(super) fn run(task: &EvaluateTask, setting: &Setting<'_>) -> Result<()> {
    let package = Package::read(&task.model_dir)?;
    let prepared = setting.held.open(&task.prepared)?;
    if package.schema().as_ref() != Some(&prepared.manifest().schema) {
        let (model, arrays) = (task.model_dir.display(), task.prepared.display());
        return Err(Error::data(format!(
            "the model in {model} was not made from the arrays in {arrays}"
        )));
    }
    let part = Part::ALL.into_iter().find(|part| part.name() == task.part);
    let part = part.ok_or_else(|| {
        Error::Usage(format!(
            "\"{}\" is no part; there are train, validation and test",
            task.part
        ))
    })?;
    let kind = predict::kind_of(package.about.target.kind);
    let named = |name: &String| {
        Metric::named(name, kind).ok_or_else(|| {
            Error::Usage(format!(
                "\"{name}\" is no metric of a {} target",
                kind.name()
            ))
        })
    };
    let metrics = task.metrics.iter().map(named).collect::<Result<Vec<_>>>()?;

    let mut predictor = predict::load(&package)?;
    let arrays = Arrays::from(&*prepared);
    let rows = prepared.part(part);
    let mut predictions = predictor.predict(&arrays, &[]);
    for block in rows.chunks(BLOCK) {
        if setting.link.pulse().beat() != Ask::GoOn {
            return Ok(());
        }
        predictions.extend(predict::apply(&mut *predictor, &arrays, block)?.values());
    }
    let gather =
        |values: &[f32]| -> Vec<f32> { rows.iter().map(|&row| values[row as usize]).collect() };
    let (truth, weights) = (gather(prepared.target()), prepared.weights().map(gather));
    let score = |(name, metric): (&String, Metric)| {
        (
            name.clone(),
            metric::evaluate(metric, &truth, &predictions, weights.as_deref()),
        )
    };
    let scores: BTreeMap<String, f64> = task.metrics.iter().zip(metrics).map(score).collect();
    let seconds = setting.clock.seconds();
    setting
        .link
        .send(&TrialMessage::Result(TaskResult::Evaluate {
            scores,
            seconds,
        }));
    Ok(())
}
