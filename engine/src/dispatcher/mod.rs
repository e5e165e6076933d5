//! The loop in the middle of a run: select, handle, act.
//!
//! What happens is told to the conductor, what it decides is written down, and only then done.
//! Read `dispatcher` for the loop, `hear` for what becomes of what a process says, `exits` for what becomes of its end, `best` for what becomes of a good one, `act` for what becomes
//! of a decision; `candidates` makes configs, `again` begins where an earlier process left off, `desk` remembers trials, `model_folder` keeps `model/`
//! whole.

mod act;
mod again;
mod best;
mod candidates;
mod desk;
#[expect(
    clippy::module_inception,
    reason = "the file is named by its one noun, as the others are"
)]
mod dispatcher;
mod exits;
mod hear;
mod model_folder;
mod words;

pub use best::WRITING;
pub use candidates::{Candidate, Candidates, Concrete};
pub use dispatcher::{Dispatcher, Outcome, Setup};
pub use model_folder::{About, ModelFolder};
