//! Opens the database: the only place that knows its options, its format and its migrations.

use std::path::Path;
use std::time::Duration;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection, SqlSafeStr};

use crate::{Error, Result};

/// Marks the file as ours; "aTun" in its header.
const APPLICATION_ID: i64 = 0x6154_756e;

/// The migrations, oldest first. Append only: a released one is never edited.
const MIGRATIONS: &[(&str, &str)] =
    &[("journal", include_str!("../../migrations/0001_journal.sql"))];

/// The format this version writes: the number of its migrations.
#[expect(clippy::cast_possible_wrap, reason = "a handful of migrations")]
const FORMAT: i64 = MIGRATIONS.len() as i64;

/// Makes a new database. Fails when the file exists.
pub(super) async fn create(path: &Path) -> Result<SqliteConnection> {
    if path.exists() {
        return Err(Error::Exists {
            path: path.to_owned(),
        });
    }
    let mut writer = connect(path, writer_options(path).create_if_missing(true)).await?;
    migrate(&mut writer)
        .await
        .map_err(|error| Error::opening(path, error))?;
    Ok(writer)
}

/// Opens an existing database to go on writing, and brings it to the format of this version.
pub(super) async fn reopen(path: &Path) -> Result<SqliteConnection> {
    must_exist(path)?;
    // Looked at before it is touched: switching a foreign database to WAL would change its file.
    connect_reader(path).await?.close().await;
    let mut writer = connect(path, writer_options(path)).await?;
    migrate(&mut writer)
        .await
        .map_err(|error| Error::opening(path, error))?;
    Ok(writer)
}

/// Opens a database to ask it, alone or beside its writer.
pub(crate) async fn connect_reader(path: &Path) -> Result<SqlitePool> {
    must_exist(path)?;
    let mut options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(BUSY_TIMEOUT);
    match probe(path, options.clone()).await {
        // A write-ahead log is read through a file beside it, which a folder that may not be written does not get.
        // Where there is no log, nobody writes, and the file can be read as it is.
        Err(Error::CannotOpen { .. }) if !has_log(path) => {
            options = options.immutable(true);
            probe(path, options.clone()).await?;
        }
        other => other?,
    }
    Ok(SqlitePoolOptions::new()
        .max_connections(2)
        .connect_lazy_with(options))
}

/// Whether there is a write-ahead log with something in it.
fn has_log(path: &Path) -> bool {
    path.with_extension("sqlite-wal")
        .metadata()
        .is_ok_and(|log| log.len() > 0)
}

/// Whether the database can be read with these options, and is ours.
async fn probe(path: &Path, options: SqliteConnectOptions) -> Result<()> {
    let mut first = connect(path, options).await?;
    validate(path, &mut first).await?;
    first
        .close()
        .await
        .map_err(|error| Error::opening(path, error))
}

/// Folds the write-ahead log into the file for good, so that nothing has to be written to read it. Left as it is where
/// somebody is reading: the file is whole in either form.
pub(super) async fn fold_log(connection: &mut SqliteConnection) {
    for pragma in ["PRAGMA busy_timeout = 50", "PRAGMA journal_mode = DELETE"] {
        // A reader in the way is an error, or an answer that says so; neither matters.
        let _ = sqlx::query(pragma).fetch_all(&mut *connection).await;
    }
}

/// Tells our database from a broken, a foreign and a newer one.
async fn validate(path: &Path, connection: &mut SqliteConnection) -> Result<()> {
    let opening = |error| Error::opening(path, error);
    let (application,): (i64,) = sqlx::query_as("PRAGMA application_id")
        .fetch_one(&mut *connection)
        .await
        .map_err(opening)?;
    let (format,): (i64,) = sqlx::query_as("PRAGMA user_version")
        .fetch_one(&mut *connection)
        .await
        .map_err(opening)?;
    if application != APPLICATION_ID {
        Err(Error::Foreign {
            path: path.to_owned(),
        })
    } else if format > FORMAT {
        Err(Error::Newer {
            path: path.to_owned(),
            found: format,
            known: FORMAT,
        })
    } else {
        Ok(())
    }
}

/// Long enough for another process's checkpoint, short beside any budget.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

fn writer_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
}

async fn connect(path: &Path, options: SqliteConnectOptions) -> Result<SqliteConnection> {
    options
        .connect()
        .await
        .map_err(|error| Error::opening(path, error))
}

fn must_exist(path: &Path) -> Result<()> {
    if path.is_file() {
        Ok(())
    } else {
        Err(Error::Missing {
            path: path.to_owned(),
        })
    }
}

async fn migrate(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let migrations = (1..).zip(MIGRATIONS).map(|(version, (name, sql))| {
        Migration::new(
            version,
            (*name).into(),
            MigrationType::Simple,
            sql.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
        .run_direct(None, connection, false)
        .await?;
    Ok(())
}
