//! Tables as files.

use std::fmt::Write as _;

use crate::query::TrialRow;

/// The leaderboard as CSV: one row a trial in the order given, one column for each metric and each
/// parameter that any trial has. Empty where a trial has none; a non-finite score by its name.
pub fn leaderboard_csv(trials: &[TrialRow]) -> String {
    let metrics = names(trials.iter().flat_map(|trial| trial.scores.keys()));
    let parameters = names(trials.iter().flat_map(|trial| trial.parameters.keys()));
    let mut csv = String::new();
    let fixed = [
        "rank",
        "trial",
        "origin",
        "outcome",
        "epoch",
        "best_epoch",
        "best_score",
        "train_s",
    ];
    let header = fixed
        .iter()
        .copied()
        .chain(metrics.iter().copied())
        .chain(parameters.iter().copied());
    line(&mut csv, header.map(str::to_owned));
    for (rank, trial) in (1..).zip(trials) {
        let head = [
            format!("{rank}"),
            trial.trial.to_string(),
            trial.origin.clone(),
            trial.phase.word().to_owned(),
            trial.epoch.to_string(),
            trial
                .best_epoch
                .map(|epoch| epoch.to_string())
                .unwrap_or_default(),
            trial
                .best_score
                .map(|score| number(score.0))
                .unwrap_or_default(),
            format!("{:.3}", trial.train.as_secs_f64()),
        ];
        let scores = metrics.iter().map(|name| {
            trial
                .scores
                .get(*name)
                .map(|score| number(score.0))
                .unwrap_or_default()
        });
        let chosen = parameters
            .iter()
            .map(|name| trial.parameters.get(*name).map(value).unwrap_or_default());
        line(&mut csv, head.into_iter().chain(scores).chain(chosen));
    }
    csv
}

fn names<'a>(names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let mut names: Vec<_> = names.map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn line(csv: &mut String, cells: impl Iterator<Item = String>) {
    for (index, cell) in cells.enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let cell = if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        };
        // Writing to a string does not fail.
        let _ = write!(csv, "{comma}{cell}");
    }
    csv.push('\n');
}

fn number(number: f64) -> String {
    if number.is_nan() {
        "nan".to_owned()
    } else {
        number.to_string()
    }
}

fn value(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
