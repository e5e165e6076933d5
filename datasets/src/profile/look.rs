//! The look itself: columns side by side, each whole, its pages given back behind the look.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::summary::{ColumnProfile, Profile};
use super::{numbers, odd, texts};
use crate::table::{Column, Table, Values};

/// How to profile.
#[derive(Debug, Clone, Copy)]
pub struct ProfileOptions {
    /// Columns looked at side by side; at least one.
    pub threads: usize,
}

/// Looks at every column of a table, whole. Memory: a few megabytes a thread, whatever the rows.
#[must_use]
pub fn profile(table: &Table, options: &ProfileOptions) -> Profile {
    let columns = table.columns();
    let next = AtomicUsize::new(0);
    let seen: Mutex<Vec<(usize, ColumnProfile)>> = Mutex::new(Vec::with_capacity(columns.len()));
    std::thread::scope(|scope| {
        for _ in 0..options.threads.clamp(1, columns.len().max(1)) {
            scope.spawn(|| {
                while let Some((index, column)) = Some(next.fetch_add(1, Ordering::Relaxed))
                    .and_then(|at| Some((at, columns.get(at)?)))
                {
                    let profile = look(column);
                    seen.lock()
                        .expect("no look panics while it notes its column")
                        .push((index, profile));
                }
            });
        }
    });
    let mut seen = seen.into_inner().expect("every look has ended");
    seen.sort_unstable_by_key(|(index, _)| *index);
    let columns: Vec<ColumnProfile> = seen.into_iter().map(|(_, column)| column).collect();
    let n_rows = table.n_rows() as u64;
    Profile {
        findings: odd::findings(n_rows, &columns),
        n_rows,
        columns,
    }
}

fn look(column: &Column) -> ColumnProfile {
    match column.values() {
        Values::Number(values) => numbers::look(column, values),
        Values::Text(text) => texts::look(column, text),
        Values::Time(values) => numbers::look_at_times(column, values),
        Values::Bool(values) => numbers::look_at_bools(column, values),
    }
}
