//! The trials in the order of their best scores.

use super::Reader;
use super::row::{TrialRow, all};
use crate::Result;

impl Reader {
    /// All trials, best first. Ties go to the lower number; trials without a finite score come
    /// last, by number. `limit` cuts the list.
    pub async fn leaderboard(&self, limit: Option<u32>) -> Result<Vec<TrialRow>> {
        let rows = sqlx::query(
            "SELECT trials.* FROM trials LEFT JOIN runs
             ORDER BY best_score IS NULL, CASE WHEN maximise THEN -best_score ELSE best_score END, trials.id
             LIMIT ?",
        )
        .bind(limit.map_or(-1, i64::from))
        .fetch_all(&self.pool)
        .await?;
        all(&rows, TrialRow::read)
    }

    /// The trial with the best finite score, if any.
    pub async fn best(&self) -> Result<Option<TrialRow>> {
        let first = self.leaderboard(Some(1)).await?.pop();
        Ok(first.filter(|trial| trial.best_score.is_some_and(|score| score.0.is_finite())))
    }

    /// All trials by number.
    pub async fn trials(&self) -> Result<Vec<TrialRow>> {
        let rows = sqlx::query("SELECT * FROM trials ORDER BY id")
            .fetch_all(&self.pool)
            .await?;
        all(&rows, TrialRow::read)
    }
}
