//! Ends a verb whose caller is gone, and takes away what it was writing.
//!
//! The caller holds the other end of standard input and writes nothing: its end of file is the caller's end, also
//! where the caller was killed. A parent-death signal would say the same, but leaves no time to clear up.

use std::io::{self, Read};
use std::path::Path;

use datasets::sink::Destination;
use schedulers::protocol::PredictSpec;

use crate::error::{Error, Result};
use crate::sys;

/// The exit code of a verb whose caller is gone; nobody is there to read it.
const ABANDONED: i32 = 143;
/// Files may be made while their folder is emptied.
const TRIES: usize = 5;

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
    for _ in 0..TRIES {
        let _ = std::fs::remove_dir_all(&spec.scratch_dir);
    }
    let _ = std::fs::remove_file(spec_file);
    if let Some(folder) = spec_file.parent() {
        // The caller's own, unless something else is in it.
        let _ = std::fs::remove_dir(folder);
    }
}
