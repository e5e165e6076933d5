//! `autotune profile`: what each column is, with the evidence; and the same for a run, as its child.

use std::path::PathBuf;

use clap::Args;
use datasets::Severity;
use datasets::infer::{LeftOut, Role, Verdict};
use datasets::profile::{ColumnProfile, Distinct};
use serde_json::json;

use super::data_args::DataArgs;
use super::world::{World, cache_dir};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::fetch;
use crate::look::{Line, LookSpec, Seen, look};
use crate::output::{Align, Data, Mode, Table, percent, plain, terminal_width, thousands};

/// Flags of `profile`.
#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    #[command(flatten)]
    data: DataArgs,
}

/// Shows the profile of a table.
pub(crate) fn run(args: &ProfileArgs, world: &mut World) -> Result<Exit> {
    let seen = seen(&args.data, world, false)?;
    match world.mode {
        Mode::Json => world.data.json(&json!({
            "rows": seen.profile.n_rows, "columns": seen.profile.columns, "verdicts": seen.inference.columns,
            "target": seen.inference.target, "findings": seen.findings,
        })),
        Mode::Human | Mode::Quiet => world.data.line(&text(&seen, terminal_width())),
    }
    Ok(Exit::Done)
}

/// Looks at the table that the flags name, in this process.
pub(crate) fn seen(args: &DataArgs, world: &World, need_target: bool) -> Result<Seen> {
    let cache = cache_dir();
    let mut progress = world.fetch_progress();
    let located = fetch::locate(
        &args.dataset,
        args.encoding.as_deref(),
        &cache,
        &mut *progress,
    )?;
    drop(progress);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let spec = LookSpec::new(&located, &cache, threads).with(
        args.target.as_deref(),
        &args.types(),
        &args.ignore,
    );
    look(
        &LookSpec {
            need_target,
            ..spec
        },
        &mut world.read_progress(),
    )
}

/// The profile for people.
fn text(seen: &Seen, width: Option<usize>) -> String {
    let mut table = Table::new(&[
        ("column", Align::Left),
        ("type", Align::Left),
        ("missing", Align::Right),
        ("distinct", Align::Right),
        ("range or top value", Align::Left),
        ("evidence", Align::Left),
    ]);
    for verdict in &seen.inference.columns {
        let Some(column) = seen.profile.column(&verdict.name) else {
            continue;
        };
        table.row([
            verdict.name.clone(),
            role(verdict),
            percent(column.missing_share()),
            distinct(column.n_distinct),
            range(column),
            evidence(verdict),
        ]);
    }
    let mut text = format!(
        "{} rows, {} columns\n\n{}",
        thousands(seen.profile.n_rows),
        seen.profile.columns.len(),
        table.render(width)
    );
    match &seen.inference.target {
        Some(target) => text.push_str(&format!(
            "\ntarget: {} ({}): {}\n",
            plain(&target.name),
            target.kind,
            plain(&target.why)
        )),
        None => text.push_str("\nno target named: give --target COLUMN\n"),
    }
    for finding in &seen.findings {
        let word = match finding.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
        };
        text.push_str(&plain(&format!("{word}: {finding}")));
        text.push('\n');
    }
    text
}

fn role(verdict: &Verdict) -> String {
    match &verdict.role {
        Role::Input => verdict.kind.to_string(),
        Role::Target => format!("{} (target)", verdict.kind),
        Role::LeftOut { .. } => "left out".to_owned(),
    }
}

fn evidence(verdict: &Verdict) -> String {
    let second = verdict
        .second
        .map_or_else(String::new, |kind| format!("; else {kind}"));
    match &verdict.role {
        Role::Input | Role::Target => format!("{}{second}", verdict.evidence),
        Role::LeftOut { why } => left_out(why),
    }
}

/// Why a column is left out, in words.
pub(crate) fn left_out(why: &LeftOut) -> String {
    match why {
        LeftOut::Constant => "every row holds the same value".to_owned(),
        LeftOut::AllMissing => "no row holds a value".to_owned(),
        LeftOut::UniqueId => "each row has a value of its own: an identifier".to_owned(),
        LeftOut::Duplicate { of } => format!("the same values as {of}, row by row"),
        LeftOut::Asked => "asked for with --ignore, or known to give the target away".to_owned(),
    }
}

fn range(column: &ColumnProfile) -> String {
    if let Some(date) = &column.date {
        return format!("{} to {}", date.first, date.last);
    }
    if let Some(number) = &column.number {
        return format!("{} to {}", short(number.min), short(number.max));
    }
    column
        .top_values
        .first()
        .map_or_else(String::new, |(value, n)| {
            let value: String = value.chars().take(24).collect();
            let share = if column.n_rows == 0 {
                0.0
            } else {
                *n as f64 / column.n_rows as f64
            };
            format!(
                "{} ({})",
                value.replace(['\n', '\r', '\t'], " "),
                percent(share)
            )
        })
}

fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value:.4}")
    }
}

fn distinct(count: Distinct) -> String {
    match count {
        Distinct::Exact(n) => thousands(n),
        Distinct::About(n) => format!("~{}", thousands(n)),
    }
}

/// The hidden verb of the child.
#[derive(Debug, Args)]
pub(crate) struct ChildArgs {
    /// A file with a `LookSpec`.
    spec: PathBuf,
}

/// Looks for another process; the answer is the last line of stdout, also when there is none.
pub(crate) fn child(args: &ChildArgs, world: &mut World) -> Result<Exit> {
    let text = std::fs::read(&args.spec).map_err(Error::file("read", &args.spec))?;
    let spec: LookSpec = serde_json::from_slice(&text).map_err(|error| {
        Error::usage(
            format!("{} is no look: {error}", args.spec.display()),
            "this verb is for autotune itself",
        )
    })?;
    let mut told = 0;
    let outcome = look(&spec, &mut |done, of| {
        // A line for each hundredth at most.
        if of > 0 && done.saturating_sub(told) >= of.div_ceil(100) {
            told = done;
            say(&Line::Progress { done, of });
        }
    });
    match outcome {
        Ok(seen) => {
            world
                .data
                .json(
                    &serde_json::to_value(Line::Seen(Box::new(seen))).map_err(|error| {
                        Error::bug(format!("a profile cannot be written down: {error}"))
                    })?,
                );
            Ok(Exit::Done)
        }
        Err(error) => {
            say(&Line::failed(&error));
            Ok(error.exit())
        }
    }
}

fn say(line: &Line) {
    if let Ok(value) = serde_json::to_value(line) {
        Data::new().json(&value);
    }
}
