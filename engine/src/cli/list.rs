//! `autotune list`: the runs under a folder.

use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use clap::Args;
use results::query::{Found, Overview, runs};
use serde_json::{Value, json};

use super::budget;
use super::run_ref::wait;
use super::world::{RUNS, World};
use crate::error::Result;
use crate::exit::Exit;
use crate::output::{Align, Mode, Table, number, terminal_width};
use crate::run;

/// Flags of `list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// The folder of the runs.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    output: PathBuf,
}

/// Lists the runs, the latest first.
pub(crate) fn run(args: &ListArgs, world: &mut World) -> Result<Exit> {
    let found = wait(async { Ok(runs(&args.output).await?) })?;
    match world.mode {
        Mode::Json => found
            .iter()
            .for_each(|found| world.data.json(&object(found))),
        Mode::Human | Mode::Quiet if found.is_empty() => {
            world.note(format!("no runs in {} yet", args.output.display()))
        }
        Mode::Human | Mode::Quiet => {
            world.data.line(&table(&found).render(terminal_width()));
            for error in found.iter().filter_map(|found| found.run.as_ref().err()) {
                world.warn(format!("{error}; {}", error.hint()));
            }
        }
    }
    Ok(Exit::Done)
}

fn table(found: &[Found]) -> Table {
    let mut table = Table::new(&[
        ("run", Align::Left),
        ("began (UTC)", Align::Left),
        ("dataset", Align::Left),
        ("budget", Align::Right),
        ("state", Align::Left),
        ("trials", Align::Right),
        ("metric", Align::Left),
        ("best", Align::Right),
    ]);
    for found in found {
        let name = found
            .folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match &found.run {
            Ok(overview) => table.row([
                name,
                time(overview.run.began_at_ms),
                overview.run.dataset.clone(),
                overview
                    .run
                    .budget
                    .map_or_else(|| "-".to_owned(), budget::show),
                state(overview, run::is_running(&found.folder)),
                overview.n_trials.to_string(),
                overview
                    .run
                    .metric
                    .clone()
                    .unwrap_or_else(|| "-".to_owned()),
                best(overview).map_or_else(|| "-".to_owned(), number),
            ]),
            // Why is told beside the table, which stays as narrow as it is.
            Err(_) => table.row([
                name,
                "-".to_owned(),
                "-".to_owned(),
                "-".to_owned(),
                "cannot be read".to_owned(),
            ]),
        }
    }
    table
}

fn object(found: &Found) -> Value {
    match &found.run {
        Ok(overview) => json!({
            "name": overview.run.name, "folder": found.folder, "began_at_ms": overview.run.began_at_ms, "dataset": overview.run.dataset,
            "budget_s": overview.run.budget.map(|budget| budget.as_secs_f64()), "state": state(overview, run::is_running(&found.folder)), "target": overview.run.target,
            "metric": overview.run.metric, "maximise": overview.run.maximise, "best": best(overview), "n_trials": overview.n_trials,
            "n_finished": overview.n_finished, "n_failed": overview.n_failed,
        }),
        Err(error) => json!({ "folder": found.folder, "error": error.to_string() }),
    }
}

fn best(overview: &Overview) -> Option<f64> {
    overview.best.as_ref()?.best_score.map(|score| score.0)
}

/// How it ended; else where it is, or where it was when it was cut short.
fn state(overview: &Overview, is_running: bool) -> String {
    let phase = &overview.run.phase;
    match &overview.run.outcome {
        Some(outcome) => outcome.clone(),
        None if is_running => format!("running ({phase})"),
        None => format!("cut short ({phase})"),
    }
}

/// A time of day that people read: 2026-12-01 00:45:12.
fn time(unix_ms: u64) -> String {
    let text =
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(unix_ms)).to_string();
    text.trim_end_matches('Z').replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_for_people() {
        assert_eq!(time(0), "1970-01-01 00:00:00");
        assert_eq!(time(1_796_086_212_999), "2026-12-01 00:50:12");
    }
}
