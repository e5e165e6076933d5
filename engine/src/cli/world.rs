//! What a verb is given of this process: how to talk, where data goes, when the command began.

use std::env;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::clock::Clock;
use crate::fetch;
use crate::output::{Data, Mode, News};

/// The folder of the runs where `--output` names no other.
pub(crate) const RUNS: &str = "autotune-runs";

/// What every verb is given.
pub(crate) struct World {
    /// The command line, as typed.
    pub(crate) command_line: Vec<String>,
    /// How to talk.
    pub(crate) mode: Mode,
    /// Where data goes.
    pub(crate) data: Data,
    /// When the command began.
    pub(crate) clock: Clock,
}

impl World {
    /// Tells of a download in the way of this command.
    pub(crate) fn fetch_progress(&self) -> Box<fetch::Progress<'static>> {
        let (talk, clock) = (self.mode.talk(), self.clock.clone());
        Box::new(move |done, of| {
            talk.tell(
                clock.now().0,
                &News::Progress {
                    unit: "bytes",
                    done,
                    of,
                },
            );
            ControlFlow::Continue(())
        })
    }

    /// Tells of the reading of a table.
    pub(crate) fn read_progress(&self) -> impl FnMut(u64, u64) + use<> {
        let (talk, clock) = (self.mode.talk(), self.clock.clone());
        move |done, of| {
            talk.tell(
                clock.now().0,
                &News::Progress {
                    unit: "bytes",
                    done,
                    of: Some(of),
                },
            )
        }
    }

    /// Says something that is probably not wanted.
    pub(crate) fn warn(&self, text: impl AsRef<str>) {
        self.mode.say("warning", text.as_ref());
    }

    /// Says something worth knowing.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        self.mode.say("note", text.as_ref());
    }
}

/// The name of a folder for what is written for a moment: in it, a folder for each process, called by its id.
pub(crate) const SCRATCH: &str = "scratch";

/// Where such folders are: in the cache, and among the temporary files where the cache may only be read.
pub(crate) fn scratch_dirs(cache: &Path) -> [PathBuf; 2] {
    [cache.to_owned(), env::temp_dir().join("autotune")].map(|place| place.join(SCRATCH))
}

/// The folder of everything that is kept for reuse: `AUTOTUNE_CACHE`, else the user's cache folder.
pub(crate) fn cache_dir() -> PathBuf {
    let folder = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    folder("AUTOTUNE_CACHE")
        .or_else(|| folder("XDG_CACHE_HOME").map(|folder| folder.join("autotune")))
        .or_else(|| folder("HOME").map(|folder| folder.join(".cache").join("autotune")))
        .unwrap_or_else(|| env::temp_dir().join("autotune"))
}
