//! `autotune clean`: removes what is kept for reuse and can be made again.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::size;
use super::world::{SCRATCH, World, cache_dir, scratch_dirs};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::Mode;
use crate::run;

/// Flags of `clean`.
#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// Remove downloaded tables too; they would have to be fetched again.
    #[arg(long)]
    downloads: bool,
    /// Only say what would be removed.
    #[arg(long)]
    dry_run: bool,
}

/// Folders of the cache that are made again from the tables, and what they hold.
const REMADE: [&str; 2] = ["prepared", READ];
/// The folder of decoded tables.
const READ: &str = "read";
/// The folder of the tables themselves.
const DOWNLOADS: &str = "tables";

/// Removes; says what, and how much it was.
pub(crate) fn run(args: &CleanArgs, world: &mut World) -> Result<Exit> {
    let cache = cache_dir();
    // As processes have it in their maps.
    let cache = cache.canonicalize().unwrap_or(cache);
    let in_use = InUse::look(&cache);
    let mut bytes = 0;
    let mut removed = 0;
    for (kind, folder) in folders(&cache, args.downloads) {
        for entry in entries(&folder) {
            if in_use.holds(kind, &entry) {
                world.warn(format!(
                    "{} is in use by a run and is kept",
                    entry.display()
                ));
                continue;
            }
            bytes += size_of(&entry);
            removed += 1;
            if !args.dry_run {
                let gone = if entry.is_dir() {
                    fs::remove_dir_all(&entry)
                } else {
                    fs::remove_file(&entry)
                };
                gone.map_err(|error| {
                    Error::environment(
                        format!("cannot remove {}: {error}", entry.display()),
                        "make the cache writable, or name another with AUTOTUNE_CACHE",
                    )
                })?;
            }
        }
    }
    let done = if args.dry_run {
        "would remove"
    } else {
        "removed"
    };
    match world.mode {
        Mode::Json => world.data.json(
            &json!({ "removed": removed, "bytes": bytes, "dry_run": args.dry_run, "cache": cache }),
        ),
        Mode::Human => world.data.line(&format!(
            "{done} {removed} entries, {}, from {}",
            size::show(bytes),
            cache.display()
        )),
        Mode::Quiet => {}
    }
    Ok(Exit::Done)
}

/// What is swept: folders, each with the kind of what it holds.
fn folders(cache: &Path, downloads: bool) -> Vec<(&'static str, PathBuf)> {
    let kinds = REMADE.into_iter().chain(downloads.then_some(DOWNLOADS));
    let mut folders: Vec<_> = kinds.map(|kind| (kind, cache.join(kind))).collect();
    let [here, elsewhere] = scratch_dirs(cache);
    if is_ours(&elsewhere) {
        // As processes have it in their maps; the cache itself may stand there.
        let elsewhere = elsewhere.canonicalize().unwrap_or(elsewhere);
        if elsewhere != here {
            folders.push((SCRATCH, elsewhere));
        }
    }
    folders.push((SCRATCH, here));
    folders
}

/// Whether a folder among the temporary files, where everybody may write, is this user's and no link that leads
/// elsewhere.
fn is_ours(folder: &Path) -> bool {
    let Ok(process) = fs::metadata("/proc/self") else {
        return false;
    };
    let owned = |path: &Path| {
        fs::symlink_metadata(path).is_ok_and(|there| there.is_dir() && there.uid() == process.uid())
    };
    owned(folder) && folder.parent().is_some_and(owned)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort_unstable();
    entries
}

/// Bytes of a file, or of everything in a folder.
pub(crate) fn size_of(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return 0;
    };
    if metadata.is_dir() {
        entries(path).iter().map(|entry| size_of(entry)).sum()
    } else {
        metadata.len()
    }
}

/// What running processes need of the cache.
struct InUse {
    /// Every file that a process of this user has mapped: what a running search reads.
    mapped: Vec<PathBuf>,
    /// Whether a run is going on. Between reading a table and preparing it, nobody has it mapped.
    is_running: bool,
}

impl InUse {
    fn look(cache: &Path) -> Self {
        Self {
            mapped: mapped_paths(),
            is_running: run::is_in_use(cache),
        }
    }

    fn holds(&self, kind: &str, entry: &Path) -> bool {
        let is_locked = |path: &Path| {
            File::open(path)
                .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
        };
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        let writer = name.rsplit_once(".part-").map(|(_, process)| process);
        let is_lock = name.ends_with(".lock");
        let lock = if is_lock {
            entry.to_owned()
        } else {
            entry.with_file_name(format!("{name}.lock"))
        };
        self.mapped.iter().any(|path| path.starts_with(entry))
            || writer.is_some_and(is_alive)
            || (kind == SCRATCH && is_alive(&name))
            || is_locked(&lock)
            || (self.is_running && kind == READ)
    }
}

/// Whether there is a process of this id.
fn is_alive(process: &str) -> bool {
    Path::new("/proc").join(process).exists()
}

fn mapped_paths() -> Vec<PathBuf> {
    let processes = entries(Path::new("/proc"));
    let maps = processes
        .iter()
        .filter_map(|process| fs::read_to_string(process.join("maps")).ok());
    let mut paths: Vec<PathBuf> = maps
        .flat_map(|text| {
            text.lines()
                .filter_map(|line| line.find('/').map(|at| PathBuf::from(&line[at..])))
                .collect::<Vec<_>>()
        })
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_scratch_folder_of_a_living_process_is_kept() {
        let in_use = InUse {
            mapped: Vec::new(),
            is_running: false,
        };
        let of = |process: &str| Path::new("/nowhere").join(process);
        assert!(in_use.holds(SCRATCH, &of(&std::process::id().to_string())));
        assert!(!in_use.holds(SCRATCH, &of("4294967295")));
    }

    #[test]
    fn temporary_folders_behind_a_link_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("autotune/scratch")).unwrap();
        symlink(at("autotune"), at("link")).unwrap();
        symlink(at("autotune/scratch"), at("autotune/linked")).unwrap();
        assert!(is_ours(&at("autotune/scratch")));
        for name in ["link/scratch", "autotune/linked", "nowhere"] {
            assert!(!is_ours(&at(name)), "{name}");
        }
    }
}
