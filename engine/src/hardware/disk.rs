//! Free disk space, asked before much is written.

use std::io;
use std::path::Path;

use nix::sys::statvfs::statvfs;

use crate::error::{Error, Result};

/// Room to leave on a disk beside what is to be written: journals, models, logs.
const MARGIN_BYTES: u64 = 64 << 20;

/// An error when the disk of `path` has no room for about `bytes` more. `what` names what is to be written: "the
/// decoded table". A disk that cannot be asked is taken to be large enough.
pub fn check_room(path: &Path, bytes: u64, what: &str) -> Result<()> {
    match free_bytes(path) {
        Ok(free) => room(path, free, bytes, what),
        Err(_) => Ok(()),
    }
}

fn room(path: &Path, free: u64, bytes: u64, what: &str) -> Result<()> {
    let needed = bytes.saturating_add(MARGIN_BYTES);
    if needed <= free {
        return Ok(());
    }
    Err(Error::environment(
        format!(
            "the disk of {} has {} MB free, and {what} needs about {} MB",
            path.display(),
            free >> 20,
            needed >> 20
        ),
        "free some space (`autotune clean` removes what can be made again), or name a folder on another disk: \
         --output for runs, AUTOTUNE_CACHE for the rest",
    ))
}

/// Bytes this user may still write on the disk of `path`, or of its nearest folder that exists.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let there = path
        .ancestors()
        .find(|part| part.exists())
        .unwrap_or(Path::new("."));
    let there = if there.as_os_str().is_empty() {
        Path::new(".")
    } else {
        there
    };
    let stat = statvfs(there)?;
    #[expect(
        clippy::useless_conversion,
        reason = "the width of these counts differs between systems"
    )]
    let (blocks, size) = (
        u64::from(stat.blocks_available()),
        u64::from(stat.fragment_size()),
    );
    Ok(blocks.saturating_mul(size))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{MARGIN_BYTES, room};
    use crate::exit::Exit;

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_written() {
        let fits = |free, bytes| room(Path::new("/cache"), free, bytes, "the decoded table");
        assert!(fits(MARGIN_BYTES + 10, 10).is_ok());
        assert!(fits(u64::MAX, u64::MAX).is_ok());
        let error = fits(MARGIN_BYTES + 10, 11).unwrap_err();
        assert_eq!(error.exit(), Exit::Environment);
        assert_eq!(
            error.to_string(),
            "the disk of /cache has 64 MB free, and the decoded table needs about 64 MB"
        );
        assert!(error.hint().contains("AUTOTUNE_CACHE"));
    }
}
