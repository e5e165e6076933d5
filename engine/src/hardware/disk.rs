//! Free disk space.

use std::io;
use std::path::Path;

use nix::sys::statvfs::statvfs;

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
