//! Finds `autotune-trial`, the program that holds libtorch, and runs it for a verb.

use std::env;
use std::io::{self, Read as _};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

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

/// What a verb of the program came to.
pub(crate) struct Done {
    /// Its stdout, when piped.
    pub(crate) stdout: Vec<u8>,
    /// What it found odd.
    pub(crate) notes: Vec<String>,
}

/// Runs a verb on a spec to its end, its stdout going to `stdout`. However this process ends, the program ends with it.
///
/// Its errors become ours, of the same class. One that cannot start at all is an error of the environment.
pub(crate) fn run(program: &Path, verb: &str, spec_file: &Path, stdout: Stdio) -> Result<Done> {
    if env::var_os("AUTOTUNE_TRIAL").is_some() {
        // Beside this program stands what was built with it; what somebody names may be anything.
        version(program)?;
    }
    let cannot_start = cannot_start(program);
    let mut child = Command::new(program)
        .args([verb, "--spec"])
        .arg(spec_file)
        .arg("--until-stdin-ends")
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(&cannot_start)?;
    // Open until the program is through: its end tells the program of ours.
    let caller = child.stdin.take();
    let output = child.wait_with_output().map_err(&cannot_start)?;
    drop(caller);
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        let notes = said.lines().filter_map(|line| line.strip_prefix("note: "));
        Ok(Done {
            stdout: output.stdout,
            notes: notes.map(str::to_owned).collect(),
        })
    } else {
        Err(failure(NAME, &said, output.status))
    }
}

fn cannot_start(program: &Path) -> impl Fn(io::Error) -> Error {
    let program = program.to_owned();
    move |source| {
        Error::environment(
            format!("cannot start {}: {source}", program.display()),
            "`autotune doctor` says what is missing",
        )
    }
}

/// How long the program may take to say its version: libtorch, read from a slow disk, takes a few seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// More than the program says of itself.
const MOST_SAID: u64 = 4096;

/// What the program says it is. Another program, and one that does not answer, is an error of the environment.
pub(crate) fn version(program: &Path) -> Result<String> {
    version_within(program, PATIENCE)
}

fn version_within(program: &Path, patience: Duration) -> Result<String> {
    let mut child = Command::new(program)
        .arg("version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot_start(program))?;
    let stdout = child.stdout.take().map(heard);
    let stderr = child.stderr.take().map(heard);
    let wait = |heard: Option<mpsc::Receiver<String>>| heard?.recv_timeout(patience).ok();
    let said = wait(stdout);
    // A program that says more than it should is not waited for.
    let is_through = said
        .as_ref()
        .is_some_and(|said| (said.len() as u64) < MOST_SAID);
    let words = if is_through { wait(stderr) } else { None };
    if words.is_none() {
        // It may have ended by itself.
        let _ = child.kill();
    }
    let status = child.wait().map_err(cannot_start(program))?;
    let hint = "AUTOTUNE_TRIAL names the program: unset it, or let it name the autotune-trial of the same build";
    let (Some(said), Some(words)) = (&said, &words) else {
        let what = if said.is_some() {
            "is no autotune-trial: it does not stop talking when it is asked for its version"
                .to_owned()
        } else {
            format!("does not say its version within {} s", patience.as_secs())
        };
        return Err(Error::environment(
            format!("{} {what}", program.display()),
            hint,
        ));
    };
    if status.success() && said.starts_with(NAME) {
        return Ok(said.trim().to_owned());
    }
    if words.contains("error: ") || words.contains("error while loading shared libraries") {
        return Err(failure(NAME, words, status));
    }
    Err(Error::environment(
        format!(
            "{} is no autotune-trial: it does not say its version ({status})",
            program.display()
        ),
        hint,
    ))
}

/// What a stream says, up to a limit.
fn heard(stream: impl io::Read + Send + 'static) -> mpsc::Receiver<String> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        // What was said before a stream broke is heard all the same.
        let _ = stream.take(MOST_SAID).read_to_end(&mut text);
        // Nobody waits for a program that is given up.
        let _ = tell.send(String::from_utf8_lossy(&text).into_owned());
    });
    told
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
    fn a_program_that_is_another_or_does_not_answer_is_the_machines_fault() {
        let dir = tempfile::tempdir().unwrap();
        for (body, patience, expected) in [
            ("exec yes", 30, "does not stop talking"),
            ("exec cat /dev/zero", 30, "does not stop talking"),
            ("exec sleep 100", 0, "does not say its version"),
            ("echo gcc 14", 30, "is no autotune-trial"),
            ("exit 3", 30, "is no autotune-trial"),
            (
                "echo 't: error while loading shared libraries: x' >&2; exit 127",
                30,
                "shared libraries",
            ),
        ] {
            let error = version_within(&script(dir.path(), body), Duration::from_secs(patience))
                .unwrap_err();
            assert!(error.to_string().contains(expected), "{body}: {error}");
            assert_eq!(error.exit(), Exit::Environment, "{body}");
        }
        let ours = script(dir.path(), "echo autotune-trial 0.0.0 protocol 1");
        assert_eq!(
            version_within(&ours, PATIENCE).unwrap(),
            "autotune-trial 0.0.0 protocol 1"
        );
    }

    /// A program of one line. Another process writes it: had this one the file open, a test beside that forks would
    /// take a copy of the descriptor along, and the program could not be executed.
    fn script(dir: &Path, body: &str) -> PathBuf {
        let path = dir.join("program");
        let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let mut shell = Command::new("sh");
        let written = shell.args(["-c", write]).arg(&path).arg(body).status();
        assert!(written.unwrap().success());
        path
    }

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
