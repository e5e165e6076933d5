//! A seeded tiny table, its prepared arrays, and trials of the tuned default network on it.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use datasets::encode::{InputKind, InputPlan, RowFill, TargetKind, TargetPlan};
use datasets::source::{ReadOptions, Source};
use datasets::split::{Shares, SplitSpec};
use datasets::store::{Recipe, Sample, Tables, build};
use datasets::table::{IngestOptions, Table};
use schedulers::protocol::{Task, TaskSpec, TrainOn, TrainTask};

use super::Result;

/// Steps of a leg, which is one epoch.
pub(crate) const STEPS: u64 = 16;
/// Rows of a step.
pub(crate) const BATCH: u64 = 256;
const N_INPUTS: usize = 8;

/// The folder of everything; it goes with this.
pub(crate) struct Bench {
    dir: PathBuf,
    config: String,
}

impl Bench {
    pub(crate) fn prepare() -> Result<Self> {
        let dir = std::env::temp_dir().join(format!("autotune-leg-rate-{}", std::process::id()));
        fs::create_dir_all(&dir)?;
        let bench = Self {
            config: config()?,
            dir,
        };
        let path = bench.dir.join("table.csv");
        fs::write(&path, csv()?)?;
        let source = Source::open(&path, &ReadOptions::default())?;
        let (table, _) = Table::ingest(
            &source,
            &bench.dir.join("table"),
            &IngestOptions::new(1),
            &mut |_| {},
        )?;
        let input = |at: usize| InputPlan {
            name: format!("x{at}"),
            column: format!("x{at}"),
            missing: RowFill::Keep,
            kind: InputKind::Number,
        };
        let recipe = Recipe {
            inputs: (0..N_INPUTS).map(input).collect(),
            target: TargetPlan {
                name: "y".into(),
                column: "y".into(),
                kind: TargetKind::Binary,
                true_label: None,
            },
            weight: None,
            sample: Sample::All,
            split: SplitSpec::Random {
                shares: Shares::new([0.8, 0.1, 0.1])?,
            },
            seed: 1,
        };
        let tables = Tables {
            main: &table,
            validation: None,
            test: None,
        };
        build(
            tables,
            &recipe,
            &recipe.key(&[&source.fingerprint]),
            &bench.dir.join("prepared"),
            1,
            &mut |_| {},
        )?;
        Ok(bench)
    }

    /// The folder of a new trial on a slot of one core.
    pub(crate) fn trial(&self, number: u32, slot: u32) -> Result<PathBuf> {
        let dir = self.dir.join(format!("trial-{number}"));
        fs::create_dir_all(&dir)?;
        fs::write(dir.join("config.yaml"), &self.config)?;
        let task = TrainTask {
            trial: number,
            attempt: 1,
            config: dir.join("config.yaml"),
            prepared: self.dir.join("prepared"),
            trial_dir: dir.clone(),
            from: 0,
            to: 1,
            full: 16,
            epoch_rows: Some(STEPS * BATCH),
            seed: u64::from(number),
            metric: "roc_auc".into(),
            on: TrainOn::Train,
            checkpoint_every_s: 2.0,
        };
        fs::write(
            dir.join("spec.json"),
            TaskSpec {
                cpus: vec![slot],
                ..TaskSpec::new(Task::Train(task))
            }
            .to_json()?,
        )?;
        Ok(dir)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.dir));
    }
}

fn csv() -> Result<String> {
    let mut text: String = (0..N_INPUTS).map(|at| format!("x{at},")).collect();
    text.push_str("y\n");
    let mut rng = search::seed::rng(7);
    for _ in 0..8000 {
        let x: Vec<f64> = (0..N_INPUTS)
            .map(|_| search::seed::unit(&mut rng))
            .collect();
        for value in &x {
            write!(text, "{value:.4},")?;
        }
        let y = x[0] * x[1] + x[2] + 0.2 * search::seed::unit(&mut rng) > 0.85;
        writeln!(text, "{}", u8::from(y))?;
    }
    Ok(text)
}

fn config() -> Result<String> {
    let mut text = String::from("model_type: ecd\ninput_features:\n");
    for at in 0..N_INPUTS {
        writeln!(
            text,
            "  - {{name: x{at}, type: number, preprocessing: {{normalization: robust}}}}"
        )?;
    }
    write!(
        text,
        "output_features:\n  - {{name: y, type: binary}}\ncombiner: {{type: realmlp}}\ntrainer: {{epochs: 16, batch_size: {BATCH}}}\n"
    )?;
    Ok(text)
}
