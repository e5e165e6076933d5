//! Ends a verb whose caller is gone, and takes away what it was writing.
//!
//! The caller holds the other end of standard input and writes nothing: its end of file is the caller's end, also
//! where the caller was killed. A parent-death signal would say the same, but leaves no time to clear up.

use std::io::{self, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use datasets::sink::Destination;
use schedulers::protocol::PredictSpec;

use crate::error::{Error, Result};
use crate::sys;

/// The exit code of a verb whose caller is gone; nobody is there to read it.
const ABANDONED: i32 = 143;
/// How long the end waits for work that makes files, in steps: a table that takes longer is cleared away half-made.
const PATIENCE: (u32, Duration) = (200, Duration::from_millis(10));

/// Held while files are made, so that none is made behind whoever clears them away.
static MAKING: Mutex<()> = Mutex::new(());

/// Does work that makes files in the scratch folder.
pub(super) fn undisturbed<T>(work: impl FnOnce() -> T) -> T {
    let _held = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    work()
}

/// From now on this process ends when standard input does.
pub(super) fn end_with_caller(spec_file: &Path, spec: &PredictSpec) -> Result<()> {
    // A terminal sends these to the caller as well, whose end is then seen here.
    sys::ignore_terminal().map_err(Error::system("cannot set up signals"))?;
    let (spec_file, spec) = (spec_file.to_owned(), spec.clone());
    let wait = move || {
        let mut buffer = [0; 64];
        loop {
            match io::stdin().read(&mut buffer) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // To the end: nothing is made any more.
        let _held = (0..PATIENCE.0).find_map(|_| {
            let held = MAKING.try_lock().ok();
            if held.is_none() {
                std::thread::sleep(PATIENCE.1);
            }
            held
        });
        clear_up(&spec_file, &spec);
        sys::abandon(ABANDONED)
    };
    std::thread::Builder::new()
        .name("orphan".to_owned())
        .spawn(wait)
        .map(drop)
        .map_err(Error::system("cannot start a thread"))
}

/// What cannot be removed is swept by `autotune clean`.
fn clear_up(spec_file: &Path, spec: &PredictSpec) {
    let aside = spec
        .output
        .as_ref()
        .and_then(|path| Destination::of(path).ok())
        .and_then(|destination| destination.aside());
    if let Some(aside) = aside {
        let _ = std::fs::remove_file(aside);
    }
    let _ = std::fs::remove_dir_all(&spec.scratch_dir);
    let _ = std::fs::remove_file(spec_file);
    if let Some(folder) = spec_file.parent() {
        // The caller's own, unless something else is in it.
        let _ = std::fs::remove_dir(folder);
    }
}
