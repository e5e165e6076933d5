//! A table and a config in, arrays and a model out.

use std::fs;
use std::path::PathBuf;

use datasets::source::{ReadOptions, Source};
use datasets::store::{Part, Prepared};
use datasets::table::{IngestOptions, Table};
use schedulers::protocol::{PrepareMessage, PrepareSpec, VERSION};
use tempfile::TempDir;

use super::run;
use crate::error::{Error, Result};
use crate::package::{Family, Package};

const CONFIG: &str = "\
input_features:
  - name: x
    type: number
  - name: colour
    type: category
output_features:
  - name: y
    type: binary
preprocessing:
  split:
    type: stratify
    column: y
    probabilities: [0.6, 0.2, 0.2]
";

struct Case {
    dir: TempDir,
    spec: PrepareSpec,
}

impl Case {
    fn new(config: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("config.yaml"), config).unwrap();
        let spec = PrepareSpec {
            version: VERSION,
            config: at("config.yaml"),
            table_dir: PathBuf::new(),
            validation_table: None,
            test_table: None,
            no_test: false,
            seed: 3,
            cache_dir: at("prepared"),
            constant_model: at("model"),
            threads: 2,
        };
        let mut case = Self { dir, spec };
        let row = |i: usize| {
            format!(
                "{i},{},{}\n",
                ["red", "blue"][i % 2],
                if i.is_multiple_of(4) { "yes" } else { "no" }
            )
        };
        case.spec.table_dir = case.table(
            "main",
            &format!("x,colour,y\n{}", (0..100).map(row).collect::<String>()),
        );
        case
    }

    fn table(&self, name: &str, csv: &str) -> PathBuf {
        let file = self.dir.path().join(format!("{name}.csv"));
        fs::write(&file, csv).unwrap();
        let columns = self.dir.path().join(name);
        let source = Source::open(&file, &ReadOptions::default()).unwrap();
        Table::ingest(&source, &columns, &IngestOptions::new(1), &mut |_| {}).unwrap();
        columns
    }

    /// The messages of a run.
    fn run(&self) -> Result<Vec<PrepareMessage>> {
        let mut said = Vec::new();
        run(&self.spec, &mut |message| said.push(message))?;
        Ok(said)
    }

    /// The arrays of a run, and whether they were there already.
    fn prepared(&self) -> (Prepared, bool) {
        match self.run().unwrap().pop() {
            Some(PrepareMessage::Done { dir, reused, .. }) => {
                (Prepared::open(&dir).unwrap(), reused)
            }
            other => panic!("the last word is {other:?}"),
        }
    }
}

fn sizes(prepared: &Prepared) -> [usize; 3] {
    Part::ALL.map(|part| prepared.part(part).len())
}

#[test]
fn a_run_has_its_arrays_and_a_model_that_predicts() {
    let case = Case::new(CONFIG);
    let said = case.run().unwrap();
    assert_eq!(said[0], PrepareMessage::Progress { rows: 100, of: 100 });
    assert!(
        matches!(
            said.last(),
            Some(PrepareMessage::Done {
                n_train: 60,
                n_validation: 20,
                n_test: 20,
                n_dropped: 0,
                reused: false,
                ..
            })
        ),
        "{said:?}"
    );

    let model = Package::read(&case.spec.constant_model).unwrap();
    assert_eq!(model.about.family, Family::Constant);
    assert!(
        (model.about.scores["accuracy"] - 0.75).abs() < 1e-9
            && (model.about.scores["roc_auc"] - 0.5).abs() < 1e-9
    );
    let (prepared, reused) = case.prepared();
    assert!(reused);
    let arrays = crate::model::Arrays::from(&prepared);
    let predictions = crate::predict::load(&model)
        .unwrap()
        .predict(&arrays, &[7, 8]);
    assert_eq!(predictions.values(), [0.25, 0.25]);
}

#[test]
fn without_a_test_its_share_trains() {
    let mut case = Case::new(CONFIG);
    case.spec.no_test = true;
    assert_eq!(sizes(&case.prepared().0), [80, 20, 0]);
}

#[test]
fn tables_of_their_own_validate_and_test() {
    let mut case = Case::new(CONFIG);
    case.spec.validation_table = Some(case.table("v", "colour,x,y\nred,1,no\nblue,2,yes\n"));
    case.spec.test_table = Some(case.table("t", "x,colour,y\n1,red,no\n"));
    assert_eq!(sizes(&case.prepared().0), [100, 2, 1]);
}

#[test]
fn another_seed_makes_another_folder() {
    let mut case = Case::new(CONFIG);
    let first = case.prepared().0;
    case.spec.seed = 4;
    let (second, reused) = case.prepared();
    assert!(!reused && first.dir() != second.dir());
}

#[test]
fn a_fault_of_the_config_or_the_data_leaves_nothing_behind() {
    let case = Case::new(&CONFIG.replace("probabilities", "probabilitys"));
    let error = case.run().unwrap_err();
    assert!(
        matches!(error, Error::Config(_)) && error.to_string().contains("config.yaml:13"),
        "{error}"
    );

    let case = Case::new(&CONFIG.replace("name: x", "name: z"));
    let error = case.run().unwrap_err();
    assert!(error.to_string().contains("no column \"z\""), "{error}");
    assert!(!case.spec.constant_model.exists());
}
