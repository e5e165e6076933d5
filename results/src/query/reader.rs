//! One run's database, open for questions; each kind of question has a file of its own beside this one.

use std::path::Path;

use sqlx::sqlite::SqlitePool;

use crate::{Result, store};

/// Asks one run's database; cheap to clone. Never writes and never waits for the writer.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(super) pool: SqlitePool,
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
