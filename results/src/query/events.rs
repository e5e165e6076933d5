//! The journal as a stream, for replay and for whoever watches.

use sqlx::Row as _;

use super::Reader;
use super::row::{all, json, time};
use crate::{Result, Stamped};

impl Reader {
    /// The next `limit` entries after place `after` (0: from the start), in order. Fewer than
    /// `limit` means that there are no more for now.
    pub async fn events(&self, after: u64, limit: u32) -> Result<Vec<Stamped>> {
        let rows = sqlx::query(
            "SELECT seq, at_ms, payload FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
        )
        .bind(after.cast_signed())
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        all(&rows, |row| {
            Ok(Stamped {
                seq: row.try_get::<i64, _>("seq")?.unsigned_abs(),
                at: time(row, "at_ms")?,
                entry: json(row, "payload")?,
            })
        })
    }
}
