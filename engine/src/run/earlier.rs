//! What earlier processes of a run left, read from its journal.

use std::path::Path;
use std::time::Duration;

use results::journal::{Evaluation, RunBegan};
use results::{Entry, FILE_NAME, Reader, Stamped};
use schedulers::RunTime;
use schedulers::conductor::Rules;

use crate::error::{Error, Result};

/// Entries that are read at once.
const BLOCK: u32 = 10_000;

/// A run as it was left.
#[derive(Debug)]
pub struct Earlier {
    /// All of its journal.
    pub(super) journal: Vec<Stamped>,
    /// Time that it may take beyond what was said before.
    pub(super) added: Duration,
}

/// The arrays that were prepared.
pub(super) struct Prepared {
    pub(super) key: String,
    pub(super) n_train: u64,
    pub(super) n_validation: u64,
    pub(super) n_test: u64,
}

impl Earlier {
    /// Reads the journal in the run's folder.
    pub async fn read(folder: &Path, added: Duration) -> Result<Self> {
        let reader = Reader::open(&folder.join(FILE_NAME)).await?;
        let mut journal: Vec<Stamped> = Vec::new();
        loop {
            let after = journal.last().map_or(0, |last| last.seq);
            let block = reader.events(after, BLOCK).await?;
            let is_last = block.len() < BLOCK as usize;
            journal.extend(block);
            if is_last {
                break;
            }
        }
        reader.close().await;
        Ok(Self { journal, added })
    }

    /// How it began.
    ///
    /// # Errors
    /// When the journal does not say.
    pub fn began(&self) -> Result<&RunBegan> {
        self.find(|entry| {
            if let Entry::RunBegan(began) = entry {
                Some(began)
            } else {
                None
            }
        })
        .ok_or_else(|| nothing_to_go_on_from("its journal is empty"))
    }

    /// The run time at which it was left.
    pub fn left_at(&self) -> RunTime {
        RunTime(self.journal.last().map_or(Duration::ZERO, |last| last.at))
    }

    /// Time that was added to its budget before, and now.
    pub fn added_in_all(&self) -> Duration {
        let before = self.entries().filter_map(|entry| {
            if let Entry::BudgetAdded { by_ms } = entry {
                Some(Duration::from_millis(*by_ms))
            } else {
                None
            }
        });
        before.fold(self.added, Duration::saturating_add)
    }

    /// Whether it ended with all that was asked for: neither interrupted nor cut short.
    pub fn is_done(&self) -> bool {
        matches!(self.entries().last(), Some(Entry::RunEnded { outcome }) if outcome != "interrupted")
    }

    pub(super) fn rules(&self) -> Result<Rules> {
        self.find(|entry| {
            if let Entry::RulesSettled { rules } = entry {
                Some(rules.clone())
            } else {
                None
            }
        })
        .ok_or_else(|| nothing_to_go_on_from("it was cut short before its search began"))
    }

    pub(super) fn prepared(&self) -> Result<Prepared> {
        self.find(|entry| {
            let Entry::Prepared {
                key,
                n_train,
                n_validation,
                n_test,
            } = entry
            else {
                return None;
            };
            Some(Prepared {
                key: key.clone(),
                n_train: *n_train,
                n_validation: *n_validation,
                n_test: *n_test,
            })
        })
        .ok_or_else(|| nothing_to_go_on_from("it was cut short before its table was prepared"))
    }

    /// The model that stands.
    pub(super) fn standing(&self) -> Option<Evaluation> {
        self.journal.iter().rev().find_map(|stamped| {
            if let Entry::ModelChosen(chosen) = &stamped.entry {
                Some(chosen.clone())
            } else {
                None
            }
        })
    }

    /// How often the test part was looked at, the baseline's look not counted.
    pub(super) fn n_tests(&self) -> usize {
        let looks = |entry: &&Entry| matches!(entry, Entry::Evaluated(scored) if scored.part == "test" && scored.trial != Some(0));
        self.entries().filter(looks).count()
    }

    fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.journal.iter().map(|stamped| &stamped.entry)
    }

    fn find<'a, T>(&'a self, what: impl Fn(&'a Entry) -> Option<T>) -> Option<T> {
        self.journal.iter().find_map(|stamped| what(&stamped.entry))
    }
}

fn nothing_to_go_on_from(why: &str) -> Error {
    Error::usage(
        format!("the run cannot be gone on with: {why}"),
        "start it again under another --name, or remove its folder",
    )
}
