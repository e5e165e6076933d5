//! `preprocessing.split`: which rows train, which judge trials, which judge the final model.

use datasets::Kind;
use datasets::infer::{Inference, TargetVerdict};
use datasets::profile::Profile;
use serde_json::{Value, json};

use super::draft::Draft;
use super::wishes::Wishes;
use crate::error::{Error, Result};

/// The share kept back for the final test.
const TEST: f64 = 0.2;
/// A table counts as in the order of a date when so small a share of its rows steps back in time.
const BACK_SHARE: f64 = 0.001;
/// With fewer distinct dates the order says little.
const LEAST_DATES: u64 = 20;

/// The share of `n` training rows that judges trials, as a holdout.
///
/// `min(20 %, 2 max(10 %, 500 / n))`, above 5,000 rows `2 max(1 %, min(10 %, 2500 / n))`: AutoGluon's
/// holdout rule with its factor of two for hyperparameter search.
pub(super) fn holdout(n: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a number of rows")]
    let n_rows = n.max(1) as f64;
    if n <= 5_000 {
        (2.0 * (500.0 / n_rows).max(0.1)).min(0.2)
    } else {
        2.0 * (2_500.0 / n_rows).clamp(0.01, 0.1)
    }
}

/// Writes the split.
pub(super) fn write(
    draft: &mut Draft,
    profile: &Profile,
    inference: &Inference,
    target: &TargetVerdict,
    wishes: &Wishes,
) -> Result<()> {
    let (kind, column, why) = kind(inference, profile, target, wishes)?;
    draft.set("preprocessing.split.type", kind.as_str(), why);
    if let Some(column) = column {
        draft.tree["preprocessing"]["split"]["column"] = json!(column);
    }
    if kind == "fixed" || kind == "folds" {
        return Ok(());
    }
    let n_rows = profile.n_rows.saturating_sub(target.n_missing);
    let (probabilities, why) = probabilities(n_rows, wishes);
    draft.set("preprocessing.split.probabilities", probabilities, why);
    Ok(())
}

/// The kind of split, its column, and why.
fn kind(
    inference: &Inference,
    profile: &Profile,
    target: &TargetVerdict,
    wishes: &Wishes,
) -> Result<(String, Option<String>, String)> {
    if let Some(asked) = &wishes.split {
        let (kind, column) = asked
            .split_once(':')
            .map_or((asked.as_str(), None), |(kind, column)| {
                (kind, Some(column))
            });
        let column = match column {
            Some(column) if profile.column(column).is_none() => {
                return Err(datasets::Error::unknown_column(
                    column,
                    profile.columns.iter().map(|column| column.name.as_str()),
                )
                .into());
            }
            None if kind == "stratify" && target.kind == Kind::Number => {
                return Err(Error::usage(
                    "--split stratify needs classes, and the target is a number",
                    "name a column of classes (stratify:COLUMN), or leave --split out",
                ));
            }
            None if kind == "stratify" => Some(target.name.as_str()),
            other => other,
        };
        return Ok((
            kind.to_owned(),
            column.map(str::to_owned),
            "as asked for with --split".to_owned(),
        ));
    }
    if let Some((name, why)) = in_order_of(inference, profile) {
        return Ok(("datetime".to_owned(), Some(name), why));
    }
    if target.kind == Kind::Number {
        return Ok((
            "random".to_owned(),
            None,
            "no date orders the rows, and the target is a number".to_owned(),
        ));
    }
    Ok((
        "stratify".to_owned(),
        Some(target.name.clone()),
        "every class has the same share in each part, and none is lost".to_owned(),
    ))
}

/// The date input in whose order the rows stand, if there is one: such a table is a record over time.
fn in_order_of(inference: &Inference, profile: &Profile) -> Option<(String, String)> {
    inference.inputs().filter(|verdict| verdict.kind == Kind::Date).find_map(|verdict| {
        let column = profile.column(&verdict.name)?;
        let date = column.date.as_ref()?;
        #[expect(clippy::cast_precision_loss, reason = "a share of rows")]
        let back = date.n_back as f64 / profile.n_rows.max(1) as f64;
        (back <= BACK_SHARE && column.n_distinct.count() >= LEAST_DATES).then(|| {
            let why = format!(
                "the rows stand in the order of {}, from {} to {}: the model is judged on times after those it has seen, as it will be used; say --split random if the rows do not depend on time",
                verdict.name, date.first, date.last
            );
            (verdict.name.clone(), why)
        })
    })
}

/// The shares of training, validation and test, and why.
fn probabilities(n_rows: u64, wishes: &Wishes) -> (Value, String) {
    let test = if wishes.no_test_part { 0.0 } else { TEST };
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of rows"
    )]
    let rest = (n_rows as f64 * (1.0 - test)) as u64;
    let validation = if wishes.validation_table {
        0.0
    } else {
        round(holdout(rest) * (1.0 - test))
    };
    let train = round(1.0 - test - validation);
    let test_why = if wishes.no_test_part {
        "nothing is kept back for testing here".to_owned()
    } else {
        "a fifth is seen once, by the final model".to_owned()
    };
    let validation_why = if wishes.validation_table {
        "trials are judged on a table of their own".to_owned()
    } else {
        format!(
            "of the {rest} others {:.1} % judge trials",
            holdout(rest) * 100.0
        )
    };
    (
        json!([train, validation, test]),
        format!("training, validation, test: {test_why}; {validation_why}"),
    )
}

/// To six digits, so that the shares in the file sum to 1 and read well.
fn round(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holdout_shrinks_as_the_table_grows() {
        for (n, share) in [
            (10, 0.2),
            (1_000, 0.2),
            (5_000, 0.2),
            (5_001, 0.2),
            (25_000, 0.2),
            (50_000, 0.1),
            (250_000, 0.02),
            (11_000_000, 0.02),
        ] {
            assert!((holdout(n) - share).abs() < 1e-9, "{n}: {}", holdout(n));
        }
    }

    #[test]
    fn shares_sum_to_one_and_what_has_a_table_of_its_own_takes_nothing() {
        for (no_test_part, validation_table) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            let wishes = Wishes {
                no_test_part,
                validation_table,
                ..Wishes::default()
            };
            for n in [5, 100, 39_073, 1_000_000] {
                let (value, _) = probabilities(n, &wishes);
                let shares: Vec<f64> = serde_json::from_value(value).unwrap();
                assert!(
                    (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9,
                    "{shares:?}"
                );
                assert_eq!(shares[2] == 0.0, no_test_part);
                assert_eq!(shares[1] == 0.0, validation_table);
                assert!(shares[0] >= 0.6);
            }
        }
    }
}
