//! Writes the journal, many entries in one commit.
//!
//! One task owns the connection. Whatever waits when it is free goes into one transaction, so that
//! a commit costs the same for one entry and for fifty. A commit survives a kill of the process at
//! once; the disk is told to keep it for good soon after, without anybody waiting for that, when
//! entries were among it that must survive a power cut.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use sqlx::Connection;
use sqlx::sqlite::SqliteConnection;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::{fold, open};
use crate::{Entry, Error, Reader, Result};

/// How long a commit may wait for its sync: at 30 legs a second the disk is then synced 20 times,
/// not 60, and a power cut costs at most this much work.
const SYNC_LINGER: Duration = Duration::from_millis(50);

/// Orders in flight: the dispatcher has one, the phases before it one; the rest is slack.
const QUEUE: usize = 64;

/// The database of a run, open for writing. There is one for a run; it is closed by [`Store::close`].
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    orders: mpsc::Sender<Order>,
    task: JoinHandle<Result<()>>,
    reader: Reader,
}

#[derive(Debug)]
enum Order {
    Append {
        at: Duration,
        entries: Vec<Entry>,
        done: oneshot::Sender<Result<u64>>,
    },
    Sync {
        done: oneshot::Sender<Result<()>>,
    },
}

impl Store {
    /// Makes the database of a new run. Fails when there is one.
    pub async fn create(path: &Path) -> Result<Self> {
        let writer = open::create(path).await?;
        Self::start(path, writer).await
    }

    /// Opens the database of an earlier run to go on with it.
    pub async fn open(path: &Path) -> Result<Self> {
        let writer = open::reopen(path).await?;
        Self::start(path, writer).await
    }

    async fn start(path: &Path, mut connection: SqliteConnection) -> Result<Self> {
        let (last,): (i64,) = sqlx::query_as("SELECT coalesce(max(seq), 0) FROM events")
            .fetch_one(&mut connection)
            .await?;
        let reader = Reader::open(path).await?;
        let (orders, inbox) = mpsc::channel(QUEUE);
        let writer = Writer {
            connection,
            next_seq: last + 1,
            stuck: None,
        };
        let task = tokio::spawn(writer.run(inbox));
        Ok(Self {
            path: path.to_owned(),
            orders,
            task,
            reader,
        })
    }

    /// Adds entries to the journal, in order and all or none, and returns the place of the last.
    /// When it returns, they survive a kill of this process. No entries: returns 0.
    pub async fn append(&self, at: Duration, entries: Vec<Entry>) -> Result<u64> {
        if entries.is_empty() {
            return Ok(0);
        }
        self.order(|done| Order::Append { at, entries, done }).await
    }

    /// Returns when everything added so far survives a power cut.
    pub async fn sync(&self) -> Result<()> {
        self.order(|done| Order::Sync { done }).await
    }

    /// Asks the database while it is written.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Where the database is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs, folds the write-ahead log into the file and lets go of it.
    pub async fn close(self) -> Result<()> {
        let Self {
            orders,
            task,
            reader,
            ..
        } = self;
        drop(orders);
        reader.close().await;
        task.await.map_err(|_| Error::Closed)?
    }

    async fn order<T>(&self, order: impl FnOnce(oneshot::Sender<Result<T>>) -> Order) -> Result<T> {
        let (done, answer) = oneshot::channel();
        self.orders
            .send(order(done))
            .await
            .map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }
}

struct Writer {
    connection: SqliteConnection,
    next_seq: i64,
    /// Why the last sync failed. From then on every order is refused with it: what is in doubt is not built upon.
    stuck: Option<String>,
}

/// Entries that belong together, and who waits for them.
struct Batch {
    at: Duration,
    entries: Vec<Entry>,
    done: oneshot::Sender<Result<u64>>,
}

impl Writer {
    async fn run(mut self, mut inbox: mpsc::Receiver<Order>) -> Result<()> {
        let mut waiting = Vec::with_capacity(QUEUE);
        let mut sync_timer: Option<Pin<Box<tokio::time::Sleep>>> = None;
        loop {
            tokio::select! {
                // The timer first: a queue that is never empty must not put the sync off.
                biased;
                () = ring(&mut sync_timer) => {
                    if let Err(error) = self.sync().await {
                        self.stuck = Some(error.to_string());
                    }
                    sync_timer = None;
                }
                n_received = inbox.recv_many(&mut waiting, QUEUE) => {
                    if n_received == 0 {
                        break;
                    }
                    if self.serve(&mut waiting).await {
                        sync_timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(SYNC_LINGER)));
                    }
                }
            }
        }
        if let Some(why) = self.stuck {
            return Err(Error::Stuck { why });
        }
        self.sync().await?;
        open::fold_log(&mut self.connection).await;
        self.connection.close().await?;
        Ok(())
    }

    /// Serves all orders that wait. True when what was written must soon be synced.
    async fn serve(&mut self, orders: &mut Vec<Order>) -> bool {
        if let Some(why) = &self.stuck {
            for order in orders.drain(..) {
                let stuck = Error::Stuck { why: why.clone() };
                match order {
                    Order::Append { done, .. } => drop(done.send(Err(stuck))),
                    Order::Sync { done } => drop(done.send(Err(stuck))),
                }
            }
            return false;
        }
        let (mut batches, mut syncs) = (Vec::new(), Vec::new());
        for order in orders.drain(..) {
            match order {
                Order::Append { at, entries, done } => batches.push(Batch { at, entries, done }),
                Order::Sync { done } => syncs.push(done),
            }
        }
        let is_durable = batches
            .iter()
            .flat_map(|batch| &batch.entries)
            .any(Entry::is_durable);
        self.append(batches).await;
        // The answer is dropped where nobody waits any more; the work is done all the same.
        for done in syncs {
            let _ = done.send(self.sync().await);
        }
        is_durable
    }

    /// Commits all batches at once; when one of them is refused, each by itself, so that a bad
    /// batch never takes a good one with it.
    async fn append(&mut self, batches: Vec<Batch>) {
        match self.commit(&batches).await {
            Ok(last_seqs) => {
                for (batch, last_seq) in batches.into_iter().zip(last_seqs) {
                    let _ = batch.done.send(Ok(last_seq));
                }
            }
            Err(_) => {
                for batch in batches {
                    let one = std::slice::from_ref(&batch);
                    let result = self.commit(one).await;
                    let answer = result.map(|last_seqs| last_seqs[0]).map_err(Error::writing);
                    let _ = batch.done.send(answer);
                }
            }
        }
    }

    /// One transaction. Returns the place of the last entry of each batch.
    async fn commit(&mut self, batches: &[Batch]) -> Result<Vec<u64>, sqlx::Error> {
        let mut seq = self.next_seq;
        let mut last_seqs = Vec::with_capacity(batches.len());
        let mut transaction = self.connection.begin().await?;
        for batch in batches {
            for entry in &batch.entries {
                fold::apply(&mut transaction, seq, batch.at, entry).await?;
                seq += 1;
            }
            last_seqs.push(seq.unsigned_abs() - 1);
        }
        transaction.commit().await?;
        self.next_seq = seq;
        Ok(last_seqs)
    }

    /// Makes SQLite sync its log, which holds every commit so far, by one more small commit.
    async fn sync(&mut self) -> Result<()> {
        sqlx::query("PRAGMA synchronous = FULL")
            .execute(&mut self.connection)
            .await?;
        let last = self.next_seq - 1;
        let mark = sqlx::query("UPDATE runs SET synced_seq = ? WHERE synced_seq < ?")
            .bind(last)
            .bind(last)
            .execute(&mut self.connection)
            .await;
        sqlx::query("PRAGMA synchronous = NORMAL")
            .execute(&mut self.connection)
            .await?;
        mark?;
        Ok(())
    }
}

/// Waits for the timer; for ever when there is none.
async fn ring(timer: &mut Option<Pin<Box<tokio::time::Sleep>>>) {
    match timer {
        Some(timer) => timer.await,
        None => std::future::pending().await,
    }
}
