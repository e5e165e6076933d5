//! What `predict` and `evaluate` share: a model, a table, and the program that brings them together.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::Args;
use schedulers::protocol::{PredictSpec, Reading};

use super::run_ref::model_folder;
use super::trial_program;
use super::world::{RUNS, World, cache_dir};
use crate::error::{Error, Result};
use crate::fetch;

/// A model and a table.
#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    /// The model: a run's name or folder, or the folder of a model.
    #[arg(long, short, value_name = "RUN_OR_DIR")]
    model: String,
    /// The table: a name, a path, or an http(s) address.
    #[arg(long, short, value_name = "DATASET")]
    dataset: String,
    /// The text encoding of the table; found out where not given.
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<String>,
    /// The folder of the runs.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    runs: PathBuf,
}

/// Applies the model by the verb of `autotune-trial`; gives what that wrote to stdout, when piped.
pub(crate) fn apply(
    verb: &str,
    args: &ApplyArgs,
    output: Option<&Path>,
    stdout: Stdio,
    world: &World,
) -> Result<Vec<u8>> {
    let model_dir = model_folder(&args.model, &args.runs)?;
    let program = trial_program::find()?;
    let cache = cache_dir();
    let mut progress = world.fetch_progress();
    let located = fetch::locate(
        &args.dataset,
        args.encoding.as_deref(),
        &cache,
        &mut *progress,
    )?;
    let scratch = Scratch::new(&cache)?;
    let options = located.options;
    let mut spec = PredictSpec::new(model_dir, located.path, scratch.0.join("table"));
    spec.read = Reading {
        encoding: options.encoding,
        delimiter: options.delimiter,
        header: options.header,
        column_names: options.column_names,
    };
    spec.output = output.map(Path::to_owned);
    spec.threads =
        std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1));
    let file = scratch.0.join("spec.json");
    let text = spec
        .to_json()
        .map_err(|error| Error::usage(error.to_string(), "use paths of plain letters"))?;
    std::fs::write(&file, text).map_err(Error::file("write", &file))?;
    trial_program::run(
        &program,
        [OsStr::new(verb), OsStr::new("--spec"), file.as_os_str()],
        stdout,
    )
}

/// A folder of this process alone, removed when it is done.
struct Scratch(PathBuf);

impl Scratch {
    fn new(cache: &Path) -> Result<Self> {
        let folder = cache.join("scratch").join(std::process::id().to_string());
        std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is removed by `autotune clean`.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
