//! What is odd about a table, from the profiles of its columns.

use std::collections::HashMap;

use super::summary::{ColumnProfile, Distinct, Storage};
use crate::finding::{Finding, What};

/// Fewer rows than this make scores mean little.
const FEW_ROWS: u64 = 100;

/// Everything odd, in the order of the columns.
pub(super) fn findings(n_rows: u64, columns: &[ColumnProfile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    if n_rows < FEW_ROWS {
        findings.push(Finding::warning(
            What::FewRows,
            None,
            format!("{n_rows} rows are few: scores will vary by chance"),
        ));
    }
    let mut first: HashMap<u64, &str> = HashMap::new();
    for column in columns {
        of_column(column, &mut findings);
        let constant = column.n_distinct.count() < 2;
        match first.get(&column.content_hash) {
            Some(&of) if !constant => {
                let text = format!("holds the same values as \"{of}\", row by row");
                findings.push(Finding::warning(
                    What::DuplicateColumn,
                    Some(&column.name),
                    text,
                ));
            }
            _ => {
                first.insert(column.content_hash, &column.name);
            }
        }
    }
    findings
}

fn of_column(column: &ColumnProfile, findings: &mut Vec<Finding>) {
    let name = Some(column.name.as_str());
    let (present, missing) = (column.n_present(), column.n_missing);
    if present == 0 {
        findings.push(Finding::warning(
            What::AllMissing,
            name,
            "no row has a value",
        ));
        return;
    }
    if column.n_distinct == Distinct::Exact(1) && missing == 0 {
        let value = column
            .top_values
            .first()
            .map(|(value, _)| value.as_str())
            .unwrap_or_default();
        findings.push(Finding::note(
            What::Constant,
            name,
            format!("every row holds \"{value}\""),
        ));
    }
    if 2 * missing > column.n_rows {
        let text = format!(
            "{missing} of {} rows have no value ({:.0} %)",
            column.n_rows,
            100.0 * column.missing_share()
        );
        findings.push(Finding::note(What::MostlyMissing, name, text));
    }
    if let Some(number) = &column.number {
        if number.n_infinite > 0 {
            findings.push(Finding::warning(
                What::Infinite,
                name,
                format!("{} rows hold an infinite number", number.n_infinite),
            ));
        }
        if number.n_inexact > 0 {
            let text = format!(
                "{} whole numbers beyond 2^53 are rounded; if they are keys, store them as text",
                number.n_inexact
            );
            findings.push(Finding::warning(What::InexactIntegers, name, text));
        }
    } else if column.storage == Storage::Number {
        findings.push(Finding::warning(
            What::Infinite,
            name,
            format!("all {present} values are infinite"),
        ));
    }
    if let Some(text) = &column.text {
        if text.leading_zeros {
            findings.push(Finding::note(
                What::LeadingZeros,
                name,
                "whole numbers with leading zeros are codes, kept as text",
            ));
        } else if text.n_numeric > 0 && 20 * text.n_numeric >= present {
            let text = format!(
                "{} of {present} values are numbers, the rest are words; read as text",
                text.n_numeric
            );
            findings.push(Finding::note(What::MixedTypes, name, text));
        }
    }
    if let Some(date) = &column.date {
        if !date.others.is_empty() {
            let others: Vec<String> = date
                .others
                .iter()
                .map(|(format, rows)| format!("{format} ({rows} rows)"))
                .collect();
            let text = format!(
                "dates in more than one format: {} ({} rows), {}",
                date.format.as_deref().unwrap_or_default(),
                date.n_read,
                others.join(", ")
            );
            findings.push(Finding::warning(What::SeveralDateFormats, name, text));
        }
        if let (Some(format), Some(other)) = (&date.format, &date.ambiguous_with) {
            let text = format!("every date reads as {format} and as {other}; the first is taken");
            findings.push(Finding::warning(What::AmbiguousDate, name, text));
        }
    }
}
