//! The runs under an output folder.

use std::path::{Path, PathBuf};

use sqlx::Row as _;

use super::Reader;
use super::row::{RunRow, TrialRow};
use crate::{Error, FILE_NAME, Result};

/// A folder with a run in it; one that cannot be read is shown with the reason, not hidden.
#[derive(Debug)]
pub struct Found {
    /// The run's folder.
    pub folder: PathBuf,
    /// The run, or why it cannot be read.
    pub run: Result<Overview>,
}

/// A run at a glance.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// The run.
    pub run: RunRow,
    /// Trials begun.
    pub n_trials: u32,
    /// Trials finished.
    pub n_finished: u32,
    /// Trials that failed.
    pub n_failed: u32,
    /// The best trial, if any has a finite score.
    pub best: Option<TrialRow>,
}

impl Reader {
    /// The run at a glance; `None` when its folder was made and nothing more.
    pub async fn overview(&self) -> Result<Option<Overview>> {
        let Some(run) = self.run().await? else {
            return Ok(None);
        };
        let counts = sqlx::query(
            "SELECT count(*), count(*) FILTER (WHERE phase = 'finished'), count(*) FILTER (WHERE outcome = 'failed')
             FROM trials",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(Some(Overview {
            run,
            n_trials: counts.try_get(0)?,
            n_finished: counts.try_get(1)?,
            n_failed: counts.try_get(2)?,
            best: self.best().await?,
        }))
    }
}

/// The runs in the folders under `output`, the latest first; those that cannot be read come last,
/// by name. A missing `output` holds no runs.
pub async fn runs(output: &Path) -> Result<Vec<Found>> {
    let entries = match std::fs::read_dir(output) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(Error::CannotOpen {
                path: output.to_owned(),
                why: error.to_string(),
            });
        }
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let folder = entry.path();
        let database = folder.join(FILE_NAME);
        if database.is_file()
            && let Some(run) = overview(&database).await.transpose()
        {
            found.push(Found { folder, run });
        }
    }
    found.sort_by_key(|found| {
        let began = found
            .run
            .as_ref()
            .map_or(0, |overview| overview.run.began_at_ms);
        (std::cmp::Reverse(began), found.folder.clone())
    });
    Ok(found)
}

async fn overview(database: &Path) -> Result<Option<Overview>> {
    let reader = Reader::open(database).await?;
    let overview = reader.overview().await;
    reader.close().await;
    overview
}
