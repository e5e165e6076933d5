//! The run itself.

use super::Reader;
use super::row::{ModelRow, RunRow, all};
use crate::Result;

impl Reader {
    /// The run; `None` when its folder was made and nothing more.
    pub async fn run(&self) -> Result<Option<RunRow>> {
        let row = sqlx::query("SELECT * FROM runs")
            .fetch_optional(&self.pool)
            .await?;
        row.as_ref().map(RunRow::read).transpose()
    }

    /// The models of the run and their evaluations, in order.
    pub async fn models(&self) -> Result<Vec<ModelRow>> {
        let rows = sqlx::query("SELECT * FROM models ORDER BY seq")
            .fetch_all(&self.pool)
            .await?;
        all(&rows, ModelRow::read)
    }
}
