//! A tiny table, its prepared arrays and a trial's folder: enough for every message of the protocol.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use datasets::encode::{InputKind, InputPlan, RowFill, TargetKind, TargetPlan};
use datasets::source::{ReadOptions, Source};
use datasets::split::{Shares, SplitSpec};
use datasets::store::{Recipe, Sample, Tables, build};
use datasets::table::{IngestOptions, Table};
use schedulers::protocol::{Task, TaskSpec, TrainOn, TrainTask};

use crate::engine::write_spec;

/// Rows of the tiny table.
pub(crate) const N_ROWS: u32 = 600;

const FEATURES: &str = "\
input_features:
  - {name: size, type: number, column: Grösse}
  - {name: age, type: number}
  - {name: colour, type: category}
output_features:
  - {name: bought, type: binary}
";

/// A small network.
pub(crate) fn network_config(output_size: u32) -> String {
    format!(
        "model_type: ecd\n{FEATURES}combiner: {{type: concat, num_fc_layers: 1, output_size: {output_size}, dropout: 0.1}}\n\
         trainer: {{epochs: 100, batch_size: 64, learning_rate: 0.01, early_stop: -1, optimizer: {{type: adam}}}}\n"
    )
}

/// The baseline.
pub(crate) fn linear_config() -> String {
    format!("model_type: linear\n{FEATURES}")
}

/// The table as CSV, with or without its target; some values are missing, and `bought`
/// depends on all three inputs.
pub(crate) fn csv(with_target: bool) -> String {
    let mut text = String::from("age,Grösse,colour");
    text.push_str(if with_target { ",bought\n" } else { ",note\n" });
    let mut state = 1_u64;
    let mut draw = |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    for row in 0..N_ROWS {
        let (age, size, colour) = (
            18 + draw(60),
            draw(1000),
            ["red", "green", "blue"][usize::try_from(draw(3)).unwrap()],
        );
        let bought = age + size / 10 + if colour == "red" { 40 } else { 0 } + draw(20) > 105;
        let shown = if draw(20) == 0 {
            String::new()
        } else {
            size.to_string()
        };
        let last = if with_target {
            ["no", "yes"][usize::from(bought)].to_owned()
        } else {
            format!("row {row}")
        };
        writeln!(text, "{age},{shown},{colour},{last}").unwrap();
    }
    text
}

/// A folder with the table, its prepared arrays and room for trials.
pub(crate) struct Tiny {
    dir: tempfile::TempDir,
}

impl Tiny {
    pub(crate) fn new() -> Self {
        let tiny = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        let path = tiny.path("table.csv");
        fs::write(&path, csv(true)).unwrap();
        let source = Source::open(&path, &ReadOptions::default()).unwrap();
        let (table, _) = Table::ingest(
            &source,
            &tiny.path("table"),
            &IngestOptions::new(1),
            &mut |_| {},
        )
        .unwrap();
        let input = |name: &str, column: &str, kind| InputPlan {
            name: name.into(),
            column: column.into(),
            missing: RowFill::Keep,
            kind,
        };
        let recipe = Recipe {
            inputs: vec![
                input("size", "Grösse", InputKind::Number),
                input("age", "age", InputKind::Number),
                input("colour", "colour", InputKind::Category { lowercase: false }),
            ],
            target: TargetPlan {
                name: "bought".into(),
                column: "bought".into(),
                kind: TargetKind::Binary,
                true_label: None,
            },
            weight: None,
            sample: Sample::All,
            split: SplitSpec::Random {
                shares: Shares::new([0.7, 0.15, 0.15]).unwrap(),
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
            &tiny.path("prepared"),
            1,
            &mut |_| {},
        )
        .unwrap();
        tiny
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The folder of a trial with this config, and its task: epochs `from` to `to` of 100.
    pub(crate) fn trial(
        &self,
        name: &str,
        config: &str,
        from: u32,
        to: u32,
    ) -> (PathBuf, TaskSpec) {
        let dir = self.path(name);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("config.yaml"), config).unwrap();
        let spec = TaskSpec::new(Task::Train(TrainTask {
            trial: 3,
            attempt: 1,
            config: dir.join("config.yaml"),
            prepared: self.path("prepared"),
            trial_dir: dir.clone(),
            from,
            to,
            full: 100,
            epoch_rows: None,
            seed: 11,
            metric: "roc_auc".into(),
            on: TrainOn::Train,
            checkpoint_every_s: 2.0,
        }));
        write_spec(&dir, &spec);
        (dir, spec)
    }
}

/// Files in a folder, by name.
pub(crate) fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
