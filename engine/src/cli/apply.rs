//! What `predict` and `evaluate` share: a model, a table, and the program that brings them together.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::Args;
use datasets::sink::Destination;
use schedulers::protocol::{PredictSpec, Reading};

use super::run_ref::model_folder;
use super::trial_program;
use super::world::{RUNS, World, cache_dir, scratch_dirs};
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

/// Applies the model by the verb of `autotune-trial`; gives what that wrote to stdout, when piped. Says what was odd.
pub(crate) fn apply(
    verb: &str,
    args: &ApplyArgs,
    output: Option<&Path>,
    stdout: Stdio,
    world: &World,
) -> Result<Vec<u8>> {
    let model_dir = model_folder(&args.model, &args.runs)?;
    if let Some(output) = output {
        check_output(output, Path::new(&args.dataset), &model_dir)?;
    }
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
    let done = trial_program::run(&program, verb, &file, stdout)?;
    done.notes.iter().for_each(|note| world.note(note));
    Ok(done.stdout)
}

/// Refuses an output that would take the place of something, or lie in the model's folder.
fn check_output(output: &Path, dataset: &Path, model_dir: &Path) -> Result<()> {
    let same = |a: Metadata, b: Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    if let (Ok(there), Ok(table)) = (output.metadata(), dataset.metadata())
        && same(there, table)
    {
        return Err(Error::usage(
            format!("{} is the table that is read", output.display()),
            "name another file for the predictions",
        ));
    }
    let Destination::New(file) = Destination::of(output)? else {
        return Ok(());
    };
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        Some(_) | None => Path::new("."),
    };
    let folder = folder.canonicalize().map_err(Error::file("open", folder))?;
    let model_dir = model_dir
        .canonicalize()
        .map_err(Error::file("open", model_dir))?;
    if folder.starts_with(&model_dir) {
        return Err(Error::usage(
            format!("{} would lie in the folder of the model", output.display()),
            "name a file in another folder",
        ));
    }
    Ok(())
}

/// A folder of this process alone, removed when it is done.
struct Scratch(PathBuf);

impl Scratch {
    fn new(cache: &Path) -> Result<Self> {
        let of = |place: &Path| {
            let folder = place.join(std::process::id().to_string());
            std::fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
            Ok(Self(folder))
        };
        // A cache that may only be read has what is read from it; what is written for a moment can lie elsewhere.
        let [here, elsewhere] = scratch_dirs(cache);
        of(&here).or_else(|error| of(&elsewhere).map_err(|_| error))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays behind is removed by `autotune clean`.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_takes_the_place_of_nothing_and_stays_out_of_the_model() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("model")).unwrap();
        std::fs::write(at("in.csv"), "a\n1\n").unwrap();
        std::fs::hard_link(at("in.csv"), at("same.csv")).unwrap();
        std::fs::write(at("there.csv"), "mine").unwrap();
        std::os::unix::fs::symlink(at("model/p.csv"), at("into.csv")).unwrap();
        let check = |name: &str| check_output(&at(name), &at("in.csv"), &at("model"));
        for (name, expected) in [
            ("in.csv", "is the table that is read"),
            ("same.csv", "is the table that is read"),
            ("there.csv", "is there already"),
            ("model", "is not a file"),
            ("model/p.csv", "in the folder of the model"),
            ("into.csv", "in the folder of the model"),
            ("new.csv.gz", "is not written as .gz"),
        ] {
            let error = check(name).unwrap_err();
            assert!(error.to_string().contains(expected), "{name}: {error}");
            assert_eq!(error.exit(), crate::Exit::Usage, "{name}");
        }
        check("new.csv").unwrap();
        check("nowhere/new.csv").unwrap_err();
    }
}
