//! Prepares the arrays that every trial maps, in a child; with them comes the first model, a constant.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use results::Entry;
use schedulers::protocol::{PrepareMessage, PrepareSpec, VERSION};

use search::config::Config;

use super::earlier::{Earlier, Prepared};
use super::stage::Stage;
use super::table::{self, Tables};
use crate::backend::run_child;
use crate::cli::trial_program;
use crate::error::{Error, Result};
use crate::hardware::check_room;
use crate::output::{News, Phase};

/// The prepared arrays.
pub(super) struct Arrays {
    pub(super) dir: PathBuf,
    pub(super) n_train: u64,
    pub(super) n_validation: u64,
    pub(super) n_test: u64,
    /// The folder of the constant model.
    pub(super) constant: PathBuf,
}

/// Runs `autotune-trial prepare`.
pub(super) async fn prepare(
    stage: &mut Stage<'_>,
    tables: &Tables,
    config: &Path,
) -> Result<Arrays> {
    stage.enter(Phase::Prepare).await?;
    let plan = stage.plan;
    // Four bytes a number; texts and dates become more numbers than that, and the margin is for them.
    let seen = &tables.main;
    let cells = seen.profile.n_rows * seen.inference.inputs().count() as u64;
    check_room(&plan.cache, cells * 4, "the prepared table")?;
    let constant = stage.folder.join("constant-model");
    let spec_file = write_spec(stage, tables, config, &constant)?;
    let mut command = Command::new(&plan.trial_binary);
    command.arg("prepare").arg("--spec").arg(&spec_file);
    let log = stage.folder.join("prepare.log");
    let (talk, clock) = (stage.talk, stage.clock);
    let work = async {
        let (mut findings, mut done) = (Vec::new(), None);
        let ended = run_child(command, &log, |line| match serde_json::from_str(line) {
            Ok(PrepareMessage::Progress { rows, of }) => {
                talk.tell(
                    clock.now().0,
                    &News::Progress {
                        unit: "rows",
                        done: rows,
                        of: Some(of),
                    },
                );
            }
            Ok(PrepareMessage::Finding {
                is_warning,
                column,
                text,
            }) => findings.push((is_warning, column, text)),
            Ok(message @ PrepareMessage::Done { .. }) => done = Some(message),
            // The end says what is wrong.
            Err(_) => {}
        })
        .await
        .map_err(Error::file("run", &plan.trial_binary))?;
        match done {
            Some(PrepareMessage::Done {
                dir,
                n_train,
                n_validation,
                n_test,
                ..
            }) if ended.status.success() => Ok((findings, (dir, n_train, n_validation, n_test))),
            _ => Err(trial_program::failure(
                trial_program::NAME,
                &ended.words,
                ended.status,
            )),
        }
    };
    let (findings, (dir, n_train, n_validation, n_test)) =
        stage.in_time("preparing the table", work).await?;
    can_judge(n_validation, config)?;
    for (is_warning, column, text) in findings {
        stage.finding(is_warning, column.as_deref(), &text).await?;
    }
    let key = dir
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    stage
        .write(vec![Entry::Prepared {
            key,
            n_train,
            n_validation,
            n_test,
        }])
        .await?;
    Ok(Arrays {
        dir,
        n_train,
        n_validation,
        n_test,
        constant,
    })
}

/// The arrays that an earlier process of the run prepared; made again where they are gone.
pub(super) async fn find(
    stage: &mut Stage<'_>,
    earlier: &Earlier,
    config: &Config,
    path: &Path,
) -> Result<Arrays> {
    let Prepared {
        key,
        n_train,
        n_validation,
        n_test,
    } = earlier.prepared()?;
    let dir = stage.plan.cache.join("prepared").join(&key);
    if dir.is_dir() {
        return Ok(Arrays {
            dir,
            n_train,
            n_validation,
            n_test,
            constant: stage.folder.join("constant-model"),
        });
    }
    let tables = table::look_at_all(stage, Some(config)).await?;
    let again = prepare(stage, &tables, path).await?;
    if again.dir.file_name() != dir.file_name() {
        return Err(Error::data(
            "the table is not what it was when the run began, or was sampled otherwise",
            "start a new run on it",
        ));
    }
    Ok(again)
}

/// An error when no row is left to judge trials by.
fn can_judge(n_validation: u64, config: &Path) -> Result<()> {
    if n_validation > 0 {
        return Ok(());
    }
    Err(Error::usage(
        format!(
            "the split of {} leaves no row to judge trials by",
            config.display()
        ),
        "give the validation part a share in preprocessing.split, or name a table with --validation",
    ))
}

/// Writes what is to be prepared to a file.
fn write_spec(
    stage: &Stage<'_>,
    tables: &Tables,
    config: &Path,
    constant: &Path,
) -> Result<PathBuf> {
    let plan = stage.plan;
    let spec = PrepareSpec {
        version: VERSION,
        config: config.to_owned(),
        table_dir: tables.main.table_dir.clone(),
        validation_table: tables.validation.clone(),
        test_table: tables.test.clone(),
        no_test: plan.no_test || tables.test.is_some(),
        seed: search::seed::derive(plan.seed, "split", 0),
        cache_dir: plan.cache.join("prepared"),
        constant_model: constant.to_owned(),
        threads: u32::try_from(plan.n_threads()).unwrap_or(1),
    };
    let spec_file = stage.folder.join("prepare.spec.json");
    let text = spec
        .to_json()
        .map_err(|error| Error::bug(format!("a task that cannot be written: {error}")))?;
    fs::write(&spec_file, text).map_err(Error::file("write", &spec_file))?;
    Ok(spec_file)
}
