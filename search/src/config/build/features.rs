//! Input and output features as their typed views.

use std::collections::BTreeMap;

use serde_json::Value;

use super::stack::{DECODER, DENSE, FC, stack};
use super::view::View;
use crate::config::model::{
    BinaryEncoder, CategoryEncoder, ClassWeights, Clip, DateEncoder, FillValue, Input, InputKind,
    Missing, Normalization, NumberEncoder, NumberLoss, Output, OutputKind, TextEncoder,
};
use crate::error::ConfigError;

/// An input feature.
pub(super) fn input(view: &View<'_>) -> Result<Input, ConfigError> {
    let preprocessing = view.at("preprocessing");
    let encoder = view.at("encoder");
    let kind = match view.kind() {
        "number" => InputKind::Number {
            normalization: normalization(preprocessing.opt_text("normalization")),
            clip: preprocessing.flag("clip"),
            missing_indicator: preprocessing.flag("missing_indicator"),
            encoder: match encoder.kind() {
                "dense" => NumberEncoder::Dense(stack(&encoder, &DENSE)?),
                "periodic" => NumberEncoder::Periodic {
                    n_frequencies: encoder.count("n_frequencies")?,
                    frequency_scale: encoder.number("frequency_scale"),
                    output_size: encoder.count("output_size")?,
                },
                _ => NumberEncoder::Passthrough,
            },
        },
        "binary" => InputKind::Binary {
            encoder: match encoder.kind() {
                "dense" => BinaryEncoder::Dense(stack(&encoder, &DENSE)?),
                _ => BinaryEncoder::Passthrough,
            },
        },
        "category" => InputKind::Category {
            most_common: preprocessing.count("most_common")?,
            min_count: preprocessing.count("min_count")?,
            encoder: match encoder.kind() {
                "onehot" => CategoryEncoder::Onehot,
                "sparse" => CategoryEncoder::Sparse,
                "passthrough" => CategoryEncoder::Passthrough,
                _ => CategoryEncoder::Dense {
                    embedding_size: encoder.whole("embedding_size"),
                    dropout: encoder.number("dropout"),
                },
            },
        },
        "date" => InputKind::Date {
            encoder: match encoder.kind() {
                "wave" => DateEncoder::Wave {
                    fc: stack(&encoder, &FC)?,
                },
                _ => DateEncoder::Embed {
                    embedding_size: encoder.whole("embedding_size"),
                    fc: stack(&encoder, &FC)?,
                },
            },
        },
        // Every other type was refused; text is what is left.
        _ => InputKind::Text {
            encoder: text_encoder(&encoder)?,
        },
    };
    Ok(Input {
        name: view.text("name").to_owned(),
        column: column(view),
        missing: missing(&preprocessing)?,
        kind,
    })
}

/// The column of a feature.
pub(super) fn column(view: &View<'_>) -> String {
    view.opt_text("column")
        .unwrap_or(view.text("name"))
        .to_owned()
}

fn text_encoder(view: &View<'_>) -> Result<TextEncoder, ConfigError> {
    let n_features: u32 = view.count("n_features")?;
    if !n_features.is_power_of_two() {
        let near = n_features.next_power_of_two();
        return Err(view.error(
            "n_features",
            &format!("{n_features} is no power of two"),
            Some(&format!("use {near}")),
        ));
    }
    Ok(TextEncoder::TfIdf {
        n_features,
        output_size: view.whole("output_size"),
        ngrams: view.count("ngrams")?,
        char_ngrams: view.flag("char_ngrams"),
        word_dropout: view.number("word_dropout"),
        direct: view.flag("direct"),
    })
}

fn normalization(name: Option<&str>) -> Normalization {
    match name {
        Some("zscore") => Normalization::Zscore,
        Some("minmax") => Normalization::Minmax,
        Some("log1p") => Normalization::Log1p,
        Some("iq") => Normalization::Iq,
        Some("robust") => Normalization::Robust,
        Some("quantile") => Normalization::Quantile,
        Some(_) | None => Normalization::None,
    }
}

/// What stands in for missing values, from the preprocessing of an input.
pub(super) fn missing(preprocessing: &View<'_>) -> Result<Missing, ConfigError> {
    Ok(match preprocessing.text("missing_value_strategy") {
        "fill_with_mode" => Missing::Mode,
        "fill_with_mean" => Missing::Mean,
        "fill_with_median" => Missing::Median,
        "fill_with_false" => Missing::False,
        "fill_with_true" => Missing::True,
        "bfill" => Missing::BackFill,
        "ffill" => Missing::ForwardFill,
        "drop_row" => Missing::DropRow,
        // fill_with_const is what is left.
        _ => match preprocessing.at("fill_value").value() {
            Value::Number(n) => Missing::Const(FillValue::Number(n.as_f64().unwrap_or(0.0))),
            Value::String(text) => Missing::Const(FillValue::Text(text.clone())),
            Value::Bool(b) => Missing::Const(FillValue::Number(f64::from(u8::from(*b)))),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                return Err(preprocessing.error(
                    "fill_value",
                    "fill_with_const needs a value to fill in",
                    Some("write fill_value"),
                ));
            }
        },
    })
}

/// The output feature.
pub(super) fn output(view: &View<'_>) -> Result<Output, ConfigError> {
    let (loss, decoder) = (view.at("loss"), view.at("decoder"));
    let kind = match view.kind() {
        "binary" => OutputKind::Binary {
            positive_class_weight: loss.opt_number("positive_class_weight"),
            label_smoothing: loss.number("label_smoothing"),
            threshold: view.number("threshold"),
        },
        "category" => OutputKind::Category {
            class_weights: class_weights(loss.at("class_weights").value()),
            label_smoothing: loss.number("label_smoothing"),
        },
        // Every other type was refused; number is what is left.
        _ => OutputKind::Number {
            loss: number_loss(&loss),
            normalization: normalization(view.at("preprocessing").opt_text("normalization")),
            clip: clip(view)?,
        },
    };
    let use_bias = decoder.flag("use_bias");
    Ok(Output {
        name: view.text("name").to_owned(),
        column: column(view),
        kind,
        fc: stack(&decoder, &DECODER)?,
        use_bias,
    })
}

fn class_weights(value: &Value) -> ClassWeights {
    match value {
        Value::Array(items) => {
            ClassWeights::ByIndex(items.iter().filter_map(Value::as_f64).collect())
        }
        Value::Object(map) => ClassWeights::ByClass(
            map.iter()
                .filter_map(|(class, w)| Some((class.clone(), w.as_f64()?)))
                .collect::<BTreeMap<_, _>>(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => ClassWeights::Equal,
    }
}

fn number_loss(view: &View<'_>) -> NumberLoss {
    match view.kind() {
        "mean_absolute_error" => NumberLoss::MeanAbsoluteError,
        "mean_absolute_percentage_error" => NumberLoss::MeanAbsolutePercentageError,
        "root_mean_squared_error" => NumberLoss::RootMeanSquaredError,
        "root_mean_squared_percentage_error" => NumberLoss::RootMeanSquaredPercentageError,
        "huber" => NumberLoss::Huber {
            delta: view.number("delta"),
        },
        // Every other loss was refused; this is what is left.
        _ => NumberLoss::MeanSquaredError,
    }
}

fn clip(view: &View<'_>) -> Result<Option<Clip>, ConfigError> {
    if view.opt_text("clip").is_some() {
        return Ok(Some(Clip::TrainingRange));
    }
    match view.numbers("clip")[..] {
        [low, high] if low < high => Ok(Some(Clip::Range(low, high))),
        [low, high] => Err(view.error(
            "clip",
            &format!("the lower bound {low} is not below the upper one {high}"),
            Some("write [lower, upper]"),
        )),
        _ => Ok(None),
    }
}
