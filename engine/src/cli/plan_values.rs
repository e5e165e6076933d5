//! How the values of a run's flags are read.

use search::Metric;
use search::metric::TargetKind;

/// Reads a run's name: one folder, not hidden.
pub(super) fn name(text: &str) -> Result<String, String> {
    let odd = text
        .chars()
        .any(|c| c == '/' || c == '\\' || c.is_control());
    if text.is_empty() || odd || text.starts_with('.') || text.starts_with('-') || text.len() > 100
    {
        return Err(
            "a name is one folder: no slashes, no dot or dash in front, at most 100 characters"
                .to_owned(),
        );
    }
    Ok(text.to_owned())
}

/// Splits that need a column, and the one that may have one.
const WITH_COLUMN: [&str; 6] = ["stratify", "datetime", "group", "fixed", "hash", "folds"];

/// Reads a split: its kind, and its column behind a colon.
pub(super) fn split(text: &str) -> Result<String, String> {
    let (kind, column) = text
        .split_once(':')
        .map_or((text, None), |(kind, column)| (kind, Some(column)));
    match column {
        None if kind == "random" || kind == "stratify" => Ok(text.to_owned()),
        Some("") | None if WITH_COLUMN.contains(&kind) => {
            Err(format!("name its column: {kind}:COLUMN"))
        }
        Some(_) if kind == "random" => Err("a random split has no column".to_owned()),
        Some(_) if WITH_COLUMN.contains(&kind) => Ok(text.to_owned()),
        _ => Err(format!(
            "\"{kind}\" is no split: random, stratify, datetime:COLUMN, group:COLUMN, fixed:COLUMN, hash:COLUMN or folds:COLUMN"
        )),
    }
}

/// Reads a metric that some target has; whether this target has it is seen later.
pub(super) fn metric(text: &str) -> Result<String, String> {
    let kinds = [TargetKind::Binary, TargetKind::Category, TargetKind::Number];
    if kinds
        .iter()
        .any(|kind| Metric::named(text, *kind).is_some())
    {
        return Ok(text.to_owned());
    }
    let mut names: Vec<String> = kinds
        .iter()
        .flat_map(|kind| Metric::all_for(*kind))
        .map(Metric::name)
        .collect();
    names.sort_unstable();
    names.dedup();
    let near = datasets::nearest::nearest(text, names.iter().map(String::as_str));
    Err(near.map_or_else(
        || format!("no such metric; there are {}", names.join(", ")),
        |near| format!("no such metric; did you mean {near}?"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_read_with_their_columns() {
        for text in [
            "random",
            "stratify",
            "stratify:sex",
            "datetime:sold on",
            "group:a:b",
            "folds:fold",
        ] {
            assert_eq!(split(text), Ok(text.to_owned()));
        }
        for (text, part) in [
            ("datetime", "name its column"),
            ("group:", "name its column"),
            ("random:x", "no column"),
            ("kfold", "is no split"),
        ] {
            assert!(
                split(text).unwrap_err().contains(part),
                "{text}: {:?}",
                split(text)
            );
        }
    }

    #[test]
    fn metrics_are_read_by_any_of_their_names() {
        for text in ["roc_auc", "loss", "log_loss", "root_mean_squared_error"] {
            assert_eq!(metric(text), Ok(text.to_owned()));
        }
        assert!(metric("roc_auk").unwrap_err().contains("roc_auc"));
        assert!(metric("zzzzzz").unwrap_err().contains("accuracy"));
    }

    #[test]
    fn names_are_one_folder() {
        for bad in ["", "a/b", "..", "-x", "a\nb"] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
        assert_eq!(name("my run 1"), Ok("my run 1".to_owned()));
    }
}
