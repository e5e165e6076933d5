//! What the writer promises: order, all or nothing, immutability, and one clear error for a bad file.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sqlx::{ConnectOptions, Connection};

use crate::journal::Outcome;
use crate::story::{began, created, ended, reported, started, store_with, target, whole};
use crate::{Entry, Error, FILE_NAME, Reader, Store};

const NOW: Duration = Duration::from_millis(77);

#[tokio::test]
async fn the_journal_reads_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), whole()).await;
    let read = store.reader().events(0, 1_000).await.unwrap();
    assert_eq!(
        read.iter()
            .map(|stamped| stamped.entry.clone())
            .collect::<Vec<_>>(),
        whole()
    );
    assert_eq!(
        read.iter().map(|stamped| stamped.seq).collect::<Vec<_>>(),
        (1..=whole().len() as u64).collect::<Vec<_>>()
    );
    assert_eq!(read[4].at, Duration::from_millis(50));
    let rest = store.reader().events(30, 2).await.unwrap();
    assert_eq!(
        rest.iter().map(|stamped| stamped.seq).collect::<Vec<_>>(),
        [31, 32]
    );
    store.close().await.unwrap();
}

#[tokio::test]
async fn appended_entries_are_seen_at_once_by_other_readers_and_kept_without_a_close() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join(FILE_NAME)).await.unwrap();
    let other = Reader::open(store.path()).await.unwrap();
    assert_eq!(
        store
            .append(NOW, vec![began("a"), target(true)])
            .await
            .unwrap(),
        2
    );
    assert_eq!(store.append(NOW, vec![]).await.unwrap(), 0);
    assert_eq!(other.events(0, 10).await.unwrap().len(), 2);
    // What a killed process leaves behind: the files as they are now.
    let copy = tempfile::tempdir().unwrap();
    for file in fs::read_dir(folder.path()).unwrap().flatten() {
        fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    let reopened = Store::open(&copy.path().join(FILE_NAME)).await.unwrap();
    assert_eq!(
        reopened.append(NOW, vec![created(0)]).await.unwrap(),
        3,
        "it goes on where it was cut off"
    );
}

#[tokio::test]
async fn a_finished_trial_never_changes() {
    let folder = tempfile::tempdir().unwrap();
    let story = vec![
        began("a"),
        created(0),
        started(0, 0, 1),
        reported(0, 1, 0.5),
        ended(0, Outcome::Completed),
    ];
    let store = store_with(folder.path(), story).await;
    let before = store.reader().trial(0).await.unwrap();
    for late in [
        reported(0, 2, 0.9),
        reported(0, 1, 0.9),
        started(0, 1, 2),
        ended(0, Outcome::Failed),
        created(0),
    ] {
        let refused = store.append(NOW, vec![created(7), late.clone()]).await;
        assert!(
            matches!(refused, Err(Error::Refused(_))),
            "{late:?} gave {refused:?}"
        );
    }
    assert_eq!(store.reader().trial(0).await.unwrap(), before);
    assert!(
        store.reader().trial(7).await.is_err(),
        "a refused batch leaves nothing behind"
    );
    assert_eq!(
        store.append(NOW, vec![created(1)]).await.unwrap(),
        6,
        "and no gap in the journal"
    );
}

#[tokio::test]
async fn a_refused_batch_does_not_take_its_neighbours_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), vec![began("a"), created(0)]).await;
    let (good, bad, better) = tokio::join!(
        store.append(NOW, vec![created(1)]),
        store.append(NOW, vec![created(0)]),
        store.append(NOW, vec![created(2)]),
    );
    assert_eq!((good.unwrap(), better.unwrap()), (3, 4));
    assert!(matches!(bad, Err(Error::Refused(_))));
    assert_eq!(store.reader().trials().await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_sync_marks_how_far_the_journal_survives_a_power_cut() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), whole()).await;
    store.sync().await.unwrap();
    let mut direct = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(store.path())
        .connect()
        .await
        .unwrap();
    let (synced,): (i64,) = sqlx::query_as("SELECT synced_seq FROM runs")
        .fetch_one(&mut direct)
        .await
        .unwrap();
    assert_eq!(synced, whole().len() as i64);
}

#[tokio::test]
async fn each_bad_file_has_its_own_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert!(matches!(
        Reader::open(&at("none")).await,
        Err(Error::Missing { .. })
    ));
    assert!(matches!(
        Store::open(&at("none")).await,
        Err(Error::Missing { .. })
    ));
    fs::write(at("text"), "this is no database, but it is long enough to have had a header of one hundred bytes, had it been one").unwrap();
    assert!(matches!(
        Reader::open(&at("text")).await,
        Err(Error::Malformed { .. })
    ));
    assert!(matches!(
        Store::open(&at("text")).await,
        Err(Error::Malformed { .. })
    ));
    assert!(matches!(
        Store::create(&at("text")).await,
        Err(Error::Exists { .. })
    ));
    assert!(matches!(
        Store::create(&at("no/such/folder")).await,
        Err(Error::CannotOpen { .. })
    ));

    pragma(&at("foreign"), "CREATE TABLE t (x)").await;
    let before = fs::read(at("foreign")).unwrap();
    assert!(matches!(
        Store::open(&at("foreign")).await,
        Err(Error::Foreign { .. })
    ));
    assert_eq!(
        fs::read(at("foreign")).unwrap(),
        before,
        "a foreign database is not touched"
    );

    Store::create(&at("newer"))
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    pragma(&at("newer"), "PRAGMA user_version = 99").await;
    assert!(matches!(
        Reader::open(&at("newer")).await,
        Err(Error::Newer {
            found: 99,
            known: 1,
            ..
        })
    ));
    assert!(matches!(
        Store::open(&at("newer")).await,
        Err(Error::Newer { .. })
    ));

    Store::create(&at("cut"))
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    let whole = fs::read(at("cut")).unwrap();
    fs::write(at("cut"), &whole[..whole.len() / 2]).unwrap();
    let cut = async { Reader::open(&at("cut")).await?.leaderboard(None).await };
    assert!(cut.await.is_err());
}

#[tokio::test]
async fn a_closed_run_is_one_file_and_stays_one_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with(folder.path(), whole()).await;
    store.close().await.unwrap();
    let path = folder.path().join(FILE_NAME);
    let files = || fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files(), 1);
    let reader = Reader::open(&path).await.unwrap();
    let n_events = reader.events(0, 1_000).await.unwrap().len();
    assert_eq!((n_events, files()), (whole().len(), 1));
    reader.close().await;
    let again = Store::open(&path).await.unwrap();
    again.append(NOW, vec![target(true)]).await.unwrap();
    again.close().await.unwrap();
    assert_eq!(files(), 1);
}

#[tokio::test]
async fn a_database_of_the_first_format_still_opens() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/v1.sqlite");
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join(FILE_NAME);
    fs::copy(fixture, &copy).unwrap();
    let store = Store::open(&copy).await.unwrap();
    let entries: Vec<Entry> = store
        .reader()
        .events(0, 1_000)
        .await
        .unwrap()
        .into_iter()
        .map(|event| event.entry)
        .collect();
    assert_eq!(entries, whole());
    assert_eq!(store.reader().best().await.unwrap().unwrap().trial, 0);
}

async fn pragma(path: &Path, sql: &'static str) {
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    sqlx::query(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}
