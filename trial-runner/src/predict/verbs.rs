//! `predict` and `evaluate` on a file.

use std::io::{self, Write};
use std::path::Path;

use datasets::Finding;
use datasets::encode::{
    Block, Encoder, Schema, Target, TargetKind, TextBlock, UnknownTargets, With,
};
use datasets::sink::Sink;
use datasets::table::Table;
use schedulers::protocol::PredictSpec;
use search::Metric;

use super::{Predictor, apply, load, orphan, output, table};
use crate::error::{Error, Result};
use crate::metric::{self, Predictions};
use crate::model::Arrays;
use crate::package::Package;

/// Rows that are encoded at once. A row of a hundred columns takes 400 bytes.
const BLOCK: usize = 65_536;

/// How long a verb goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Until it is done.
    OfItsOwn,
    /// Until it is done or standard input ends, whose other end the caller holds.
    OfTheCaller,
}

/// Writes a prediction for each row of the file, in its order.
pub fn predict(spec_file: &Path, life: Life) -> Result<()> {
    let spec = read_spec(spec_file, life)?;
    let mut job = Job::new(&spec, With::Inputs)?;
    match write_predictions(&mut job, spec.output.as_deref()) {
        // A reader that has seen enough, as `head` has.
        Err(error) if spec.output.is_none() && error.is_broken_pipe() => return Ok(()),
        other => other?,
    }
    tell(&job.findings);
    Ok(())
}

/// Writes the predictions to `file`, or to standard output.
fn write_predictions(job: &mut Job, file: Option<&Path>) -> Result<()> {
    let target = job.encoder.schema().target.clone();
    let names = output::names(&target);
    let mut sink = match file {
        Some(path) => Sink::file(path, names)?,
        None => Sink::stream(Box::new(io::stdout()), names)?,
    };
    job.each_block(With::Inputs, |predictor, arrays, _| {
        output::write(&mut sink, &target, &predict_all(predictor, arrays)?)
    })?;
    Ok(sink.finish()?)
}

fn predict_all(predictor: &mut dyn Predictor, arrays: &Arrays<'_>) -> Result<Predictions> {
    let rows: Vec<u32> = (0..).take(arrays.n_rows).collect();
    apply(predictor, arrays, &rows)
}

/// Writes the metrics of the file's rows that have a target, as one JSON object, and where the spec names an output
/// the predictions of all rows to it.
pub fn evaluate(spec_file: &Path, life: Life) -> Result<()> {
    let spec = read_spec(spec_file, life)?;
    let mut job = Job::new(&spec, With::Target)?;
    let about = job.encoder.schema().target.clone();
    let mut sink = match &spec.output {
        Some(path) => Some(Sink::file(path, output::names(&about))?),
        None => None,
    };
    let mut scored: Option<Predictions> = None;
    let mut truth: Vec<f32> = Vec::new();
    let mut n_rows = 0;
    job.each_block(With::Target, |predictor, arrays, target| {
        n_rows += target.len();
        let known: Vec<u32> = (0..)
            .zip(target)
            .filter(|(_, value)| value.is_finite())
            .map(|(row, _)| row)
            .collect();
        truth.extend(known.iter().map(|&row| target[row as usize]));
        if let Some(sink) = &mut sink {
            output::write(sink, &about, &predict_all(predictor, arrays)?)?;
        }
        let more = apply(predictor, arrays, &known)?;
        match &mut scored {
            Some(scored) => scored.extend(more.values()),
            None => scored = Some(more),
        }
        Ok(())
    })?;
    tell(&job.findings);
    let target = &job.encoder.schema().target;
    let Some(scored) = scored.filter(|_| !truth.is_empty()) else {
        return Err(Error::Data {
            what: format!(
                "no row of {} has a value that the model knows in the target column \"{}\"",
                spec.source.display(),
                target.column
            ),
            hint: Some(
                "to evaluate, the file must hold the true values; `predict` needs none".to_owned(),
            ),
        });
    };
    let metrics = metrics(target, &truth, &scored);
    if let Some(sink) = sink {
        sink.finish()?;
    }
    say_metrics(&metrics, n_rows, truth.len())
}

fn read_spec(path: &Path, life: Life) -> Result<PredictSpec> {
    let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
    let spec = PredictSpec::from_json(&text)
        .map_err(|error| Error::Usage(format!("{}: {error}", path.display())))?;
    match life {
        Life::OfItsOwn => {}
        Life::OfTheCaller => orphan::end_with_caller(path, &spec)?,
    }
    tch::set_num_threads(i32::try_from(spec.threads.max(1)).unwrap_or(i32::MAX));
    Ok(spec)
}

/// A model and the table it is applied to.
struct Job {
    predictor: Box<dyn Predictor>,
    encoder: Encoder,
    table: Table,
    findings: Vec<Finding>,
}

impl Job {
    /// Checks the model before it decodes the file, and the columns before it predicts.
    fn new(spec: &PredictSpec, with: With) -> Result<Self> {
        let package = Package::read(&spec.model_dir)?;
        let predictor = load(&package)?;
        let schema = package
            .schema()
            .ok_or_else(|| Error::Bug("a model was read without its schema".to_owned()))?;
        let (table, findings) = table::open(spec, &schema)?;
        table::check_columns(&table, &schema, with == With::Target, &spec.source)?;
        Ok(Self {
            predictor,
            encoder: Encoder::new(schema),
            table,
            findings,
        })
    }

    /// Reads the table block by block; `use_block` gets the model, the arrays of some rows
    /// and their targets, which are empty where they were not asked for.
    fn each_block(
        &mut self,
        with: With,
        mut use_block: impl FnMut(&mut dyn Predictor, &Arrays<'_>, &[f32]) -> Result<()>,
    ) -> Result<()> {
        let reading = self.encoder.read(&self.table, with)?;
        let n_rows = reading.n_rows();
        let mut unknown = UnknownTargets::default();
        for from in (0..n_rows).step_by(BLOCK) {
            let rows = from..n_rows.min(from + BLOCK);
            let block = reading.block(rows.clone());
            if let Some(target) = &block.target {
                unknown.add(&reading, rows, target);
            }
            let arrays = arrays_of(&block, self.encoder.schema());
            use_block(
                &mut *self.predictor,
                &arrays,
                block.target.as_deref().unwrap_or_default(),
            )?;
        }
        self.findings.extend(reading.findings());
        self.findings
            .extend(unknown.finding(&self.encoder.schema().target));
        Ok(())
    }
}

fn arrays_of<'a>(block: &'a Block, schema: &Schema) -> Arrays<'a> {
    Arrays {
        n_rows: block.n_rows,
        numbers: &block.numbers,
        n_numbers: schema.n_numbers,
        categories: &block.categories,
        n_categories: schema.n_categories,
        texts: block.texts.iter().map(TextBlock::as_rows).collect(),
    }
}

/// What was odd in the file, on standard error.
fn tell(findings: &[Finding]) {
    let mut err = io::stderr();
    for finding in findings {
        // Nobody to tell where standard error is closed.
        drop(writeln!(err, "note: {finding}"));
    }
}

/// A kind of target, as metrics name it.
pub fn kind_of(kind: TargetKind) -> search::metric::TargetKind {
    match kind {
        TargetKind::Binary => search::metric::TargetKind::Binary,
        TargetKind::Category => search::metric::TargetKind::Category,
        TargetKind::Number => search::metric::TargetKind::Number,
    }
}

/// Every metric of the kind of target; null where it has no value for these rows.
fn metrics(
    target: &Target,
    truth: &[f32],
    predictions: &Predictions,
) -> serde_json::Map<String, serde_json::Value> {
    let all = Metric::all_for(kind_of(target.kind));
    all.map(|metric| {
        (
            metric.name(),
            metric::evaluate(metric, truth, predictions, None).into(),
        )
    })
    .collect()
}

fn say_metrics(
    metrics: &serde_json::Map<String, serde_json::Value>,
    n_rows: usize,
    n_scored: usize,
) -> Result<()> {
    let said = serde_json::json!({ "rows": n_rows, "rows_with_a_known_target": n_scored, "metrics": metrics });
    writeln!(io::stdout(), "{said:#}").map_err(Error::system("cannot write to standard output"))
}
