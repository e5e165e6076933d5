//! Means, standard errors and ranks, as tables.

use std::io::{self, Write};

use crate::TIMES;
use crate::method::Method;

/// Regrets of all methods at one time of one benchmark: by method, then by seed.
pub(crate) struct Column {
    title: String,
    time: u32,
    regrets: Vec<Vec<f64>>,
}

/// The mean, and its standard error.
pub(crate) fn mean(values: &[f64]) -> (f64, f64) {
    let n = count(values.len());
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0) / n).sqrt())
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

/// One table: methods against times. `found` by method, seed and time.
pub(crate) fn write(
    out: &mut impl Write,
    title: &str,
    methods: &[Method],
    found: &[Vec<Vec<f64>>],
) -> io::Result<()> {
    writeln!(out, "## {title}")?;
    write!(out, "| method |")?;
    for time in TIMES {
        write!(out, " {time} |")?;
    }
    writeln!(out, "\n|---|---|---|---|---|---|")?;
    for (method, seeds) in methods.iter().zip(found) {
        write!(out, "| {} |", method.name)?;
        for t in 0..TIMES.len() {
            let (mean, error) = mean(&at(seeds, t));
            write!(out, " {mean:.4}±{error:.4} |")?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}

pub(crate) fn at(seeds: &[Vec<f64>], t: usize) -> Vec<f64> {
    seeds.iter().map(|times| times[t]).collect()
}

pub(crate) fn columns(title: &str, found: &[Vec<Vec<f64>>]) -> Vec<Column> {
    let column = |(t, time)| Column {
        title: title.to_owned(),
        time,
        regrets: found.iter().map(|seeds| at(seeds, t)).collect(),
    };
    TIMES.into_iter().enumerate().map(column).collect()
}

/// The mean rank of each method over all columns; in how many it is at most 10 % above the best from 405 s on; where it
/// is worse than a baseline by more than two paired standard errors.
pub(crate) fn ranks(
    out: &mut impl Write,
    methods: &[Method],
    columns: &[Column],
) -> io::Result<()> {
    writeln!(
        out,
        "## all columns\n| method | mean rank | within 10 % of the best | worse than random | worse than one epoch first |"
    )?;
    writeln!(out, "|---|---|---|---|---|")?;
    let late: Vec<&Column> = columns.iter().filter(|column| column.time >= 405).collect();
    let mut faults = Vec::new();
    for (m, method) in methods.iter().enumerate() {
        let ranks: f64 = columns.iter().map(|column| column.rank(m)).sum();
        let near = late.iter().filter(|column| column.is_near_best(m)).count();
        let worse = |than: usize| {
            columns
                .iter()
                .filter(move |column| column.is_worse(m, than))
        };
        writeln!(
            out,
            "| {} | {:.2} | {near} of {} | {} | {} |",
            method.name,
            ranks / count(columns.len()),
            late.len(),
            worse(0).count(),
            worse(1).count()
        )?;
        let last = TIMES[TIMES.len() - 1];
        if method.is_default {
            let ends = worse(0).filter(|column| column.time == last);
            faults.extend(ends.map(|column| format!("{} in {}", method.name, column.title)));
        }
    }
    if faults.is_empty() {
        writeln!(out, "\nNo default setting ends worse than random search.")
    } else {
        writeln!(
            out,
            "\nWorse than random search at the end: {}",
            faults.join("; ")
        )
    }
}

impl Column {
    fn mean(&self, method: usize) -> f64 {
        mean(&self.regrets[method]).0
    }

    /// 1 is best; equal ones share.
    fn rank(&self, method: usize) -> f64 {
        let own = self.mean(method);
        let all = (0..self.regrets.len()).map(|m| self.mean(m));
        let (better, equal) = all.fold((0, 0), |(better, equal), other| {
            let close = (other - own).abs() <= 1e-12;
            (
                better + usize::from(other < own && !close),
                equal + usize::from(close),
            )
        });
        count(better) + (count(equal) + 1.0) / 2.0
    }

    fn is_near_best(&self, method: usize) -> bool {
        let best = (0..self.regrets.len())
            .map(|m| self.mean(m))
            .fold(f64::INFINITY, f64::min);
        self.mean(method) <= best * 1.1
    }

    /// By more than two standard errors of the differences, seed by seed.
    fn is_worse(&self, method: usize, than: usize) -> bool {
        let pairs = self.regrets[method].iter().zip(&self.regrets[than]);
        let (mean, error) = mean(&pairs.map(|(a, b)| a - b).collect::<Vec<f64>>());
        mean > 2.0 * error
    }
}
