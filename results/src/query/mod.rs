//! The questions a run's database answers.

mod events;
mod leaderboard;
mod row;
mod run;
mod runs;
#[cfg(test)]
mod tests;
mod trial;

use std::path::Path;

use sqlx::sqlite::SqlitePool;

pub use row::{DecisionRow, LegRow, ModelRow, Phase, ReportRow, RunRow, TrialRow};
pub use runs::{Found, Overview, runs};
pub use trial::TrialDetail;

use crate::{Result, store};

/// Asks one run's database; cheap to clone. Never writes and never waits for the writer.
#[derive(Debug, Clone)]
pub struct Reader {
    pool: SqlitePool,
}

impl Reader {
    /// Opens the database at `path`. Fails when it is missing, broken, foreign or too new.
    pub async fn open(path: &Path) -> Result<Self> {
        Ok(Self {
            pool: store::connect_reader(path).await?,
        })
    }

    /// Lets go of the file.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}
