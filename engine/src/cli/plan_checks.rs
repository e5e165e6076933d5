//! What can be told wrong about the flags of a run before any data is read.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use datasets::registry;
use search::config::Config;

use super::data_args::DataArgs;
use super::plan_args::{Asked, JudgeArgs};
use super::world::World;
use crate::error::{Error, Result};
use crate::fetch;
use crate::look::target_left_out;

/// The tables that are named, as far as they can be told wrong before they are read.
pub(super) fn tables(data: &DataArgs, judge: &JudgeArgs, world: &World) -> Result<()> {
    for dataset in [
        Some(&data.dataset),
        judge.test.as_ref(),
        judge.validation.as_ref(),
    ]
    .into_iter()
    .flatten()
    {
        exists(dataset)?;
    }
    if let Some(target) = data
        .target
        .as_ref()
        .filter(|name| data.ignore.contains(name))
    {
        return Err(target_left_out(target));
    }
    for (flag, table) in [("--test", &judge.test), ("--validation", &judge.validation)] {
        if table
            .as_ref()
            .is_some_and(|table| is_same(table, &data.dataset))
        {
            world.warn(format!(
                "{flag} names the table that is learned from: scores on it say nothing about new rows"
            ));
        }
    }
    Ok(())
}

/// A config says what is learned from what, and how rows are parted: a flag that says otherwise is an error, since
/// following either in silence would be wrong.
pub(super) fn agrees(asked: &Asked<'_>, config: &Config, path: &Path) -> Result<()> {
    let preparation = config.preparation()?;
    let at_odds = |flag: &str, says: String, key: &str| {
        Err(Error::usage(
            format!("{flag} is at odds with {}: {says}", path.display()),
            format!("leave the flag out, or edit {key} of the config"),
        ))
    };
    let target = &preparation.target.column;
    if let Some(wanted) = asked
        .data
        .target
        .as_ref()
        .filter(|wanted| *wanted != target)
    {
        return at_odds(
            &format!("--target {wanted}"),
            format!("it predicts {target}"),
            "output_features",
        );
    }
    if let Some(name) = asked.data.ignore.iter().find(|name| *name == target) {
        return at_odds(
            &format!("--ignore {name}"),
            format!("it predicts {name}"),
            "output_features",
        );
    }
    let is_input = |name: &String| preparation.inputs.iter().any(|input| input.column == *name);
    if let Some(name) = asked.data.ignore.iter().find(|name| is_input(name)) {
        return at_odds(
            &format!("--ignore {name}"),
            format!("it learns from {name}"),
            "input_features",
        );
    }
    if let Some((column, kind)) = asked.data.types().into_iter().next() {
        let says = "it says what each column is".to_owned();
        return at_odds(
            &format!("--type {column}={}", kind.name()),
            says,
            "the column's type",
        );
    }
    if let Some(split) = &asked.judge.split {
        let says = "it says how rows are parted".to_owned();
        return at_odds(&format!("--split {split}"), says, "preprocessing.split");
    }
    Ok(())
}

/// A dataset that will be found: an address and a known name are taken at their word until they are fetched.
fn exists(dataset: &str) -> Result<()> {
    if fetch::is_address(dataset) || registry::find(dataset).is_some() {
        Ok(())
    } else {
        fetch::local(dataset).map(drop)
    }
}

/// Whether two names are of one table.
fn is_same(a: &str, b: &str) -> bool {
    let file = |name: &str| fetch::local(name).ok()?.metadata().ok();
    a == b
        || matches!((file(a), file(b)), (Some(a), Some(b)) if (a.dev(), a.ino()) == (b.dev(), b.ino()))
}
