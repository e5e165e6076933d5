//! What a trial process does: one file a task.
//!
//! `learner` is what is trained, `legs` the loop that trains it from rung to rung.

mod learner;
mod legs;
mod rolling;

use schedulers::protocol::Task;

use crate::error::{Error, Result};
use crate::package::Package;
use crate::session::{Link, Stopwatch};

/// Performs a task.
pub fn run(task: &Task, _link: &Link, _clock: Stopwatch) -> Result<()> {
    match task {
        Task::Evaluate(evaluate) => Package::read(&evaluate.model_dir).map(drop),
        Task::Train(_) | Task::Probe(_) => Err(Error::Environment(
            "this build trains nothing yet".to_owned(),
        )),
    }
}
