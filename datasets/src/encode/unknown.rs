//! Values of a target that its schema cannot place.

use std::ops::Range;

use super::{Reading, Target, TargetKind};
use crate::{Finding, What};

/// The most values that are named.
const MOST_NAMED: usize = 3;

/// The rows whose target is there and yet unknown: a class that training has none of, or no number.
#[derive(Debug, Default)]
pub struct UnknownTargets {
    n_rows: usize,
    /// The first different ones.
    named: Vec<String>,
    /// Whether there are more different ones than are named.
    has_more: bool,
}

impl UnknownTargets {
    /// Adds those of `rows`, whose targets were read as `target`.
    pub fn add(&mut self, reading: &Reading<'_>, rows: Range<usize>, target: &[f32]) {
        let nameless = rows.zip(target).filter(|(_, y)| y.is_nan());
        for value in nameless.filter_map(|(row, _)| reading.target_value(row)) {
            self.n_rows += 1;
            if self.named.iter().any(|named| *named == value) {
                continue;
            }
            if self.named.len() < MOST_NAMED {
                self.named.push(value.into_owned());
            } else {
                self.has_more = true;
            }
        }
    }

    /// Rows in all.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// What to tell of them; none where there are none.
    pub fn finding(&self, target: &Target) -> Option<Finding> {
        if self.n_rows == 0 {
            return None;
        }
        let named: Vec<String> = self
            .named
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect();
        let why = match target.kind {
            TargetKind::Number => "is no number",
            TargetKind::Binary | TargetKind::Category => "is no class of the training table",
        };
        let text = format!(
            "{} row(s) have a target that {why} ({}{}) and are left out",
            self.n_rows,
            named.join(", "),
            if self.has_more { ", ..." } else { "" },
        );
        Some(Finding::warning(
            What::UnknownTarget,
            Some(&target.column),
            text,
        ))
    }
}
