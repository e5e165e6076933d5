//! Makes the arrays and the constant model, and says how far it has come.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use datasets::store::{self, Part, Prepared, Progress, Tables};
use datasets::table::Table;
use datasets::{Finding, Severity};
use schedulers::protocol::{PrepareMessage, PrepareSpec, encode};
use search::Metric;
use search::config::{Comments, Config};

use super::recipe;
use crate::baseline::{Centre, ConstantModel};
use crate::error::{Error, Result};
use crate::model::Arrays;
use crate::package::{About, Durability, Family, Package};
use crate::{metric, predict};

/// Does what the spec in the file at `path` asks for; messages go to standard output, a line each.
pub fn main(path: &Path) -> Result<()> {
    let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
    let spec = PrepareSpec::from_json(&text)
        .map_err(|e| Error::Usage(format!("{}: {e}", path.display())))?;
    let mut out = io::stdout();
    let mut say = |message: PrepareMessage| {
        // Nobody listens any more: the arrays are made all the same, for the next run.
        if let Ok(line) = encode(&message) {
            drop(out.write_all(&line).and_then(|()| out.flush()));
        }
    };
    run(&spec, &mut say)
}

/// Does what `spec` asks for: the arrays in `cache_dir`, then the constant model. The last word is `Done`.
pub fn run(spec: &PrepareSpec, say: &mut dyn FnMut(PrepareMessage)) -> Result<()> {
    let config = read_config(&spec.config)?;
    let preparation = config.preparation().map_err(faults)?;
    let recipe = recipe(&preparation, spec)?;
    let main = Table::open(&spec.table_dir)?;
    let open = |dir: &Option<PathBuf>| dir.as_deref().map(Table::open).transpose();
    let (validation, test) = (open(&spec.validation_table)?, open(&spec.test_table)?);
    let key_of = |table: Option<&Table>| table.map_or(Ok(String::new()), Table::key);
    let keys = [
        key_of(Some(&main))?,
        key_of(validation.as_ref())?,
        key_of(test.as_ref())?,
    ];
    let key = recipe.key(&keys.each_ref().map(String::as_str));
    let dir = spec.cache_dir.join(&key);

    let tables = Tables {
        main: &main,
        validation: validation.as_ref(),
        test: test.as_ref(),
    };
    let mut progress = |Progress { rows, of }| {
        say(PrepareMessage::Progress {
            rows: rows as u64,
            of: of as u64,
        })
    };
    let made = store::build(
        tables,
        &recipe,
        &key,
        &dir,
        spec.threads as usize,
        &mut progress,
    )?;
    made.prepared
        .manifest()
        .findings
        .iter()
        .for_each(|finding| say(told(finding)));
    constant(&made.prepared, &config)?.write(&spec.constant_model, Durability::Kill)?;
    let split = &made.prepared.manifest().split;
    say(PrepareMessage::Done {
        dir,
        reused: made.reused,
        n_train: split.n_train as u64,
        n_validation: split.n_validation as u64,
        n_test: split.n_test as u64,
        n_dropped: split.n_dropped as u64,
    });
    Ok(())
}

fn read_config(path: &Path) -> Result<Config> {
    let text = std::fs::read_to_string(path).map_err(Error::reading(path))?;
    let (config, _) = Config::parse(&text, &path.display().to_string()).map_err(faults)?;
    Ok(config)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "for map_err, which gives the errors away"
)]
fn faults(errors: Vec<search::ConfigError>) -> Error {
    let lines: Vec<String> = errors.iter().map(search::ConfigError::one_line).collect();
    Error::Config(lines.join("\n"))
}

fn told(finding: &Finding) -> PrepareMessage {
    PrepareMessage::Finding {
        is_warning: finding.severity == Severity::Warning,
        column: finding.column.clone(),
        text: finding.text.clone(),
    }
}

/// The model that predicts the same for every row, scored on validation.
fn constant(prepared: &Prepared, config: &Config) -> Result<Package> {
    let schema = &prepared.manifest().schema;
    let metric = config
        .hyperopt()
        .map_err(faults)?
        .map(|hyperopt| hyperopt.metric);
    let centre = if metric == Some(Metric::MeanAbsoluteError) {
        Centre::Median
    } else {
        Centre::Mean
    };
    let model = ConstantModel::fit(prepared, centre);
    let mut about = About::new(Family::Constant, schema);
    about.metric = metric.map(|metric| metric.name());
    let weights = model.to_safetensors()?;
    let mut package = Package {
        about,
        config: config.concrete().to_yaml(&Comments::default()),
        encodings: serde_json::json!({ "schema": schema }),
        weights,
    };
    package.about.scores = scores(&package, prepared)?;
    Ok(package)
}

/// Every metric that has a value on validation.
fn scores(package: &Package, prepared: &Prepared) -> Result<BTreeMap<String, f64>> {
    let rows = prepared.part(Part::Validation);
    let of_rows = |values: &[f32]| {
        rows.iter()
            .map(|&row| values[row as usize])
            .collect::<Vec<_>>()
    };
    let (truth, weights) = (of_rows(prepared.target()), prepared.weights().map(of_rows));
    let predictions = predict::apply(&mut *predict::load(package)?, &Arrays::from(prepared), rows)?;
    let metrics = Metric::all_for(predict::kind_of(package.about.target.kind));
    let scored = metrics.map(|metric| {
        (
            metric.name(),
            metric::evaluate(metric, &truth, &predictions, weights.as_deref()),
        )
    });
    Ok(scored.filter(|(_, score)| score.is_finite()).collect())
}
