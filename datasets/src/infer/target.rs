//! Which column is the target, and what is learned from it: one of two classes, of many, or a number.

use std::collections::HashMap;

use super::kinds::{self, Opinion};
use super::names;
use super::verdict::{InferOptions, TargetVerdict};
use crate::finding::{Finding, What};
use crate::profile::{ColumnProfile, Profile, Storage};
use crate::table::{Column, MISSING_CODE, Table, TextColumn, Values, number_level};
use crate::{Error, Kind, Result};

/// Rows with a target that a split and a score need at the least.
const LEAST_ROWS: u64 = 10;
/// Distinct whole numbers that are still taken for classes.
const FEW_CLASSES: u64 = 20;
/// The same, where the name says that they are classes.
const NAMED_CLASSES: u64 = 200;
/// A class with fewer rows cannot stand in training, validation and test.
const RARE_ROWS: u64 = 3;
/// Candidates listed in an error.
const LISTED: usize = 8;

/// The place of the target, whether it was guessed, and why it is this column.
pub(super) fn choose(
    profile: &Profile,
    opinions: &[Opinion],
    options: &InferOptions,
) -> Result<Option<(usize, bool, String)>> {
    if let Some(name) = &options.target {
        let place = profile
            .columns
            .iter()
            .position(|column| column.name == *name);
        let place = place.ok_or_else(|| {
            Error::unknown_column(
                name,
                profile.columns.iter().map(|column| column.name.as_str()),
            )
        })?;
        return Ok(Some((place, false, "named by the user".to_owned())));
    }
    let free = |column: &ColumnProfile| !options.ignore.contains(&column.name);
    let ranked: Vec<(usize, usize)> = (profile.columns.iter().enumerate())
        .filter(|(_, column)| free(column))
        .filter_map(|(place, column)| Some((names::target_rank(&column.name)?, place)))
        .collect();
    if let [(_, place)] = ranked.as_slice() {
        let why = format!(
            "guessed: it is the one column with the name of a target (\"{}\")",
            profile.columns[*place].name
        );
        return Ok(Some((*place, true, why)));
    }
    if !options.need_target {
        return Ok(None);
    }
    Err(Error::NoTarget {
        candidates: candidates(profile, opinions, &ranked, free),
    })
}

/// Columns that could be the target: names of targets, then the last column, then columns of few classes.
fn candidates(
    profile: &Profile,
    opinions: &[Opinion],
    ranked: &[(usize, usize)],
    free: impl Fn(&ColumnProfile) -> bool,
) -> Vec<String> {
    let columns = &profile.columns;
    let could = |place: &usize| free(&columns[*place]) && opinions[*place].useless.is_none();
    let mut ranked = ranked.to_vec();
    ranked.sort_unstable();
    let of_kind =
        |kind: Kind| (0..columns.len()).filter(move |&place| opinions[place].kind == kind);
    let places = (ranked.iter().map(|&(_, place)| place))
        .chain(columns.len().checked_sub(1))
        .chain(of_kind(Kind::Binary))
        .chain(of_kind(Kind::Category))
        .chain(of_kind(Kind::Number));
    let mut names: Vec<String> = Vec::new();
    for place in places.filter(could) {
        let name = &columns[place].name;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.truncate(LISTED);
    names
}

/// The kind of the target, with the reason and the second choice.
pub(super) fn kind(
    column: &ColumnProfile,
    opinion: &Opinion,
    asked: Option<Kind>,
) -> Result<(Kind, Option<Kind>, String)> {
    let useless = |why: String| Error::UselessTarget {
        column: column.name.clone(),
        why,
    };
    let n = column.n_present();
    let distinct = column.n_distinct.count();
    if n == 0 {
        return Err(useless("no row has a value".to_owned()));
    }
    if distinct == 1 {
        let value = column
            .top_values
            .first()
            .map_or("", |(value, _)| value.as_str());
        return Err(useless(format!(
            "every row that has a value holds \"{value}\""
        )));
    }
    if n < LEAST_ROWS {
        return Err(Error::TooFewRows {
            rows: n,
            least: LEAST_ROWS,
        });
    }
    if let Some(kind) = asked {
        return match kind {
            Kind::Binary | Kind::Category | Kind::Number => {
                Ok((kind, None, format!("asked for; {}", opinion.evidence)))
            }
            Kind::Date | Kind::Text => Err(useless(format!(
                "a target is binary, category or number, not {kind}"
            ))),
        };
    }
    if distinct == 2 {
        return Ok((Kind::Binary, opinion.second, opinion.evidence.clone()));
    }
    if let Some(number) = &column.number {
        let named = names::code_word(&column.name).is_some()
            || names::target_rank(&column.name).is_some_and(|rank| (1..=2).contains(&rank));
        let most = if named { NAMED_CLASSES } else { FEW_CLASSES };
        let classes = number.all_integer && distinct <= most && distinct <= n / 5;
        return Ok(if classes {
            (
                Kind::Category,
                Some(Kind::Number),
                format!("{}: few enough to be classes", opinion.evidence),
            )
        } else {
            let second = (distinct <= FEW_CLASSES).then_some(Kind::Category);
            (Kind::Number, second, opinion.evidence.clone())
        });
    }
    if column.storage == Storage::Time {
        return Err(useless("its values are dates".to_owned()));
    }
    if distinct > 20 && 5 * distinct > n {
        let why = format!("{distinct} different texts in {n} rows are too many to be classes");
        let decorated = column
            .top_values
            .iter()
            .find(|(value, _)| is_decorated(value));
        return Err(useless(match decorated {
            Some((value, _)) => format!(
                "{why}; values such as \"{value}\" look like numbers with a sign or a decimal comma: write them as plain numbers, with a point and without signs"
            ),
            None => why,
        }));
    }
    Ok((Kind::Category, None, opinion.evidence.clone()))
}

/// Whether a text is a number but for what people put around it: `54.9%`, `$455,896.68`, `68,06`, `1 200 €`.
fn is_decorated(text: &str) -> bool {
    let bare: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && !"%$€£¥'".contains(*c))
        .collect();
    bare.chars().any(|c| c.is_ascii_digit())
        && bare
            .trim_start_matches(['-', '+'])
            .chars()
            .all(|c| c.is_ascii_digit() || c == '.' || c == ',')
}

/// The verdict on the target, with what is odd about it.
pub(super) fn verdict(
    column: &ColumnProfile,
    table: &Table,
    kind: Kind,
    guessed: bool,
    why: String,
    findings: &mut Vec<Finding>,
) -> Result<TargetVerdict> {
    if let Some(why) = kinds::refusal(column, kind) {
        return Err(Error::WrongKind {
            column: column.name.clone(),
            kind,
            why,
        });
    }
    let name = Some(column.name.as_str());
    if guessed {
        findings.push(Finding::warning(
            What::GuessedTarget,
            name,
            format!("the target is {why}; say `--target` to be sure"),
        ));
    }
    if column.n_missing > 0 {
        let text = format!(
            "{} of {} rows have no target and are used nowhere",
            column.n_missing, column.n_rows
        );
        let make = if 5 * column.n_missing > column.n_rows {
            Finding::warning
        } else {
            Finding::note
        };
        findings.push(make(What::MissingTarget, name, text));
    }
    let classes = match kind {
        Kind::Binary | Kind::Category => {
            table.column(&column.name).map(classes).unwrap_or_default()
        }
        Kind::Number | Kind::Date | Kind::Text => Vec::new(),
    };
    odd_classes(&column.name, &classes, findings);
    Ok(TargetVerdict {
        name: column.name.clone(),
        kind,
        why,
        guessed,
        classes,
        n_missing: column.n_missing,
    })
}

/// Every class with its rows: numbers by value, texts by their letters.
fn classes(column: &Column) -> Vec<(String, u64)> {
    match column.values() {
        Values::Number(values) => {
            let mut counts: HashMap<u64, u64> = HashMap::new();
            values
                .iter()
                .filter(|value| !value.is_nan())
                .for_each(|value| *counts.entry((value + 0.0).to_bits()).or_default() += 1);
            let mut counts: Vec<(f64, u64)> = counts
                .into_iter()
                .map(|(bits, times)| (f64::from_bits(bits), times))
                .collect();
            counts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            counts
                .into_iter()
                .map(|(value, times)| (number_level(value).unwrap_or_default(), times))
                .collect()
        }
        Values::Text(TextColumn::Coded { codes, dictionary }) => {
            let mut counts = vec![0; dictionary.len()];
            codes
                .iter()
                .filter(|&&code| code != MISSING_CODE)
                .for_each(|&code| counts[code as usize] += 1);
            let mut counts: Vec<(String, u64)> =
                dictionary.iter().map(str::to_owned).zip(counts).collect();
            counts.sort_unstable();
            counts
        }
        values @ (Values::Text(TextColumn::Plain(_)) | Values::Time(_) | Values::Bool(_)) => {
            let mut counts: HashMap<String, u64> = HashMap::new();
            (0..values.len())
                .filter_map(|row| values.level(row))
                .for_each(|level| *counts.entry(level.into_owned()).or_default() += 1);
            let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
            counts.sort_unstable();
            counts
        }
    }
}

fn odd_classes(name: &str, classes: &[(String, u64)], findings: &mut Vec<Finding>) {
    let Some(rarest) = classes.iter().min_by_key(|(_, rows)| *rows) else {
        return;
    };
    let Some(commonest) = classes.iter().max_by_key(|(_, rows)| *rows) else {
        return;
    };
    let rare: Vec<&(String, u64)> = classes
        .iter()
        .filter(|(_, rows)| *rows < RARE_ROWS)
        .collect();
    if let Some((example, _)) = rare.first() {
        let text = format!(
            "{} of {} classes have fewer than {RARE_ROWS} rows (\"{example}\"): they cannot be in every part",
            rare.len(),
            classes.len()
        );
        findings.push(Finding::warning(What::RareClass, Some(name), text));
    }
    if 10 * rarest.1 < commonest.1 {
        let text = format!(
            "\"{}\" has {} rows, \"{}\" {}: accuracy says little here",
            rarest.0, rarest.1, commonest.0, commonest.1
        );
        let make = if 100 * rarest.1 < commonest.1 {
            Finding::warning
        } else {
            Finding::note
        };
        findings.push(make(What::Imbalance, Some(name), text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_signs_are_told_from_words() {
        for (text, expected) in [
            ("54.9%", true),
            ("$455,896.68", true),
            ("-68,06", true),
            ("1 200 €", true),
            ("A54", false),
            ("%", false),
            ("12-13", false),
            ("", false),
        ] {
            assert_eq!(is_decorated(text), expected, "{text}");
        }
    }
}
