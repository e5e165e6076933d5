//! Which rows of a table take part.

use super::recipe::{Recipe, Sample};
use crate::encode::{InputPlan, RowFill, UnknownTargets, is_missing, read_numbers};
use crate::split::{Part, Parts, SplitError};
use crate::table::{Column, Table};
use crate::{Error, Finding, Result, What};

/// The rows of one table, sorted out.
pub(super) struct Rows {
    /// Weights, where there is a column of them; 0 for a row without one.
    pub(super) weights: Option<Vec<f32>>,
    /// Rows with a target and, where weights are asked for, a weight.
    pub(super) usable: Vec<u32>,
    /// What was left out.
    pub(super) findings: Vec<Finding>,
}

impl Rows {
    /// Sorts out the rows of a table whose targets are `target`; those of `unknown` are told of elsewhere.
    pub(super) fn of(
        table: &Table,
        recipe: &Recipe,
        target: &[f32],
        unknown: &UnknownTargets,
    ) -> Result<Self> {
        let mut findings = Vec::new();
        let mut usable: Vec<u32> = (0..)
            .zip(target)
            .filter(|(_, y)| !y.is_nan())
            .map(|(row, _)| row)
            .collect();
        let n_without = target.len() - usable.len() - unknown.n_rows();
        if n_without > 0 {
            let text = format!("{n_without} row(s) have no target and are left out");
            findings.push(Finding::warning(
                What::MissingTarget,
                Some(&recipe.target.column),
                text,
            ));
        }
        let mut weights = None;
        if let Some(name) = &recipe.weight {
            let of = read_weights(known_column(table, name)?)?;
            let n_before = usable.len();
            usable.retain(|&row| of[row as usize].is_finite());
            if usable.len() < n_before {
                let text = format!(
                    "{} row(s) have no weight and are left out",
                    n_before - usable.len()
                );
                findings.push(Finding::warning(What::MissingWeight, Some(name), text));
            }
            weights = Some(
                of.into_iter()
                    .map(|weight| if weight.is_finite() { weight } else { 0.0 })
                    .collect(),
            );
        }
        Ok(Self {
            weights,
            usable,
            findings,
        })
    }

    /// Keeps as many usable rows as the recipe takes, drawn at random.
    pub(super) fn sample(&mut self, sample: Sample, seed: u64) {
        let n = self.usable.len();
        let most = match sample {
            Sample::All => n,
            Sample::Ratio(share) => crate::split::rounded(share.clamp(0.0, 1.0) * n as f64).max(1),
            Sample::Rows(rows) => usize::try_from(rows).unwrap_or(n),
        };
        if most < n {
            self.usable
                .sort_by_cached_key(|&row| crate::split::mix(u64::from(row), !seed));
            self.usable.truncate(most);
            self.usable.sort_unstable();
            let text = format!("{most} of {n} rows were drawn at random, as asked");
            self.findings.push(Finding::note(What::Sampled, None, text));
        }
    }
}

/// Takes rows without a value from training where an input asks for it.
pub(super) fn drop_incomplete(
    table: &Table,
    inputs: &[InputPlan],
    train: &mut Vec<u32>,
    findings: &mut Vec<Finding>,
) {
    for plan in inputs.iter().filter(|plan| plan.missing == RowFill::Drop) {
        let Some(column) = table.column(&plan.column) else {
            continue;
        };
        let (values, n_before) = (column.values(), train.len());
        train.retain(|&row| !is_missing(values, row as usize));
        if train.len() < n_before {
            let text = format!(
                "{} row(s) without a value were taken out of training, as asked",
                n_before - train.len()
            );
            findings.push(Finding::note(What::DroppedRows, Some(&plan.column), text));
        }
    }
}

fn read_weights(column: &Column) -> Result<Vec<f32>> {
    let mut weights = Vec::with_capacity(column.values().len());
    read_numbers(column.values(), |weight| weights.push(weight));
    let n_rows = weights.iter().filter(|weight| **weight < 0.0).count();
    if n_rows > 0 {
        return Err(Error::NegativeWeight {
            column: column.name().into(),
            n_rows,
        });
    }
    Ok(weights)
}

pub(super) fn known_column<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    table
        .column(name)
        .ok_or_else(|| Error::unknown_column(name, table.columns().iter().map(Column::name)))
}

/// Fails when a part that must hold rows is empty.
pub(super) fn must_hold_rows(parts: &Parts, part: Part, n_usable: usize) -> Result<()> {
    if parts.part(part).is_empty() {
        return Err(SplitError::Empty {
            part,
            n_rows: n_usable,
        }
        .into());
    }
    Ok(())
}
