//! From what the user calls a run, or a model, to its folder.

use std::path::{Path, PathBuf};

use clap::Args;
use results::Reader;

use super::world::RUNS;
use crate::error::{Error, Result};

/// A run, and the folder of runs to look in.
#[derive(Debug, Args)]
pub(crate) struct RunRef {
    /// The run: its name or its folder; the latest one where not given.
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// The folder of the runs.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    output: PathBuf,
}

impl RunRef {
    /// The folder of the run and a reader of its record.
    pub(crate) async fn open(&self) -> Result<(PathBuf, Reader)> {
        let folder = match &self.run {
            Some(name) => run_folder(name, &self.output)?,
            None => latest(&self.output).await?,
        };
        let reader = Reader::open(&folder.join(results::FILE_NAME)).await?;
        Ok((folder, reader))
    }
}

/// The folder of a run by name or path.
fn run_folder(name: &str, output: &Path) -> Result<PathBuf> {
    if name.is_empty() {
        return Err(Error::usage(
            "the name of the run is empty",
            "give a run's name or folder, or nothing for the latest run",
        ));
    }
    let places = [PathBuf::from(name), output.join(name)];
    if let Some(folder) = places
        .iter()
        .find(|folder| folder.join(results::FILE_NAME).is_file())
    {
        return Ok(folder.clone());
    }
    if let Some(folder) = places.iter().find(|folder| folder.is_dir()) {
        return Err(Error::usage(
            format!(
                "{} is no run: it has no {}",
                folder.display(),
                results::FILE_NAME
            ),
            "`autotune list` shows the runs; --output DIR names another folder of runs",
        ));
    }
    let names = names(output);
    let near = datasets::nearest::nearest(name, names.iter().map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean {near}?"),
        None => {
            "`autotune list` shows the runs; --output DIR names another folder of runs".to_owned()
        }
    };
    Err(Error::usage(
        format!(
            "no run {name}, neither as a folder nor in {}",
            output.display()
        ),
        hint,
    ))
}

/// The folder of the model that `--model` names: a model's own folder, or a run.
pub(crate) fn model_folder(name: &str, output: &Path) -> Result<PathBuf> {
    if name.is_empty() {
        return Err(Error::usage(
            "--model is empty",
            "give a run's name or folder, or the folder of a model",
        ));
    }
    let places = [PathBuf::from(name), output.join(name)];
    let models = places
        .iter()
        .flat_map(|folder| [folder.clone(), folder.join("model")]);
    if let Some(folder) = models
        .into_iter()
        .find(|folder| folder.join("model.json").is_file())
    {
        return Ok(folder);
    }
    if let Some(run) = places
        .iter()
        .find(|folder| folder.join(results::FILE_NAME).is_file())
    {
        return Err(Error::usage(
            format!("the run {} has no model", run.display()),
            "it ended before any model was made: run it again with a longer --budget",
        ));
    }
    Err(Error::usage(
        format!(
            "no model and no run {name}, neither as a folder nor in {}",
            output.display()
        ),
        "`autotune list` shows the runs; a model is a folder with a model.json in it",
    ))
}

async fn latest(output: &Path) -> Result<PathBuf> {
    let found = results::query::runs(output).await?;
    let latest = found
        .into_iter()
        .find(|found| found.run.is_ok())
        .map(|found| found.folder);
    latest.ok_or_else(|| Error::usage(format!("no runs in {}", output.display()), "start one with `autotune --dataset adult --budget 60s`, or name another folder with --output"))
}

fn names(output: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(output).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().join(results::FILE_NAME).is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

/// Waits for an answer of the database; for verbs that ask and go.
pub(crate) fn wait<T>(question: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Error::environment(
                format!("cannot start: {error}"),
                "close other programs, or raise the limit of open files",
            )
        })?;
    runtime.block_on(question)
}
