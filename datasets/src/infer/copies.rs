//! Inputs that alone nearly tell the target: copies under another name, or what is known only afterwards.
//!
//! Looks at 20,000 rows spread over the table: each input is cut into its levels, or its numbers into 256
//! ranges of equal count, and the best guess of the target within each is taken. Nothing is left out for it.

use std::collections::HashMap;

use crate::finding::{Finding, What};
use crate::table::{Column, Table, Values};
use crate::{Kind, nearest};

/// Rows looked at.
const ROWS: usize = 20_000;
/// Ranges of a column of numbers.
const RANGES: usize = 256;
/// An input with more groups than a row in so many tells each row by itself, not by rule.
const ROWS_A_GROUP: usize = 20;
/// Share of the errors of the best constant guess that an input must take away, for classes.
const CLASS_SHARE: f64 = 0.6;
/// The same for the squared error of a number.
const NUMBER_SHARE: f64 = 0.99;
/// From this share on an input is nearly the target itself; below, it may just be a good input.
const NEAR: f64 = 0.95;

/// What is told by one column about another, over the same rows.
pub(super) struct Copies<'a> {
    table: &'a Table,
    rows: Vec<usize>,
    target: Target,
}

enum Target {
    /// A class a row.
    Classes { of: Vec<usize>, n: usize },
    /// A number a row.
    Numbers(Vec<f64>),
}

impl<'a> Copies<'a> {
    /// Ready to compare with the target column.
    pub(super) fn new(table: &'a Table, column: &Column, kind: Kind) -> Self {
        let step = table.n_rows().div_ceil(ROWS).max(1);
        let values = column.values();
        let mut rows: Vec<usize> = (0..table.n_rows()).step_by(step).collect();
        let target = match (kind, values) {
            (Kind::Number, Values::Number(numbers)) => {
                rows.retain(|&row| numbers[row].is_finite());
                Target::Numbers(rows.iter().map(|&row| numbers[row]).collect())
            }
            (Kind::Number | Kind::Binary | Kind::Category | Kind::Date | Kind::Text, values) => {
                let mut codes = HashMap::new();
                let mut of = Vec::new();
                rows.retain(|&row| match values.level(row) {
                    None => false,
                    Some(level) => {
                        let next = codes.len();
                        of.push(*codes.entry(level.into_owned()).or_insert(next));
                        true
                    }
                });
                Target::Classes { of, n: codes.len() }
            }
        };
        column.release(0..table.n_rows());
        Self {
            table,
            rows,
            target,
        }
    }

    /// The finding on an input, if it nearly tells the target.
    pub(super) fn finding(&self, input: &Column, target: &str) -> Option<Finding> {
        let (groups, n_groups) = self.groups(input)?;
        input.release(0..self.table.n_rows());
        let (told, share, least) = match &self.target {
            Target::Classes { of, n } => {
                let (with, without) = guessed(&groups, n_groups, of, *n);
                let share = (with - without) / (1.0 - without).max(1e-9);
                let text = format!(
                    "tells {:.1} % of {target} (the commonest class is {:.1} %)",
                    100.0 * with,
                    100.0 * without
                );
                (text, share, CLASS_SHARE)
            }
            Target::Numbers(numbers) => {
                let share = explained(&groups, n_groups, numbers);
                (
                    format!(
                        "explains {:.1} % of the variance of {target}",
                        100.0 * share
                    ),
                    share,
                    NUMBER_SHARE,
                )
            }
        };
        let alike = nearest::nearest(target, [input.name()]).is_some();
        let near = share >= NEAR;
        (share >= least).then(|| {
            let hint = if alike {
                "; its name is like the target's"
            } else {
                ""
            };
            let text =
                format!("alone {told}{hint}: `--ignore` it if it is not known when predicting");
            let make = if near {
                Finding::warning
            } else {
                Finding::note
            };
            make(What::NearCopyOfTarget, Some(input.name()), text)
        })
    }

    /// The group of each row; missing is a group. `None` where groups are too many to mean anything.
    fn groups(&self, input: &Column) -> Option<(Vec<usize>, usize)> {
        let most = (self.rows.len() / ROWS_A_GROUP).max(2);
        if let Values::Number(numbers) = input.values() {
            let values: Vec<f64> = self.rows.iter().map(|&row| numbers[row]).collect();
            return Some(ranges(&values, RANGES.min(most)));
        }
        let values = input.values();
        let mut codes = HashMap::new();
        let mut groups = Vec::with_capacity(self.rows.len());
        for &row in &self.rows {
            let next = codes.len();
            groups.push(*codes.entry(values.level(row)).or_insert(next));
            if codes.len() > most {
                return None;
            }
        }
        Some((groups, codes.len()))
    }
}

/// Numbers cut into ranges of equal count, each distinct value in one range; NaN is a range of its own.
fn ranges(values: &[f64], most: usize) -> (Vec<usize>, usize) {
    let mut sorted: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| !value.is_nan())
        .collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut edges: Vec<f64> = (1..most)
        .filter_map(|edge| sorted.get(edge * sorted.len() / most).copied())
        .collect();
    edges.dedup();
    let group = |value: &f64| {
        if value.is_nan() {
            edges.len() + 1
        } else {
            edges.partition_point(|edge| edge <= value)
        }
    };
    (values.iter().map(group).collect(), edges.len() + 2)
}

/// The share of rows guessed right with the commonest class of each group, and without groups.
fn guessed(groups: &[usize], n_groups: usize, classes: &[usize], n_classes: usize) -> (f64, f64) {
    let mut counts: HashMap<(usize, usize), u32> = HashMap::new();
    let mut all = vec![0u32; n_classes.max(1)];
    for (&group, &class) in groups.iter().zip(classes) {
        *counts.entry((group, class)).or_default() += 1;
        all[class] += 1;
    }
    let mut best = vec![0u32; n_groups];
    for ((group, _), n) in counts {
        best[group] = best[group].max(n);
    }
    let n = groups.len().max(1) as f64;
    (
        best.iter().map(|&n| f64::from(n)).sum::<f64>() / n,
        f64::from(all.into_iter().max().unwrap_or(0)) / n,
    )
}

/// The share of variance that the means of groups explain, corrected for their number.
fn explained(groups: &[usize], n_groups: usize, values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    let mut sums = vec![(0.0, 0.0); n_groups];
    for (&group, &value) in groups.iter().zip(values) {
        sums[group].0 += value - mean;
        sums[group].1 += 1.0;
    }
    let total: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let used = sums.iter().filter(|(_, n)| *n > 0.0).count() as f64;
    let between: f64 = sums
        .iter()
        .filter(|(_, n)| *n > 0.0)
        .map(|(sum, n)| sum * sum / n)
        .sum();
    if total <= 0.0 || n <= used {
        return 0.0;
    }
    1.0 - (1.0 - between / total) * (n - 1.0) / (n - used)
}
