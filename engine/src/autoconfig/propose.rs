//! Puts the sections together.

use datasets::Kind;
use datasets::infer::{Inference, TargetVerdict};
use datasets::profile::Profile;
use search::config::{Comments, Config};
use search::metric::TargetKind;
use search::{ConfigError, Metric};
use serde_json::Value;

use super::draft::{Draft, Reason};
use super::wishes::Wishes;
use super::{features, network, space, split};
use crate::error::{Error, Result};
use crate::output::thousands;

/// A base config, with a comment for its lines and the reason of every choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The config, checked.
    pub config: Config,
    /// Comments by dotted path.
    pub comments: Comments,
    /// Every choice with its reason, in the order of the file.
    pub reasons: Vec<Reason>,
}

/// Proposes a base config for a table.
///
/// # Errors
/// When no target is known, and when a wish does not fit the table: a metric that the target does not
/// have, a split by a column that is not there.
pub fn propose(profile: &Profile, inference: &Inference, wishes: &Wishes) -> Result<Proposal> {
    let Some(target) = &inference.target else {
        return Err(Error::usage(
            "which column is to be predicted?",
            "name it with --target COLUMN; `autotune profile` shows the columns",
        ));
    };
    let metric = metric(target, wishes)?;
    let mut draft = Draft::default();
    draft.comment("", header(profile, wishes));
    draft.set(
        "model_type",
        "ecd",
        "encoders for the inputs, a combiner, a decoder for the target",
    );
    features::write(
        &mut draft,
        profile,
        inference,
        target,
        metric == Metric::Accuracy,
    );
    split::write(&mut draft, profile, inference, target, wishes)?;
    if target.kind == Kind::Number && draft.tree["preprocessing"]["split"]["type"] != "datetime" {
        features::bound(&mut draft);
    }
    let n_train = training_rows(&draft, profile.n_rows.saturating_sub(target.n_missing));
    network::write(
        &mut draft,
        n_train,
        target.kind,
        metric,
        &target.name,
        wishes,
    );
    space::write(
        &mut draft,
        inference,
        n_train,
        target.kind,
        metric,
        &target.name,
        wishes,
    );
    let config = Config::from_value(&Value::Object(draft.tree)).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ConfigError::one_line).collect();
        Error::bug(format!(
            "the proposed config is refused: {}",
            errors.join("; ")
        ))
    })?;
    Ok(Proposal {
        config,
        comments: draft.comments,
        reasons: draft.reasons,
    })
}

impl Proposal {
    /// The commented file.
    pub fn to_yaml(&self) -> String {
        self.config.to_yaml(&self.comments)
    }
}

/// The metric asked for, if the target has it; else the default of its kind.
fn metric(target: &TargetVerdict, wishes: &Wishes) -> Result<Metric> {
    let kind = match target.kind {
        Kind::Binary => TargetKind::Binary,
        Kind::Number => TargetKind::Number,
        Kind::Category | Kind::Date | Kind::Text => TargetKind::Category,
    };
    let Some(name) = &wishes.metric else {
        return Ok(Metric::default_for(kind));
    };
    Metric::named(name, kind).ok_or_else(|| {
        let names: Vec<String> = Metric::all_for(kind).map(Metric::name).collect();
        Error::usage(
            format!(
                "--metric {name} does not fit the target {}, which is a {}",
                target.name, target.kind
            ),
            format!("choose one of {}", names.join(", ")),
        )
    })
}

/// Rows that train, by the shares of the split; four fifths where the split has none.
fn training_rows(draft: &Draft, n_rows: u64) -> u64 {
    let share = draft.tree["preprocessing"]["split"]["probabilities"][0]
        .as_f64()
        .unwrap_or(0.8);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of rows"
    )]
    let rows = (n_rows as f64 * share) as u64;
    rows
}

fn header(profile: &Profile, wishes: &Wishes) -> String {
    format!(
        "Base config for {}: {} rows, {} columns.\nEach value stands with the reason for it. Edit what you like; then `autotune run --config FILE` searches around it, `autotune train --config FILE` trains it as it is, and `autotune render --config FILE` shows every other key.",
        wishes.dataset,
        thousands(profile.n_rows),
        profile.columns.len()
    )
}
