//! Finds `autotune-trial`, the program that holds libtorch, and runs it for a verb.

use std::env;
use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::error::{Error, Result};

/// The name of the program.
pub(crate) const NAME: &str = "autotune-trial";

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
    let mut places = beside
        .into_iter()
        .chain(on_path)
        .map(|folder| folder.join(NAME));
    places.find(|path| path.is_file()).ok_or_else(|| {
        missing(&format!(
            "cannot find {NAME}, the program that trains and predicts"
        ))
    })
}

fn missing(what: &str) -> Error {
    Error::environment(
        what,
        format!(
            "after `make build` it stands beside autotune; AUTOTUNE_TRIAL=PATH names one elsewhere; `autotune doctor` says more about {NAME}"
        ),
    )
}

/// Runs the program to its end, its stdout going to `stdout`, and gives what was piped.
///
/// Its errors become ours, of the same class. One that cannot start at all is an error of the environment.
pub(crate) fn run<'a>(
    program: &Path,
    arguments: impl IntoIterator<Item = &'a OsStr>,
    stdout: Stdio,
) -> Result<Vec<u8>> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn();
    let output = child
        .and_then(std::process::Child::wait_with_output)
        .map_err(|source| {
            Error::environment(
                format!("cannot start {}: {source}", program.display()),
                "`autotune doctor` says what is missing",
            )
        })?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(failure(
            NAME,
            &String::from_utf8_lossy(&output.stderr),
            output.status,
        ))
    }
}

/// The error of a program that failed: its own words, with the class of its exit code.
pub(crate) fn failure(program: &str, stderr: &str, status: ExitStatus) -> Error {
    let lines = || {
        stderr
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let after = |mark: &str| lines().find_map(|line| line.strip_prefix(mark));
    if let Some(line) = lines().find(|line| line.contains("error while loading shared libraries")) {
        return Error::environment(
            line,
            "a library of libtorch is missing: build with `make build`, which sets libtorch up; `autotune doctor` says more",
        );
    }
    let what = after("error: ").map_or_else(
        || {
            format!(
                "{program} failed ({status}): {}",
                lines().next_back().unwrap_or("it said nothing")
            )
        },
        str::to_owned,
    );
    let hint = after("hint: ").unwrap_or_default();
    match (status.code(), status.signal()) {
        (Some(2), _) => Error::usage(what, hint),
        (Some(3), _) => Error::data(what, hint),
        (Some(4), _) => Error::environment(what, hint),
        // Nobody but the kernel, short of memory, and people send these.
        (None, Some(libc::SIGKILL | libc::SIGTERM)) => Error::environment(
            what,
            "memory may have run out: `autotune doctor` shows what there is",
        ),
        _ => Error::bug(what),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;

    #[test]
    fn the_words_and_the_class_of_the_program_become_ours() {
        for (stderr, status, what, hint, exit) in [
            (
                "error: no column x\nhint: add it\n",
                3 << 8,
                "no column x",
                "add it",
                Exit::Data,
            ),
            (
                "noise\nerror: bad model\n",
                2 << 8,
                "bad model",
                "",
                Exit::Usage,
            ),
            (
                "t: error while loading shared libraries: libtorch_cpu.so: cannot open shared object file\n",
                127 << 8,
                "t: error while loading shared libraries: libtorch_cpu.so: cannot open shared object file",
                "a library of libtorch is missing",
                Exit::Environment,
            ),
            (
                "",
                9,
                "autotune-trial failed (signal: 9 (SIGKILL)): it said nothing",
                "memory may have run out",
                Exit::Environment,
            ),
            (
                "",
                11,
                "autotune-trial failed (signal: 11 (SIGSEGV)): it said nothing",
                "this is a fault of autotune",
                Exit::Bug,
            ),
            (
                "boom\n",
                101 << 8,
                "autotune-trial failed (exit status: 101): boom",
                "this is a fault of autotune",
                Exit::Bug,
            ),
        ] {
            let error = failure(NAME, stderr, ExitStatus::from_raw(status));
            assert_eq!((error.to_string().as_str(), error.exit()), (what, exit));
            assert!(error.hint().starts_with(hint), "{}", error.hint());
        }
    }
}
