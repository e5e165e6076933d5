//! Puts it together: an opinion on each column, what the user says, the target, and what is left.

use super::copies::Copies;
use super::kinds::{self, Opinion};
use super::target;
use super::verdict::{InferOptions, Inference, LeftOut, Role, Verdict};
use crate::finding::{Finding, What};
use crate::profile::{ColumnProfile, Profile};
use crate::table::Table;
use crate::{Error, Kind, Result};

/// Decides what each column is, and which is the target.
///
/// # Errors
/// `UnknownColumn` for a misspelt name, `WrongKind` for a type that the values cannot have, `NoTarget`,
/// `UselessTarget`, `NoInputs`, `TooFewRows`.
pub fn infer(profile: &Profile, table: &Table, options: &InferOptions) -> Result<Inference> {
    let known = |name: &str| profile.column(name).is_some();
    if let Some(name) = options
        .types
        .keys()
        .chain(&options.ignore)
        .find(|name| !known(name))
    {
        return Err(Error::unknown_column(
            name,
            profile.columns.iter().map(|column| column.name.as_str()),
        ));
    }
    let opinions: Vec<Opinion> = profile.columns.iter().map(kinds::opinion).collect();
    let mut findings = Vec::new();
    let mut columns = Vec::with_capacity(profile.columns.len());
    let chosen = target::choose(profile, &opinions, options)?;
    let place = chosen.as_ref().map(|(place, _, _)| *place);
    let mut chosen_target = None;
    if let Some((place, guessed, why)) = chosen {
        let (column, opinion) = (&profile.columns[place], &opinions[place]);
        let (kind, second, evidence) =
            target::kind(column, opinion, options.types.get(&column.name).copied())?;
        let why = format!("{why}; {kind} since {evidence}");
        let verdict = target::verdict(column, table, kind, guessed, why, &mut findings)?;
        chosen_target = Some((verdict, second, evidence));
    }
    for (at, (column, opinion)) in profile.columns.iter().zip(opinions).enumerate() {
        columns.push(match &chosen_target {
            Some((verdict, second, evidence)) if place == Some(at) => Verdict {
                name: column.name.clone(),
                kind: verdict.kind,
                second: *second,
                evidence: evidence.clone(),
                date_format: None,
                role: Role::Target,
            },
            _ => input(profile, at, opinion, options, place)?,
        });
    }
    many_levels(profile, &columns, &mut findings);
    let target = chosen_target.map(|(verdict, _, _)| verdict);
    if let Some(target) = &target {
        near_copies(table, target, &columns, &mut findings);
    }
    let inference = Inference {
        columns,
        target,
        findings,
    };
    if options.need_target && inference.inputs().next().is_none() {
        return Err(Error::NoInputs {
            why: left_out(&inference),
        });
    }
    Ok(inference)
}

/// The verdict on a column that is not the target.
fn input(
    profile: &Profile,
    at: usize,
    opinion: Opinion,
    options: &InferOptions,
    target: Option<usize>,
) -> Result<Verdict> {
    let column = &profile.columns[at];
    let asked = options.types.get(&column.name).copied();
    let role = if options.ignore.contains(&column.name) {
        Role::LeftOut {
            why: LeftOut::Asked,
        }
    } else if asked.is_some() {
        Role::Input
    } else if let Some(why) = opinion.useless.clone() {
        Role::LeftOut { why }
    } else if let Some(of) = duplicate_of(profile, at, target) {
        Role::LeftOut {
            why: LeftOut::Duplicate { of },
        }
    } else {
        Role::Input
    };
    let (kind, second, evidence) = match asked {
        None => (opinion.kind, opinion.second, opinion.evidence),
        Some(kind) => {
            if let Some(why) = kinds::refusal(column, kind) {
                return Err(Error::WrongKind {
                    column: column.name.clone(),
                    kind,
                    why,
                });
            }
            let second = Some(opinion.kind).filter(|&own| own != kind);
            (kind, second, format!("asked for; {}", opinion.evidence))
        }
    };
    let format = || column.date.as_ref().and_then(|date| date.format.clone());
    let date_format = if kind == Kind::Date {
        opinion.date_format.or_else(format)
    } else {
        None
    };
    Ok(Verdict {
        name: column.name.clone(),
        kind,
        second,
        evidence,
        date_format,
        role,
    })
}

/// The first column before this one with the same values, the target aside.
fn duplicate_of(profile: &Profile, at: usize, target: Option<usize>) -> Option<String> {
    let hash = profile.columns[at].content_hash;
    let same = |(place, column): &(usize, &ColumnProfile)| {
        Some(*place) != target && column.content_hash == hash
    };
    profile.columns[..at]
        .iter()
        .enumerate()
        .find(same)
        .map(|(_, column)| column.name.clone())
}

/// Categories whose levels hardly come back.
fn many_levels(profile: &Profile, columns: &[Verdict], findings: &mut Vec<Finding>) {
    for (column, verdict) in profile.columns.iter().zip(columns) {
        let (distinct, n) = (column.n_distinct.count(), column.n_present());
        if verdict.role == Role::Input
            && verdict.kind == Kind::Category
            && distinct > 50
            && 5 * distinct > n
        {
            let text = format!("{distinct} levels in {n} rows: most are too rare to learn from");
            findings.push(Finding::warning(What::ManyLevels, Some(&column.name), text));
        }
    }
}

/// Inputs that alone nearly tell the target.
fn near_copies(
    table: &Table,
    target: &super::TargetVerdict,
    columns: &[Verdict],
    findings: &mut Vec<Finding>,
) {
    let Some(column) = table.column(&target.name) else {
        return;
    };
    let copies = Copies::new(table, column, target.kind);
    for verdict in columns.iter().filter(|verdict| verdict.role == Role::Input) {
        findings.extend(
            table
                .column(&verdict.name)
                .and_then(|input| copies.finding(input, &target.name)),
        );
    }
}

/// What was left out and why, in a line.
fn left_out(inference: &Inference) -> String {
    let list: Vec<String> = (inference.columns.iter())
        .filter_map(|verdict| match &verdict.role {
            Role::LeftOut { why } => Some(format!("{} ({})", verdict.name, why.in_words())),
            Role::Input | Role::Target => None,
        })
        .take(12)
        .collect();
    if list.is_empty() {
        "the target is the only column".to_owned()
    } else {
        format!("left out are {}", list.join(", "))
    }
}
