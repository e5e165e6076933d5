//! The questions a run's database answers.

mod events;
mod leaderboard;
mod reader;
mod row;
mod run;
mod runs;
#[cfg(test)]
mod tests;
mod trial;

pub use reader::Reader;
pub use row::{DecisionRow, LegRow, ModelRow, Phase, ReportRow, RunRow, TrialRow};
pub use runs::{Found, Overview, runs};
pub use trial::TrialDetail;
