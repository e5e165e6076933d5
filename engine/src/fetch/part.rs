//! The file while it is not whole yet: bytes under `<name>.part`, what they were begun from, and the lock.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Download;
use crate::error::{Error, Result};

/// The file while it is not whole yet.
pub(super) struct Part {
    path: PathBuf,
    file: File,
    /// Bytes so far.
    pub(super) len: u64,
    /// What they were begun from.
    pub(super) mark: Mark,
    mark_path: PathBuf,
}

/// What a part was begun from; kept beside it.
#[derive(Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Mark {
    url: String,
    /// The server's strong ETag, or its date of last change.
    pub(super) version: Option<String>,
}

impl Part {
    /// Opens the part left by an earlier try, or a new one when that was begun from elsewhere.
    pub(super) fn open(wanted: &Download<'_>) -> Result<Self> {
        let (path, mark_path) = (sibling(wanted.to, "part"), sibling(wanted.to, "part.json"));
        let mark: Mark = fs::read(&mark_path)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default();
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(Error::file("write", &path))?;
        let len = file.metadata().map_err(Error::file("read", &path))?.len();
        let mut part = Self {
            path,
            file,
            len,
            mark,
            mark_path,
        };
        if part.mark.url != wanted.url {
            part.restart()?;
            part.mark = Mark {
                url: wanted.url.to_owned(),
                version: None,
            };
        }
        Ok(part)
    }

    pub(super) fn restart(&mut self) -> Result<()> {
        self.file
            .set_len(0)
            .map_err(Error::file("write", &self.path))?;
        self.len = 0;
        Ok(())
    }

    pub(super) fn begin(&mut self, version: Option<String>) -> Result<()> {
        self.mark.version = version;
        let text = serde_json::to_vec(&self.mark)
            .map_err(|error| Error::bug(format!("a download mark cannot be written: {error}")))?;
        fs::write(&self.mark_path, text).map_err(Error::file("write", &self.mark_path))
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file
            .write_all(bytes)
            .map_err(Error::file("write", &self.path))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Checks the whole file and puts it in its place; a wrong one is thrown away.
    pub(super) fn finish(mut self, wanted: &Download<'_>) -> Result<()> {
        let wrong = match (wanted.bytes, wanted.sha256) {
            (Some(bytes), _) if bytes != self.len => {
                Some(format!("{} bytes in place of {bytes}", self.len))
            }
            (_, Some(sha256)) => {
                let found = checksum(&self.path)?;
                (!found.eq_ignore_ascii_case(sha256))
                    .then(|| format!("SHA-256 {found} in place of {sha256}"))
            }
            (_, None) => None,
        };
        if let Some(wrong) = wrong {
            self.restart()?;
            return Err(Error::environment(
                format!("{} is not the file expected: {wrong}", wanted.url),
                format!(
                    "try again later, or get the right file elsewhere and put it at {}",
                    wanted.to.display()
                ),
            ));
        }
        self.file
            .sync_all()
            .map_err(Error::file("write", &self.path))?;
        fs::rename(&self.path, wanted.to).map_err(Error::file("create", wanted.to))?;
        // Both are of no use any more; that they cannot be removed changes nothing.
        let _ = fs::remove_file(&self.mark_path);
        Ok(())
    }
}

/// The SHA-256 of a file, in hex.
fn checksum(path: &Path) -> Result<String> {
    let mut file = File::open(path).map_err(Error::file("read", path))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(Error::file("read", path))? {
            0 => break,
            n => hash.update(&buffer[..n]),
        }
    }
    Ok(hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// Holds others off the same file; released when dropped, also by a crash.
pub(super) fn lock(path: &Path) -> Result<File> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(Error::file("write", path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::environment(
            format!(
                "another process is fetching {}",
                path.with_extension("").display()
            ),
            "wait until it has finished, then run the same command again",
        )),
        Err(TryLockError::Error(source)) => Err(Error::file("lock", path)(source)),
    }
}

/// `<path>.<end>`, in the same folder.
pub(super) fn sibling(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    name.into()
}
