//! What is odd about a table, from the profiles of its columns.

use std::collections::HashMap;

use super::summary::{ColumnProfile, DateSummary, Distinct, NumberSummary, Storage, TextSummary};
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
    if let (Distinct::Exact(1), 0, Some((value, _))) =
        (column.n_distinct, missing, column.top_values.first())
    {
        findings.push(Finding::note(
            What::Constant,
            name,
            format!("every row holds \"{value}\""),
        ));
    }
    if 2 * missing > column.n_rows {
        let share = 100.0 * column.missing_share();
        let text = format!(
            "{missing} of {} rows have no value ({share:.0} %)",
            column.n_rows
        );
        findings.push(Finding::note(What::MostlyMissing, name, text));
    }
    match &column.number {
        Some(number) => of_number(name, number, findings),
        None if column.storage == Storage::Number => {
            let text = format!("all {present} values are infinite");
            findings.push(Finding::warning(What::Infinite, name, text));
        }
        None => {}
    }
    if let Some(text) = &column.text {
        of_text(name, text, present, findings);
    }
    if let Some(date) = &column.date {
        of_date(name, date, findings);
    }
}

fn of_number(name: Option<&str>, number: &NumberSummary, findings: &mut Vec<Finding>) {
    if number.n_infinite > 0 {
        let text = format!("{} rows hold an infinite number", number.n_infinite);
        findings.push(Finding::warning(What::Infinite, name, text));
    }
    if number.n_inexact > 0 {
        let n = number.n_inexact;
        let text = format!(
            "{n} whole numbers beyond 2^53 are rounded; if they are keys, store them as text"
        );
        findings.push(Finding::warning(What::InexactIntegers, name, text));
    }
}

fn of_text(name: Option<&str>, text: &TextSummary, present: u64, findings: &mut Vec<Finding>) {
    if text.leading_zeros {
        let text = "whole numbers with leading zeros are codes, kept as text";
        findings.push(Finding::note(What::LeadingZeros, name, text));
    } else if text.n_numeric > 0 && 20 * text.n_numeric >= present {
        let n = text.n_numeric;
        let text = format!("{n} of {present} values are numbers, the rest are words; read as text");
        findings.push(Finding::note(What::MixedTypes, name, text));
    }
}

fn of_date(name: Option<&str>, date: &DateSummary, findings: &mut Vec<Finding>) {
    let Some(format) = &date.format else { return };
    if !date.others.is_empty() {
        let others: Vec<String> = (date.others.iter())
            .map(|(format, rows)| format!("{format} ({rows} rows)"))
            .collect();
        let (n, others) = (date.n_read, others.join(", "));
        let text = format!("dates in more than one format: {format} ({n} rows), {others}");
        findings.push(Finding::warning(What::SeveralDateFormats, name, text));
    }
    if let Some(other) = &date.ambiguous_with {
        let text = format!("every date reads as {format} and as {other}; the first is taken");
        findings.push(Finding::warning(What::AmbiguousDate, name, text));
    }
}
