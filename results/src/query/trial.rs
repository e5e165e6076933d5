//! One trial with everything that was reported and decided about it.

use sqlx::Row as _;

use super::Reader;
use super::row::{DecisionRow, LegRow, ReportRow, TrialRow, all};
use crate::{Error, Result};

/// A trial and its record.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialDetail {
    /// The trial.
    pub trial: TrialRow,
    /// Its legs, in order.
    pub legs: Vec<LegRow>,
    /// Its epochs, in order.
    pub reports: Vec<ReportRow>,
    /// The verdicts on it, in order.
    pub decisions: Vec<DecisionRow>,
}

impl Reader {
    /// One trial, whole. Fails when there is no such trial.
    pub async fn trial(&self, trial: u32) -> Result<TrialDetail> {
        let row = sqlx::query("SELECT * FROM trials WHERE id = ?")
            .bind(trial)
            .fetch_optional(&self.pool)
            .await?;
        let Some(row) = row else {
            let n_trials = sqlx::query("SELECT count(*) FROM trials")
                .fetch_one(&self.pool)
                .await?
                .try_get(0)?;
            return Err(Error::NoTrial { trial, n_trials });
        };
        let legs = sqlx::query("SELECT * FROM legs WHERE trial = ? ORDER BY leg")
            .bind(trial)
            .fetch_all(&self.pool)
            .await?;
        let reports = sqlx::query("SELECT * FROM reports WHERE trial = ? ORDER BY epoch")
            .bind(trial)
            .fetch_all(&self.pool)
            .await?;
        let decisions = sqlx::query("SELECT * FROM decisions WHERE trial = ? ORDER BY seq")
            .bind(trial)
            .fetch_all(&self.pool)
            .await?;
        Ok(TrialDetail {
            trial: TrialRow::read(&row)?,
            legs: all(&legs, LegRow::read)?,
            reports: all(&reports, ReportRow::read)?,
            decisions: all(&decisions, DecisionRow::read)?,
        })
    }
}
