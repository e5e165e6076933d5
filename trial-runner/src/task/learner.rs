//! What is trained epoch by epoch: the seam between the leg's loop and the families of models.

use schedulers::protocol::Report;

use crate::error::Result;
use crate::package::Package;
use crate::session::Pulse;

/// A model in training.
pub(super) trait Learner {
    /// Parameters that are learned.
    fn n_params(&self) -> u64;

    /// Rows of one epoch.
    fn n_rows(&self) -> u64;

    /// Whole epochs trained so far.
    fn epochs(&self) -> u32;

    /// Whether more epochs would change nothing: patience is at its end.
    fn is_exhausted(&self) -> bool;

    /// Trains one epoch and scores it. Beats `pulse` at every step; `None` when that asked
    /// to stop, and then only `best` and `package` may be called: half an epoch is no state.
    fn train_epoch(&mut self, pulse: &Pulse) -> Result<Option<Report>>;

    /// The epoch with the best score so far, and the score.
    fn best(&self) -> (u32, f64);

    /// Puts the state after the last epoch on disk, so that it survives a power cut.
    fn save(&mut self) -> Result<()>;

    /// The model of the best epoch.
    fn package(&self) -> Result<Package>;
}
