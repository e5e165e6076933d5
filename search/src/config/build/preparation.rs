//! `Config::preparation`: what is known of the columns before any trial.

use serde_json::Value;

use super::features::{column, missing};
use super::model::one_output;
use super::refuse::refusals;
use super::view::View;
use crate::config::document::Config;
use crate::config::preparation::{
    ColumnKind, InputColumn, Preparation, Sample, Split, TargetColumn,
};
use crate::error::ConfigError;
use crate::metric::TargetKind;

impl Config {
    /// The typed preparation: columns, kinds, missing values, split, weights.
    ///
    /// # Errors
    /// What cannot be prepared yet, by key and line.
    pub fn preparation(&self) -> Result<Preparation, Vec<ConfigError>> {
        let filled = self.filled();
        let mut errors = refusals(
            &filled,
            &["input_features", "output_features", "preprocessing"],
        );
        errors.extend(one_output(&filled));
        let root = View::root(&filled);
        let mut inputs = Vec::new();
        if errors.is_empty() {
            for view in root.at("input_features").items() {
                match input_column(&view) {
                    Ok(input) => inputs.push(input),
                    Err(error) => errors.push(error),
                }
            }
        }
        let preprocessing = root.at("preprocessing");
        let weight_column = preprocessing.opt_text("weight_column").map(str::to_owned);
        let outputs = root.at("output_features").items();
        for view in root.at("input_features").items().iter().chain(&outputs) {
            if weight_column.is_some() && Some(column(view)) == weight_column {
                let hint = "a column of weights is neither input nor output";
                errors.push(preprocessing.error(
                    "weight_column",
                    &format!("it is the column of {}", view.path()),
                    Some(hint),
                ));
            }
        }
        match outputs.first() {
            Some(output) if errors.is_empty() => Ok(Preparation {
                inputs,
                target: target(output),
                split: split(&preprocessing.at("split")),
                weight_column,
                sample: sample(&preprocessing),
            }),
            Some(_) | None => Err(errors),
        }
    }
}

fn input_column(view: &View<'_>) -> Result<InputColumn, ConfigError> {
    let preprocessing = view.at("preprocessing");
    let kind = match view.kind() {
        "number" => ColumnKind::Number,
        "binary" => ColumnKind::Binary {
            fallback_true_label: label(&preprocessing, "fallback_true_label"),
        },
        "category" => ColumnKind::Category {
            lowercase: preprocessing.flag("lowercase"),
        },
        "date" => ColumnKind::Date {
            format: preprocessing.opt_text("datetime_format").map(str::to_owned),
        },
        // Every other type was refused; text is what is left.
        _ => {
            let encoder = view.at("encoder");
            ColumnKind::Text {
                lowercase: preprocessing.flag("lowercase"),
                ngrams: encoder.count("ngrams")?,
                char_ngrams: encoder.flag("char_ngrams"),
            }
        }
    };
    Ok(InputColumn {
        name: view.text("name").to_owned(),
        column: column(view),
        missing: missing(&preprocessing)?,
        kind,
    })
}

/// A value of the column, as the text that the table holds.
fn label(view: &View<'_>, key: &str) -> Option<String> {
    match view.at(key).value() {
        Value::String(text) => Some(text.clone()),
        Value::Number(n) => Some(n.to_string()),
        Value::Bool(b) => Some(b.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn target(view: &View<'_>) -> TargetColumn {
    let kind = match view.kind() {
        "binary" => TargetKind::Binary,
        "category" => TargetKind::Category,
        // Every other type was refused; number is what is left.
        _ => TargetKind::Number,
    };
    TargetColumn {
        name: view.text("name").to_owned(),
        column: column(view),
        kind,
        fallback_true_label: label(&view.at("preprocessing"), "fallback_true_label"),
    }
}

fn split(view: &View<'_>) -> Split {
    let column = || view.text("column").to_owned();
    let probabilities = match view.numbers("probabilities")[..] {
        [train, validation, test] => [train, validation, test],
        _ => [0.7, 0.1, 0.2],
    };
    match view.kind() {
        "fixed" => Split::Fixed { column: column() },
        "stratify" => Split::Stratify {
            column: column(),
            probabilities,
        },
        "datetime" => Split::Datetime {
            column: column(),
            probabilities,
        },
        "hash" => Split::Hash {
            column: column(),
            probabilities,
        },
        "group" => Split::Group {
            column: column(),
            probabilities,
        },
        "folds" => Split::Folds {
            column: column(),
            validation: label(view, "validation"),
            test: label(view, "test"),
        },
        _ => Split::Random { probabilities },
    }
}

fn sample(view: &View<'_>) -> Sample {
    let ratio = view.number("sample_ratio");
    match view
        .opt_whole("sample_size")
        .and_then(|n| u64::try_from(n).ok())
    {
        Some(rows) => Sample::Rows(rows),
        None if ratio < 1.0 => Sample::Ratio(ratio),
        None => Sample::All,
    }
}
