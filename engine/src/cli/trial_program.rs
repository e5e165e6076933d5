//! Finds `autotune-trial`, the program that holds libtorch, and runs it for a verb.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};

/// The name of the program.
const NAME: &str = "autotune-trial";

/// Where the program is: as `AUTOTUNE_TRIAL` says, else beside this program, else on the PATH.
pub(crate) fn find() -> Result<PathBuf> {
    if let Some(path) = env::var_os("AUTOTUNE_TRIAL")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
    {
        return if path.is_file() {
            Ok(path)
        } else {
            Err(missing(&format!(
                "AUTOTUNE_TRIAL names {}, which is no file",
                path.display()
            )))
        };
    }
    let beside = env::current_exe()
        .ok()
        .and_then(|exe| exe.canonicalize().ok())
        .and_then(|exe| Some(exe.parent()?.to_owned()));
    let on_path = env::var_os("PATH")
        .map(|path| env::split_paths(&path).collect::<Vec<_>>())
        .unwrap_or_default();
    let mut folders = beside.into_iter().chain(on_path);
    folders
        .find_map(|folder| Some(folder.join(NAME)).filter(|path| path.is_file()))
        .ok_or_else(|| missing(&format!("cannot find {NAME}, the program that trains")))
}

fn missing(what: &str) -> Error {
    Error::environment(
        what,
        format!(
            "it stands beside autotune after `make build` or `make install`; or let AUTOTUNE_TRIAL name it; `{NAME} version` says whether it works"
        ),
    )
}

/// Runs the program to its end and gives its stdout; its stderr passes through to ours.
///
/// Fails with the exit class of the program. A program that could not start at all (no libtorch) is an
/// error of the environment.
pub(crate) fn run(program: &Path, arguments: &[&std::ffi::OsStr]) -> Result<Vec<u8>> {
    let output = Command::new(program)
        .args(arguments)
        .stderr(std::process::Stdio::piped())
        .output()
        .map_err(|source| {
            Error::environment(
                format!("cannot start {}: {source}", program.display()),
                "`autotune doctor` says what is missing",
            )
        })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(failed(
        &String::from_utf8_lossy(&output.stderr),
        output.status,
    ))
}

/// The error of a program that failed: its own last words, with the class of its exit code.
fn failed(stderr: &str, status: std::process::ExitStatus) -> Error {
    let mut lines = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let (mut what, mut hint) = (None, String::new());
    for line in lines.by_ref() {
        if let Some(text) = line.strip_prefix("error: ") {
            what = Some(text.to_owned());
        } else if let Some(text) = line.strip_prefix("hint: ") {
            hint = text.to_owned();
        } else if what.is_none() && line.contains("error while loading shared libraries") {
            what = Some(line.to_owned());
            hint = "libtorch is missing: build with `make build`, or point LIBTORCH at one; `autotune doctor` says more".to_owned();
        }
    }
    let last = stderr
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing")
        .trim();
    let what = what.unwrap_or_else(|| format!("{NAME} failed ({status}): {last}"));
    match status.code() {
        Some(2) => Error::usage(what, hint),
        Some(3) => Error::data(what, hint),
        Some(4 | 127) | None => Error::environment(what, hint),
        Some(_) => Error::bug(what),
    }
}
