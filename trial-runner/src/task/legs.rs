//! Trains from rung to rung: report each epoch, save at the leg's end, wait for the verdict.

use std::path::Path;

use schedulers::protocol::{TrainTask, TrialMessage};

use super::learner::Learner;
use super::rolling::Rolling;
use crate::error::Result;
use crate::package::Durability;
use crate::session::{Ask, Link, Stopwatch, Verdict};

/// Runs the legs of a trial until the engine wants no more of it.
pub(super) fn run(learner: &mut dyn Learner, task: &TrainTask, link: &Link) -> Result<()> {
    let mut folder = Folder {
        model_dir: &task.trial_dir.join("model"),
        packaged: None,
    };
    let mut to = task.to;
    loop {
        let Some(train_s) = leg(learner, task, to, link)? else {
            return folder.package(learner);
        };
        learner.save()?;
        folder.package(learner)?;
        let (best_epoch, best_score) = learner.best();
        link.send(&TrialMessage::LegEnd {
            // Epochs that would change nothing count as trained.
            epoch: to,
            best_epoch,
            best_score,
            train_s,
        });
        match link.verdict() {
            Verdict::Continue { to: next } => to = next,
            Verdict::Pause | Verdict::Stop | Verdict::Gone => return Ok(()),
        }
    }
}

/// Trains up to epoch `to`: the seconds of training, or `None` where the engine wanted the
/// trial to leave before.
fn leg(learner: &mut dyn Learner, task: &TrainTask, to: u32, link: &Link) -> Result<Option<f64>> {
    let clock = Stopwatch::start();
    let mut rolling = Rolling::new(task.checkpoint_every_s);
    let mut train_s = 0.0;
    let from = learner.epochs();
    while learner.epochs() < to && !learner.is_exhausted() {
        if link.pulse().ask() != Ask::GoOn {
            // Between two epochs the state is whole; what was saved before is older.
            if learner.epochs() > from {
                save(learner, link)?;
            }
            return Ok(None);
        }
        let Some(report) = learner.train_epoch(link.pulse())? else {
            return Ok(None);
        };
        train_s += report.train_s;
        link.send(&TrialMessage::Report(report));
        if learner.epochs() < to && rolling.is_due(clock.seconds()) {
            let cost = Stopwatch::start();
            save(learner, link)?;
            rolling.on_written(clock.seconds(), cost.seconds());
        }
    }
    Ok(Some(train_s))
}

fn save(learner: &mut dyn Learner, link: &Link) -> Result<()> {
    learner.save()?;
    link.send(&TrialMessage::Checkpoint {
        epoch: learner.epochs(),
    });
    Ok(())
}

/// The trial's `model/`, written only when there is a better model than the one in it.
struct Folder<'a> {
    model_dir: &'a Path,
    packaged: Option<u32>,
}

impl Folder<'_> {
    fn package(&mut self, learner: &dyn Learner) -> Result<()> {
        let (epoch, _) = learner.best();
        if epoch == 0 || self.packaged == Some(epoch) {
            return Ok(());
        }
        // A torn one is found by its hashes, and the checkpoint, which is synced, makes it again.
        learner.package()?.write(self.model_dir, Durability::Kill)?;
        self.packaged = Some(epoch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
