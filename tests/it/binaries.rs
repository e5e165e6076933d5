//! Finds the built binaries beside the folder of this test, and runs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A built binary: `make test` and `cargo build --release` leave it two folders above this test.
pub(crate) fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test
        .parent()
        .and_then(Path::parent)
        .expect("target/release/deps");
    let path = folder.join(name);
    assert!(
        path.is_file(),
        "{} is not built: run `make build` first",
        path.display()
    );
    path
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A place of its own for a few commands: a working folder and a cache, removed at the end.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into the working folder.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path().join(name), content).expect("a written file");
        self
    }

    /// `autotune` with these words, in the working folder.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(binary("autotune"));
        command
            .args(words)
            .current_dir(self.path())
            .env("AUTOTUNE_CACHE", self.path().join("cache"))
            .env("NO_COLOR", "1")
            .env_remove("AUTOTUNE_TRIAL");
        command
    }

    /// Runs `autotune` with these words to its end.
    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        ended(self.command(words).output().expect("autotune starts"))
    }
}

pub(crate) fn ended(output: Output) -> Ended {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
