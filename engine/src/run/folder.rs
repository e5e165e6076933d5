//! The run on disk: its folder, its lock, its journal.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use results::journal::RunBegan;
use results::{Entry, FILE_NAME, Store};

use crate::clock::{Clock, unix_ms};
use crate::error::{Error, Result};
use crate::hardware::check_room;
use crate::run_plan::RunPlan;

const LOCK: &str = "run.lock";

/// In the folder of the cache.
const CACHE_LOCK: &str = "runs.lock";

/// A run's folder, held by this process.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    pub(super) store: Store,
    /// Locked while the run goes on; the lock goes with the process, however that ends.
    _lock: File,
    /// Locked together with other runs: the cache is in use.
    _cache_lock: Option<File>,
}

impl Folder {
    /// Makes the folder and begins the journal. Paths in it are absolute from here on, since every process
    /// of the run uses them.
    pub(super) async fn create(plan: &RunPlan, clock: &Clock) -> Result<Self> {
        check_room(&plan.folder, 0, "a run")?;
        if let Some(output) = plan.folder.parent() {
            fs::create_dir_all(output).map_err(Error::file("create", output))?;
        }
        match fs::create_dir(&plan.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let what = format!("{} is there already", plan.folder.display());
                return Err(Error::usage(
                    what,
                    "choose another --name, or remove the folder",
                ));
            }
            made => made.map_err(Error::file("create", &plan.folder))?,
        }
        let path = plan
            .folder
            .canonicalize()
            .map_err(Error::file("find", &plan.folder))?;
        let lock = take_lock(&path)?;
        let store = Store::create(&path.join(FILE_NAME)).await?;
        let began = RunBegan {
            name: plan.name.clone(),
            began_at_ms: unix_ms(),
            dataset: plan.dataset.clone(),
            seed: plan.seed,
            budget_ms: plan
                .limits
                .budget
                .map(|budget| u64::try_from(budget.as_millis()).unwrap_or(u64::MAX)),
            plan: plan.to_kept(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        store
            .append(clock.now().0, vec![Entry::RunBegan(began)])
            .await?;
        Ok(Self {
            path,
            store,
            _lock: lock,
            _cache_lock: hold_cache(&plan.cache),
        })
    }

    /// Opens the folder of a run that an earlier process left.
    pub(super) async fn reopen(plan: &RunPlan) -> Result<Self> {
        check_room(&plan.folder, 0, "a run")?;
        let path = plan
            .folder
            .canonicalize()
            .map_err(Error::file("find", &plan.folder))?;
        let lock = take_lock(&path)?;
        let store = Store::open(&path.join(FILE_NAME)).await?;
        Ok(Self {
            path,
            store,
            _lock: lock,
            _cache_lock: hold_cache(&plan.cache),
        })
    }

    /// Takes away what a run left that never came to a model, so that nobody takes it for a good one.
    pub(super) async fn abandon(self) {
        // The folder goes: what the journal would say about itself is of no use to anybody.
        let _ = self.store.close().await;
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Locks the run, so that one process works on it at a time.
fn take_lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let lock = File::create(&path).map_err(Error::file("create", &path))?;
    lock.try_lock().map_err(|error| match error {
        TryLockError::Error(source) => Error::file("lock", &path)(source),
        TryLockError::WouldBlock => Error::usage(
            format!("another process works on the run {}", folder.display()),
            "wait until it is over",
        ),
    })?;
    Ok(lock)
}

/// Marks the cache as in use while the file lives. A cache that cannot be written has nothing that could be removed.
fn hold_cache(cache: &Path) -> Option<File> {
    fs::create_dir_all(cache).ok()?;
    let file = File::create(cache.join(CACHE_LOCK)).ok()?;
    file.try_lock_shared().ok()?;
    Some(file)
}

/// Whether a run is going on that uses this cache.
pub fn is_in_use(cache: &Path) -> bool {
    let Ok(file) = File::open(cache.join(CACHE_LOCK)) else {
        return false;
    };
    matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Whether a process works on the run in `folder` at this moment.
pub fn is_running(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join(LOCK)) else {
        return false;
    };
    matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
}
