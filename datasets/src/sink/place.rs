//! Where an output that a user named goes: a new file, which appears whole or not at all, or a pipe or a device, which
//! takes bytes as they come. What stands there already is never replaced.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Symbolic links that are followed at the most, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Csv,
    Parquet,
}

impl Layout {
    /// The layout that the ending of a name asks for; no ending is CSV.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let Some(ending) = path.extension() else {
            return Some(Self::Csv);
        };
        let ending = ending.to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "csv" => Some(Self::Csv),
            "parquet" | "pq" => Some(Self::Parquet),
            _ => None,
        }
    }
}

/// Where an output goes, seen before anything is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file that is not there yet, symbolic links resolved.
    New(PathBuf),
    /// A pipe or a device: written directly.
    Stream(PathBuf),
}

impl Destination {
    /// Where the output `path` goes. Writes nothing and opens nothing.
    ///
    /// # Errors
    /// When a file or a folder stands there, or the name asks for a format that is not written.
    pub fn of(path: &Path) -> Result<Self> {
        match fs::metadata(path) {
            Ok(there) if there.is_file() => Err(Error::Exists(path.to_owned())),
            Ok(there) if there.is_dir() => Err(Error::NotAFile(path.to_owned())),
            Ok(_) => Ok(Self::Stream(path.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if path.file_name().is_none() {
                    return Err(Error::NotAFile(path.to_owned()));
                }
                if Layout::of(path).is_none() {
                    return Err(Error::UnknownEnding(path.to_owned()));
                }
                resolved(path).map(Self::New)
            }
            Err(error) => Err(Error::io("write", path)(error)),
        }
    }

    /// The file that this process writes until a new file is whole; `None` for a stream.
    #[must_use]
    pub fn aside(&self) -> Option<PathBuf> {
        match self {
            // Not after the file itself, whose name may be as long as names can be.
            Self::New(path) => {
                Some(path.with_file_name(format!(".autotune-{}.part", std::process::id())))
            }
            Self::Stream(_) => None,
        }
    }
}

/// Where a name leads that nothing stands at: through symbolic links to nothing.
fn resolved(path: &Path) -> Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(to) = fs::read_link(&at) else {
            return Ok(at);
        };
        at = at.parent().unwrap_or(Path::new("")).join(to);
    }
    Err(Error::io("write", path)(io::Error::other(
        "too many symbolic links",
    )))
}

/// A destination being written.
pub(super) enum Place {
    Stream(PathBuf),
    /// Invariant: `aside` is there until it is renamed or given up.
    New {
        path: PathBuf,
        aside: PathBuf,
    },
    Done,
}

impl Place {
    /// Opens the destination for writing.
    pub(super) fn open(destination: Destination) -> Result<(Self, File)> {
        let aside = destination.aside();
        match (destination, aside) {
            (Destination::New(path), Some(aside)) => {
                let create = || OpenOptions::new().write(true).create_new(true).open(&aside);
                let file = create().or_else(|error| {
                    if error.kind() == io::ErrorKind::AlreadyExists {
                        // Of a dead process that had our number.
                        fs::remove_file(&aside)?;
                        create()
                    } else {
                        Err(error)
                    }
                });
                let file = file.map_err(Error::io("create", &path))?;
                Ok((Self::New { path, aside }, file))
            }
            (Destination::New(path) | Destination::Stream(path), _) => {
                let file = OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .map_err(Error::io("write", &path))?;
                Ok((Self::Stream(path), file))
            }
        }
    }

    /// Puts a new file in its place. One that has appeared there in the meantime is kept.
    pub(super) fn finish(&mut self) -> Result<()> {
        let Self::New { path, aside } = &*self else {
            return Ok(());
        };
        match fs::hard_link(aside, path) {
            Ok(()) => fs::remove_file(aside).map_err(Error::io("remove", aside))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Error::Exists(path.clone()));
            }
            // Not every file system has links.
            Err(_) if fs::symlink_metadata(path).is_ok() => {
                return Err(Error::Exists(path.clone()));
            }
            Err(_) => fs::rename(aside, path).map_err(Error::io("write", path))?,
        }
        *self = Self::Done;
        Ok(())
    }

    pub(super) fn shown(&self) -> &Path {
        match self {
            Self::Stream(path) | Self::New { path, .. } => path,
            Self::Done => Path::new("the output"),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Self::New { aside, .. } = self {
            // Nothing is left of a table that was not finished.
            let _ = fs::remove_file(aside);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_stands_there_is_kept_and_links_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("there.csv"), "mine").unwrap();
        symlink(at("there.csv"), at("link.csv")).unwrap();
        symlink("new.csv", at("dangling.csv")).unwrap();
        symlink(at("loop.csv"), at("loop.csv")).unwrap();
        for (name, expected) in [
            ("there.csv", "is there already"),
            ("link.csv", "is there already"),
            ("", "is not a file"),
            ("new.csv.gz", "is not written as .gz"),
            ("new.jsonl", "is not written as .jsonl"),
            ("new.xlsx", "is not written as .xlsx"),
            ("loop.csv", "cannot write"),
        ] {
            let error = Destination::of(&at(name)).unwrap_err().to_string();
            assert!(error.contains(expected), "{name}: {error}");
        }
        for (name, real) in [
            ("new.csv", "new.csv"),
            ("NEW.PQ", "NEW.PQ"),
            ("plain", "plain"),
            ("dangling.csv", "new.csv"),
        ] {
            assert_eq!(
                Destination::of(&at(name)).unwrap(),
                Destination::New(at(real))
            );
        }
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept_and_nothing_else_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.csv");
        let (mut place, _file) = Place::open(Destination::of(&path).unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(matches!(place.finish(), Err(Error::Exists(_))));
        drop(place);
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
