//! Keeps `model/` of a run whole: it always holds a complete model, or does not exist yet.
//!
//! A new model is staged beside it as hard links to the trial's files, which are never written in
//! place, and changed places with it in one system call. A reader sees the old model or the new one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use serde::Deserialize;

/// How often a folder that changes while it is linked is tried again.
const TRIES: u32 = 5;

/// The place of the best model so far.
#[derive(Debug, Clone)]
pub struct ModelFolder {
    path: PathBuf,
    staged: PathBuf,
}

/// What `model.json` says about the model beside it, as far as the engine needs it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct About {
    /// The trial it comes from; absent for the constant.
    #[serde(default)]
    pub trial: Option<u32>,
    /// The epoch of its weights.
    #[serde(default)]
    pub epoch: Option<u32>,
    /// Scores on the validation part, by metric.
    #[serde(default)]
    pub scores: BTreeMap<String, f64>,
}

impl About {
    /// Reads it from a model's folder.
    pub fn read(folder: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(
            folder.join("model.json"),
        )?)?)
    }
}

impl ModelFolder {
    /// The model folder of the run in `run`.
    pub fn of_run(run: &Path) -> Self {
        Self {
            path: run.join("model"),
            staged: run.join(".model.new"),
        }
    }

    /// Where the model is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is a model.
    pub fn exists(&self) -> bool {
        self.path.is_dir()
    }

    /// Links the model in `from` aside and says what it is. Nothing is replaced yet.
    pub fn stage(&self, from: &Path) -> io::Result<About> {
        let mut result = Err(io::ErrorKind::NotFound.into());
        for _ in 0..TRIES {
            remove(&self.staged)?;
            result = link_all(from, &self.staged).and_then(|()| About::read(&self.staged));
            if result.is_ok() {
                break;
            }
        }
        result
    }

    /// Makes the staged model the model of the run.
    pub fn exchange(&self) -> io::Result<()> {
        let flags = if self.exists() {
            RenameFlags::RENAME_EXCHANGE
        } else {
            RenameFlags::RENAME_NOREPLACE
        };
        match renameat2(AT_FDCWD, &self.staged, AT_FDCWD, &self.path, flags) {
            Ok(()) => {}
            // A file system without it (NFS, some FUSE): as near to at once as it can be.
            Err(Errno::EINVAL | Errno::ENOSYS) => {
                remove(&self.path)?;
                fs::rename(&self.staged, &self.path)?;
            }
            Err(errno) => return Err(errno.into()),
        }
        remove(&self.staged)
    }

    /// Takes back what was staged.
    pub fn unstage(&self) -> io::Result<()> {
        remove(&self.staged)
    }

    /// Makes the model survive a power cut.
    pub fn sync(&self) -> io::Result<()> {
        for file in fs::read_dir(&self.path)? {
            File::open(file?.path())?.sync_all()?;
        }
        File::open(&self.path)?.sync_all()?;
        self.path
            .parent()
            .map_or(Ok(()), |run| File::open(run)?.sync_all())
    }
}

/// Links every file of `from` into the new folder `to`. The folder is held open, so that all files
/// are of one model even when another takes its name meanwhile.
fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    let held = File::open(from)?;
    let from = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
    fs::create_dir(to)?;
    for file in fs::read_dir(&from)? {
        let name = file?.file_name();
        let (from, to) = (from.join(&name), to.join(&name));
        // Another file system, or one without links.
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop))?;
    }
    Ok(())
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(at: &Path, epoch: u32) {
        fs::create_dir_all(at).unwrap();
        fs::write(
            at.join("model.json"),
            format!("{{\"format\":1,\"trial\":3,\"epoch\":{epoch},\"scores\":{{\"r2\":0.5}}}}"),
        )
        .unwrap();
        fs::write(at.join("weights.safetensors"), epoch.to_string()).unwrap();
    }

    fn names(at: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(at)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn the_model_is_replaced_whole_and_nothing_is_left_beside_it() {
        let run = tempfile::tempdir().unwrap();
        let folder = ModelFolder::of_run(run.path());
        assert!(!folder.exists());
        for epoch in [1, 2, 3] {
            let from = run.path().join(format!("trials/{epoch}/model"));
            model(&from, epoch);
            let about = folder.stage(&from).unwrap();
            assert_eq!(
                (about.trial, about.epoch, about.scores["r2"]),
                (Some(3), Some(epoch), 0.5)
            );
            folder.exchange().unwrap();
            fs::remove_dir_all(&from).unwrap();
            assert_eq!(
                fs::read_to_string(folder.path().join("weights.safetensors")).unwrap(),
                epoch.to_string()
            );
            assert_eq!(names(run.path()), ["model", "trials"]);
        }
        folder.sync().unwrap();
    }

    #[test]
    fn a_model_that_cannot_be_staged_leaves_the_old_one() {
        let run = tempfile::tempdir().unwrap();
        let folder = ModelFolder::of_run(run.path());
        model(&run.path().join("a"), 1);
        folder.stage(&run.path().join("a")).unwrap();
        folder.exchange().unwrap();
        assert!(folder.stage(&run.path().join("none")).is_err());
        fs::create_dir(run.path().join("torn")).unwrap();
        assert!(
            folder.stage(&run.path().join("torn")).is_err(),
            "a folder without a description is no model"
        );
        folder.unstage().unwrap();
        assert_eq!(About::read(folder.path()).unwrap().epoch, Some(1));
    }
}
