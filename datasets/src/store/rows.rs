//! Which rows of a table take part, and in which part of the split.

use super::keys::{group_keys, row_keys};
use super::recipe::{Recipe, Sample};
use crate::encode::{InputPlan, RowFill, TargetKind, date, is_missing, read_times};
use crate::split::{
    Part, Parts, PlainValue, Shares, Shuffle, SplitError, SplitSpec, by_fold, by_group, by_hash,
    by_label, by_time, shuffled,
};
use crate::table::{Column, Table, Values};
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
    /// Sorts out the rows of a table whose targets are `target`.
    pub(super) fn of(table: &Table, recipe: &Recipe, target: &[f32]) -> Result<Self> {
        let mut findings = Vec::new();
        let mut usable: Vec<u32> = (0..)
            .zip(target)
            .filter(|(_, y)| !y.is_nan())
            .map(|(row, _)| row)
            .collect();
        let n_without = target.len() - usable.len();
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

/// Divides the usable rows of a table; `target` is that of all its rows.
pub(super) fn divide(
    table: &Table,
    recipe: &Recipe,
    rows: &mut Rows,
    target: &[f32],
    threads: usize,
) -> Result<Parts> {
    let seed = recipe.seed;
    let classes: Option<Vec<u32>> = match recipe.target.kind {
        TargetKind::Number => None,
        TargetKind::Binary | TargetKind::Category => {
            Some(target.iter().map(|&y| class_of(y)).collect())
        }
    };
    let classes = classes.as_deref();
    let usable = &rows.usable;
    let by = |name: &str| split_column(table, name);
    let parts = match &recipe.split {
        SplitSpec::Random { shares } => {
            let keys = input_keys(table, recipe, threads)?;
            at_random(
                rows,
                Shuffle {
                    keys: &keys,
                    strata: None,
                    classes,
                },
                *shares,
                seed,
            )
        }
        SplitSpec::Stratify { column, shares } => {
            let keys = input_keys(table, recipe, threads)?;
            let strata = dense(&group_keys(by(column)?, table.n_rows()));
            at_random(
                rows,
                Shuffle {
                    keys: &keys,
                    strata: Some(&strata),
                    classes,
                },
                *shares,
                seed,
            )
        }
        SplitSpec::Fixed { column } => {
            let labels = texts(by(column)?.values());
            let parts = by_label(column, |row| labels[row as usize].as_deref(), usable)?;
            if parts.validation.is_empty() {
                hold_out(table, recipe, rows, parts, classes, threads)?
            } else {
                parts
            }
        }
        SplitSpec::Datetime {
            column,
            format,
            shares,
        } => {
            let times = times(by(column)?.values(), format.as_deref());
            by_time(column, &times, usable, *shares)?
        }
        SplitSpec::Hash { column, shares } => {
            let values = by(column)?.values();
            let whole = is_whole(values);
            by_hash(
                |row| plain_value(values, whole, row as usize),
                usable,
                *shares,
            )
        }
        SplitSpec::Group { column, shares } => by_group(
            column,
            &group_keys(by(column)?, table.n_rows()),
            classes,
            usable,
            *shares,
            seed,
        )?,
        SplitSpec::Folds {
            column,
            validation,
            test,
        } => {
            let folds = texts(by(column)?.values());
            by_fold(
                column,
                |row| folds[row as usize].as_deref(),
                usable,
                validation.as_deref(),
                test,
            )?
        }
    };
    Ok(parts)
}

fn at_random(rows: &mut Rows, how: Shuffle<'_>, shares: Shares, seed: u64) -> Parts {
    let split = shuffled(&rows.usable, how, shares, seed);
    if !split.duplicates_together {
        let text = "so many rows have identical inputs that they could not be kept in one part; validation and test may be too good";
        rows.findings
            .push(Finding::warning(What::DuplicateRows, None, text));
    }
    split.parts
}

/// Validation for a `fixed` split that has none: taken from training at random, a fifth at most.
fn hold_out(
    table: &Table,
    recipe: &Recipe,
    rows: &mut Rows,
    parts: Parts,
    classes: Option<&[u32]>,
    threads: usize,
) -> Result<Parts> {
    let n = parts.train.len() as f64;
    let share = if n > 5000.0 {
        2.0 * (2500.0 / n).clamp(0.01, 0.1)
    } else {
        (2.0 * (500.0 / n).max(0.1)).min(0.2)
    };
    let keys = input_keys(table, recipe, threads)?;
    let shares = Shares::new([1.0 - share, share, 0.0])?;
    let held = shuffled(
        &parts.train,
        Shuffle {
            keys: &keys,
            strata: classes,
            classes,
        },
        shares,
        recipe.seed,
    )
    .parts;
    let text = format!(
        "no row is marked for validation; {} were taken from training",
        held.validation.len()
    );
    rows.findings.push(Finding::note(
        What::NoValidation,
        recipe.split.column(),
        text,
    ));
    Ok(Parts {
        test: parts.test,
        ..held
    })
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

fn input_keys(table: &Table, recipe: &Recipe, threads: usize) -> Result<Vec<u64>> {
    let columns = recipe
        .inputs
        .iter()
        .map(|plan| known_column(table, &plan.column))
        .collect::<Result<Vec<_>>>()?;
    Ok(row_keys(&columns, table.n_rows(), threads))
}

fn known_column<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    table
        .column(name)
        .ok_or_else(|| Error::unknown_column(name, table.columns().iter().map(Column::name)))
}

fn split_column<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    Ok(table.column(name).ok_or_else(|| SplitError::NoColumn {
        column: name.into(),
    })?)
}

fn read_weights(column: &Column) -> Result<Vec<f32>> {
    let mut weights = Vec::with_capacity(column.values().len());
    crate::encode::read_numbers(column.values(), |weight| weights.push(weight));
    let n_rows = weights.iter().filter(|weight| **weight < 0.0).count();
    if n_rows > 0 {
        return Err(Error::NegativeWeight {
            column: column.name().into(),
            n_rows,
        });
    }
    Ok(weights)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the index of a class; a row without one is in no part"
)]
fn class_of(y: f32) -> u32 {
    y.max(0.0) as u32
}

/// Small numbers for equal keys.
fn dense(keys: &[u64]) -> Vec<u32> {
    let mut distinct = keys.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let place = |key: &u64| distinct.binary_search(key).unwrap_or_else(|place| place);
    keys.iter()
        .map(|key| u32::try_from(place(key)).unwrap_or(u32::MAX))
        .collect()
}

fn texts(values: Values<'_>) -> Vec<Option<String>> {
    (0..values.len())
        .map(|row| values.level(row).map(String::from))
        .collect()
}

/// Something to order rows by: times, or the numbers of a numeric column.
fn times(values: Values<'_>, format: Option<&str>) -> Vec<Option<i64>> {
    match values {
        Values::Number(values) => {
            // The bits of a float, turned so that they order as the numbers do.
            let ordered = |x: f64| {
                let bits = x.to_bits().cast_signed();
                bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
            };
            values
                .iter()
                .map(|&x| (!x.is_nan()).then(|| ordered(x)))
                .collect()
        }
        Values::Text(_) | Values::Time(_) | Values::Bool(_) => {
            let format = format.and_then(date::Format::new);
            let mut times = Vec::with_capacity(values.len());
            read_times(values, format.as_ref(), |time| times.push(time));
            times
        }
    }
}

/// Whether pandas, and so Ludwig, would hold a column as integers: all of them whole, none missing.
fn is_whole(values: Values<'_>) -> bool {
    matches!(values, Values::Number(values) if values.iter().all(|x| x.fract() == 0.0 && x.abs() < 9e15))
}

fn plain_value(values: Values<'_>, whole: bool, row: usize) -> PlainValue<'_> {
    match values {
        Values::Number(values) => match values[row] {
            x if x.is_nan() => PlainValue::Missing,
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a whole number within 2^53"
            )]
            x if whole => PlainValue::Integer(x as i64),
            x => PlainValue::Real(x),
        },
        Values::Text(text) => text.get(row).map_or(PlainValue::Missing, PlainValue::Text),
        Values::Time(times) => PlainValue::Integer(times[row]),
        Values::Bool(values) => PlainValue::Integer(i64::from(values[row])),
    }
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
