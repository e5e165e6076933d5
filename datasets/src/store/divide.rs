//! The split of a recipe, made on a table.

use std::collections::HashSet;

use super::keys::{group_keys, row_keys};
use super::recipe::Recipe;
use super::rows::{Rows, known_column};
use crate::encode::{date, read_times};
use crate::profile::format_of;
use crate::split::{
    Part, Parts, PlainValue, Shares, Shuffle, SplitError, SplitSpec, Units, by_fold, by_group,
    by_hash, by_label, by_time,
};
use crate::table::{Column, Table, Values};
use crate::{Finding, Result, What};

/// Divides the usable rows of a table, and uses them up. `classes` are those of all its rows, where the target has any;
/// `validates` says whether another table validates.
pub(super) fn divide(
    table: &Table,
    recipe: &Recipe,
    rows: &mut Rows,
    classes: Option<&[u32]>,
    validates: bool,
    threads: usize,
) -> Result<Parts> {
    let mut divider = Divider {
        table,
        recipe,
        rows,
        classes,
        threads,
    };
    match &recipe.split {
        SplitSpec::Random { shares } => divider.at_random(None, *shares),
        SplitSpec::Stratify { column, shares } => divider.at_random(Some(column), *shares),
        SplitSpec::Fixed { column } => divider.as_marked(column, validates),
        SplitSpec::Datetime {
            column,
            format,
            shares,
        } => {
            let times = times(divider.column(column)?.values(), format.as_deref());
            Ok(by_time(column, &times, &divider.rows.usable, *shares)?)
        }
        SplitSpec::Hash { column, shares } => {
            let values = divider.column(column)?.values();
            let whole = is_whole(values);
            let value = |row: u32| plain_value(values, whole, row as usize);
            let parts = by_hash(value, &divider.rows.usable, *shares);
            must_reach_every_part(column, &parts, *shares, &divider.rows.usable, value)?;
            Ok(parts)
        }
        SplitSpec::Group { column, shares } => {
            let keys = group_keys(divider.column(column)?, table.n_rows());
            Ok(by_group(
                column,
                &keys,
                divider.classes,
                &divider.rows.usable,
                *shares,
                recipe.seed,
            )?)
        }
        SplitSpec::Folds {
            column,
            validation,
            test,
        } => {
            let folds = texts(divider.column(column)?.values());
            let fold = |row: u32| folds[row as usize].as_deref();
            Ok(by_fold(
                column,
                fold,
                &divider.rows.usable,
                validation.as_deref(),
                test,
            )?)
        }
    }
}

/// Fails where a column has so few values that no hash fell into a part that must hold rows.
fn must_reach_every_part<'a>(
    column: &str,
    parts: &Parts,
    shares: Shares,
    rows: &[u32],
    value: impl Fn(u32) -> PlainValue<'a>,
) -> Result<()> {
    /// More values than this reach every part; with fewer rows, rows are what is short of.
    const ENOUGH: usize = 50;
    let must_hold = [Part::Train, Part::Validation];
    for (part, share) in must_hold.into_iter().zip(shares.to_array()) {
        if share > 0.0 && parts.part(part).is_empty() && rows.len() > ENOUGH {
            let values: HashSet<String> = rows
                .iter()
                .map(|&row| format!("{:?}", value(row)))
                .collect();
            if values.len() <= ENOUGH {
                return Err(SplitError::FewValues {
                    column: column.to_owned(),
                    n_values: values.len(),
                    part,
                }
                .into());
            }
        }
    }
    Ok(())
}

/// What all splits look at.
struct Divider<'a> {
    table: &'a Table,
    recipe: &'a Recipe,
    rows: &'a mut Rows,
    /// The class of each row of the table; anything for a row without one.
    classes: Option<&'a [u32]>,
    threads: usize,
}

impl<'a> Divider<'a> {
    /// The column that the split reads.
    fn column(&self, name: &str) -> Result<&'a Column> {
        let column = self.table.column(name);
        Ok(column.ok_or_else(|| SplitError::NoColumn {
            column: name.into(),
        })?)
    }

    /// These rows, those with the same inputs together. Takes them by value, to let go of them before there are keys: of
    /// a large table little else is in memory then.
    fn units(&self, rows: Vec<u32>) -> Result<Units> {
        let columns = self
            .recipe
            .inputs
            .iter()
            .map(|plan| known_column(self.table, &plan.column))
            .collect::<Result<Vec<_>>>()?;
        let n_rows = self.table.n_rows();
        let mut is_wanted = vec![false; n_rows];
        rows.iter().for_each(|&row| is_wanted[row as usize] = true);
        let n_wanted = rows.len();
        drop(rows);
        let mut units = Units::new(n_wanted, self.recipe.seed);
        let mut all = (0..).zip(is_wanted);
        row_keys(&columns, n_rows, self.threads, |key| {
            if let Some((row, true)) = all.next() {
                units.push(row, key);
            }
        });
        Ok(units)
    }

    fn at_random(&mut self, column: Option<&str>, shares: Shares) -> Result<Parts> {
        let rows = std::mem::take(&mut self.rows.usable);
        let units = self.units(rows)?;
        let of_target = self
            .classes
            .filter(|_| column == Some(&self.recipe.target.column));
        let other = column
            .filter(|_| of_target.is_none())
            .map(|name| self.column(name))
            .transpose()?;
        let other = other.map(|column| dense(&group_keys(column, self.table.n_rows())));
        let how = Shuffle {
            strata: of_target.or(other.as_deref()),
            classes: self.classes,
        };
        let split = units.divide(how, shares);
        if !split.duplicates_together {
            let text = "so many rows have identical inputs that they could not be kept in one part; scores may be too good";
            self.rows
                .findings
                .push(Finding::warning(What::DuplicateRows, None, text));
        }
        Ok(split.parts)
    }

    /// By labels. Where nothing validates, some of training is taken for it, at random.
    fn as_marked(&mut self, column: &str, validates: bool) -> Result<Parts> {
        let labels = texts(self.column(column)?.values());
        let parts = by_label(
            column,
            |row| labels[row as usize].as_deref(),
            &self.rows.usable,
        )?;
        if validates || !parts.validation.is_empty() {
            return Ok(parts);
        }
        let share = holdout_share(parts.train.len());
        let units = self.units(parts.train)?;
        let how = Shuffle {
            strata: self.classes,
            classes: self.classes,
        };
        let shares = Shares::new([1.0 - share, share, 0.0])?;
        let held = units.divide(how, shares).parts;
        let text = format!(
            "no row is marked for validation; {} were taken from training",
            held.validation.len()
        );
        self.rows
            .findings
            .push(Finding::note(What::NoValidation, Some(column), text));
        Ok(Parts {
            test: parts.test,
            ..held
        })
    }
}

/// The share of training rows that validates when nothing says: a fifth of a small table, less of a large one.
fn holdout_share(n_rows: usize) -> f64 {
    let n = n_rows.max(1) as f64;
    if n > 5000.0 {
        2.0 * (2500.0 / n).clamp(0.01, 0.1)
    } else {
        0.2
    }
}

/// Small numbers for equal keys.
fn dense(keys: &[u32]) -> Vec<u32> {
    let mut distinct = keys.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    let place = |key: &u32| distinct.binary_search(key).unwrap_or_else(|place| place);
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
            let voted = if format.is_none() {
                format_of(values)
            } else {
                None
            };
            let format = format.or(voted.as_deref()).and_then(date::Format::new);
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
