//! Prepared arrays that a launcher keeps open for its children.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datasets::store::Prepared;
use schedulers::protocol::{Task, TaskSpec};

use crate::error::Result;

/// The arrays that were opened last. A child inherits the mapping, and is spared reading
/// the manifest, which for columns of many levels is most of a short leg's start.
#[derive(Debug, Default)]
pub struct Held(Option<(PathBuf, Arc<Prepared>)>);

impl Held {
    /// Opens the arrays of `spec` unless they are open already. Arrays that cannot be
    /// opened are the child's to complain about.
    pub fn hold_for(&mut self, spec: &TaskSpec) {
        let path = match &spec.task {
            Task::Train(task) => &task.prepared,
            Task::Probe(task) => &task.prepared,
            Task::Evaluate(task) => &task.prepared,
        };
        if self.0.as_ref().is_none_or(|(held, _)| held != path) {
            self.0 = self
                .open(path)
                .ok()
                .map(|prepared| (path.clone(), prepared));
        }
    }

    /// The arrays in `path`: the held ones, or newly opened.
    pub fn open(&self, path: &Path) -> Result<Arc<Prepared>> {
        match &self.0 {
            Some((held, prepared)) if held == path => Ok(prepared.clone()),
            Some(_) | None => Ok(Arc::new(
                Prepared::open(path).map_err(datasets::Error::from)?,
            )),
        }
    }
}
