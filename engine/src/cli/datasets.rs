//! `autotune datasets`: the tables known by name.

use clap::{Args, Subcommand};
use datasets::registry::{self, Entry, Origin, Split, Task};
use serde_json::{Value, json};

use super::size;
use super::world::{World, cache_dir};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::fetch;
use crate::output::{Align, Mode, Table, terminal_width, thousands};

/// What to do with the known tables.
#[derive(Debug, Subcommand)]
pub(crate) enum DatasetsVerb {
    /// List the known tables.
    List,
    /// Show what is known of a table.
    Describe(NameArgs),
    /// Fetch a table into the cache and print its path.
    Fetch(NameArgs),
}

/// A known table.
#[derive(Debug, Args)]
pub(crate) struct NameArgs {
    /// The name of the table.
    name: String,
}

/// Runs the verb.
pub(crate) fn run(verb: &DatasetsVerb, world: &mut World) -> Result<Exit> {
    match verb {
        DatasetsVerb::List => match world.mode {
            Mode::Json => registry::all()
                .iter()
                .for_each(|entry| world.data.json(&object(entry))),
            Mode::Human | Mode::Quiet => world.data.line(&table().render(terminal_width())),
        },
        DatasetsVerb::Describe(args) => {
            let entry = find(&args.name)?;
            match world.mode {
                Mode::Json => world.data.json(&object(entry)),
                Mode::Human | Mode::Quiet => world.data.line(&describe(entry)),
            }
        }
        DatasetsVerb::Fetch(args) => {
            let mut progress = world.fetch_progress();
            let path = fetch::fetch_entry(find(&args.name)?, &cache_dir(), &mut *progress)?;
            drop(progress);
            match world.mode {
                Mode::Json => world.data.json(&json!({ "name": args.name, "path": path })),
                Mode::Human | Mode::Quiet => world.data.line(&path.display().to_string()),
            }
        }
    }
    Ok(Exit::Done)
}

fn find(name: &str) -> Result<&'static Entry> {
    registry::find(name).ok_or_else(|| {
        let near = datasets::nearest::nearest(name, registry::all().iter().map(|entry| entry.name));
        let hint = near.map_or_else(
            || "`autotune datasets list` shows them".to_owned(),
            |near| format!("did you mean {near}?"),
        );
        Error::usage(format!("no table is known as \"{name}\""), hint)
    })
}

fn table() -> Table {
    let mut table = Table::new(&[
        ("name", Align::Left),
        ("rows", Align::Right),
        ("columns", Align::Right),
        ("task", Align::Left),
        ("target", Align::Left),
        ("source", Align::Left),
        ("about", Align::Left),
    ]);
    for entry in registry::all() {
        table.row([
            entry.name.to_owned(),
            thousands(entry.rows),
            entry.columns.to_string(),
            task(entry.task).to_owned(),
            entry.target.to_owned(),
            source(entry).to_owned(),
            entry.about.to_owned(),
        ]);
    }
    table
}

fn describe(entry: &Entry) -> String {
    let mut lines = vec![
        ("name", entry.name.to_owned()),
        ("about", entry.about.to_owned()),
        ("rows", thousands(entry.rows)),
        ("columns", entry.columns.to_string()),
        ("target", format!("{} ({})", entry.target, task(entry.task))),
        ("split", split(entry.split)),
        ("licence", entry.licence.to_owned()),
        ("source", place(entry)),
    ];
    if let Origin::Url {
        sha256, size_bytes, ..
    } = entry.origin
    {
        lines.push((
            "size",
            size_bytes.map_or_else(|| "not known".to_owned(), size::show),
        ));
        lines.push((
            "sha256",
            sha256
                .unwrap_or("not known: the size alone is checked")
                .to_owned(),
        ));
    }
    if !entry.ignore.is_empty() {
        lines.push(("left out", entry.ignore.join(", ")));
    }
    if !entry.verified {
        lines.push((
            "note",
            "not verified: source, rows and columns were not checked against the file".to_owned(),
        ));
    }
    let here = entry.local_path(&cache_dir().join("tables"));
    lines.push((
        "file",
        format!(
            "{}{}",
            here.display(),
            if here.exists() {
                ""
            } else {
                " (not there yet)"
            }
        ),
    ));
    lines
        .iter()
        .map(|(name, text)| format!("{name:<9} {text}\n"))
        .collect()
}

fn object(entry: &Entry) -> Value {
    json!({
        "name": entry.name, "about": entry.about, "rows": entry.rows, "columns": entry.columns, "target": entry.target,
        "task": task(entry.task), "split": split(entry.split), "licence": entry.licence, "source": place(entry),
        "ignore": entry.ignore, "verified": entry.verified,
    })
}

fn task(task: Task) -> &'static str {
    match task {
        Task::Binary => "binary",
        Task::Category => "category",
        Task::Number => "number",
    }
}

fn source(entry: &Entry) -> &'static str {
    match entry.origin {
        Origin::Embedded(_) => "embedded",
        Origin::Url { .. } => "download",
        Origin::Login { .. } => "login",
    }
}

fn place(entry: &Entry) -> String {
    match entry.origin {
        Origin::Embedded(_) => "embedded in this program".to_owned(),
        Origin::Url { url, .. } => url.to_owned(),
        Origin::Login { page, file } => format!("{file} from {page} (needs a login)"),
    }
}

fn split(split: Split) -> String {
    match split {
        Split::Random(shares) => format!(
            "random, {}",
            shares
                .map(|share| format!("{:.0} %", share * 100.0))
                .join(" / ")
        ),
        Split::InOrder(rows) => format!(
            "in the order of the file, {} rows",
            rows.map(thousands).join(" / ")
        ),
    }
}
