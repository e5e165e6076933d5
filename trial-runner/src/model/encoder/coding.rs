//! What is learned from the training rows before any training: one coding an input.

use datasets::encode::{
    CategoryCoding, CategorySpec, Feature, Fill, Normalization, NumberCoding, NumberSpec, Schema,
    Slot, TargetScale, TextCoding, date,
};
use search::config::model as config;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::model::arrays::Arrays;

/// The codings of all inputs and the scale of the target: `encodings.json` of a model folder. With the
/// schema they are enough to read a new table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codings {
    /// How a table becomes arrays.
    pub schema: Schema,
    /// One an input, in the order of the config.
    pub inputs: Vec<Coding>,
    /// The scale of a number target.
    pub target: Option<TargetScale>,
}

/// The coding of one input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Coding {
    /// A number.
    Number {
        /// Where it stands in the array of numbers.
        at: usize,
        /// How it is filled and scaled.
        coding: NumberCoding,
    },
    /// Two values.
    Binary {
        /// Where it stands in the array of numbers.
        at: usize,
        /// What stands for a missing value: 0 for false, 1 for true, between them for neither.
        fill: f32,
    },
    /// One of a set of values.
    Category {
        /// Where it stands in the array of categories.
        at: usize,
        /// The slot of each code.
        coding: CategoryCoding,
        /// The slot that stands for a missing value.
        missing: u32,
        /// For each slot, whether a training row has it.
        occurs: Vec<bool>,
    },
    /// A point in time.
    Date {
        /// Where its first part stands in the array of numbers.
        at: usize,
        /// How each part is filled and scaled.
        parts: Vec<NumberCoding>,
    },
    /// Words.
    Text {
        /// Which text column.
        at: usize,
        /// The weights of its terms.
        coding: TextCoding,
    },
}

impl Codings {
    /// Fits the inputs of a network on `rows` of the arrays; `target` is read for a number output only.
    pub fn fit(
        network: &config::Network,
        schema: &Schema,
        arrays: &Arrays<'_>,
        target: &[f32],
        rows: &[u32],
    ) -> Result<Self> {
        let features = network
            .inputs
            .iter()
            .map(|input| find(schema, input))
            .collect::<Result<Vec<_>>>()?;
        let mut numbers = fit_numbers(&network.inputs, &features, arrays, rows);
        let mut inputs = Vec::with_capacity(features.len());
        for (input, feature) in network.inputs.iter().zip(&features) {
            inputs.push(match (&input.kind, &feature.slot) {
                (config::InputKind::Number { .. }, &Slot::Number { at, .. }) => {
                    Coding::Number { at, coding: numbers.next().expect("one was fitted for each number") }
                }
                (config::InputKind::Date { .. }, &Slot::Date { at, .. }) => {
                    Coding::Date { at, parts: numbers.by_ref().take(date::PARTS.len()).collect() }
                }
                (config::InputKind::Binary { .. }, &Slot::Binary { at, .. }) => {
                    Coding::Binary { at, fill: binary_fill(&input.missing, arrays, at, rows) }
                }
                (&config::InputKind::Category { most_common, min_count, .. }, Slot::Category { at, levels, .. }) => {
                    let spec = CategorySpec { most_common, min_rows: min_count };
                    category(input, *at, levels, spec, arrays, rows)
                }
                (config::InputKind::Text { encoder }, &Slot::Text { at, .. }) => {
                    let config::TextEncoder::TfIdf { n_features, .. } = encoder;
                    Coding::Text { at, coding: TextCoding::fit(arrays.texts[at], rows, *n_features as usize) }
                }
                (
                    config::InputKind::Number { .. }
                    | config::InputKind::Date { .. }
                    | config::InputKind::Binary { .. }
                    | config::InputKind::Category { .. }
                    | config::InputKind::Text { .. },
                    slot,
                ) => {
                    return Err(Error::Config(format!(
                        "input feature \"{}\" was prepared as a {:?}, and the config has another type for it",
                        input.name,
                        slot.kind()
                    )
                    .to_lowercase()));
                }
            });
        }
        let target = match network.output.kind {
            config::OutputKind::Number { .. } => Some(TargetScale::fit(target, rows)),
            config::OutputKind::Binary { .. } | config::OutputKind::Category { .. } => None,
        };
        Ok(Self {
            schema: schema.clone(),
            inputs,
            target,
        })
    }
}

impl Codings {
    /// Whether the codings stay inside the arrays of their schema. Holds for what `fit` makes; checked on
    /// what is read from disk.
    pub fn is_consistent(&self) -> bool {
        let schema = &self.schema;
        self.inputs.iter().all(|input| match input {
            Coding::Number { at, .. } | Coding::Binary { at, .. } => *at < schema.n_numbers,
            Coding::Date { at, parts } => at.saturating_add(parts.len()) <= schema.n_numbers,
            Coding::Category {
                at,
                coding,
                missing,
                occurs,
            } => {
                *at < schema.n_categories
                    && coding.is_consistent()
                    && (*missing as usize) < coding.n_slots()
                    && occurs.len() == coding.n_slots()
            }
            Coding::Text { at, coding } => *at < schema.n_texts && !coding.idf.is_empty(),
        })
    }

    /// Takes from dates what only ever grows, the year and the time that has passed: to be called where rows
    /// are divided by time, since every later value is then new and a network goes astray on it. On
    /// traffic_volume R2 of the later rows rises from .921 to .934.
    pub fn without_trend(&mut self) {
        for input in &mut self.inputs {
            if let Coding::Date { parts, .. } = input {
                for (coding, part) in parts.iter_mut().zip(date::PARTS) {
                    if ["elapsed_days", "year"].contains(&part) {
                        coding.factor = 0.0;
                    }
                }
            }
        }
    }
}

fn find<'a>(schema: &'a Schema, input: &config::Input) -> Result<&'a Feature> {
    schema.feature(&input.name).ok_or_else(|| {
        Error::Config(format!(
            "input feature \"{}\" is not among the prepared arrays",
            input.name
        ))
    })
}

/// Fits all numbers and parts of dates in one pass over the rows, in the order of the inputs.
fn fit_numbers(
    inputs: &[config::Input],
    features: &[&Feature],
    arrays: &Arrays<'_>,
    rows: &[u32],
) -> std::vec::IntoIter<NumberCoding> {
    let mut specs = Vec::new();
    for (input, feature) in inputs.iter().zip(features) {
        let spec = match input.kind {
            config::InputKind::Number {
                normalization,
                clip,
                missing_indicator,
                ..
            } => NumberSpec {
                normalization: scaling(normalization),
                fill: number_fill(&input.missing).written(feature.slot.recode()),
                clip,
                indicator: missing_indicator,
            },
            config::InputKind::Date { .. } => NumberSpec {
                normalization: Normalization::Zscore,
                fill: Fill::Mean,
                clip: true,
                indicator: false,
            },
            config::InputKind::Binary { .. }
            | config::InputKind::Category { .. }
            | config::InputKind::Text { .. } => {
                continue;
            }
        };
        specs.extend(feature.slot.numbers().map(|at| (at, spec)));
    }
    NumberCoding::fit(arrays.numbers, arrays.n_numbers, rows, &specs).into_iter()
}

/// How a number is scaled.
pub(crate) fn scaling(asked: config::Normalization) -> Normalization {
    match asked {
        config::Normalization::None => Normalization::None,
        config::Normalization::Zscore => Normalization::Zscore,
        config::Normalization::Minmax => Normalization::Minmax,
        config::Normalization::Log1p => Normalization::Log1p,
        config::Normalization::Iq => Normalization::Iq,
        config::Normalization::Robust => Normalization::Robust,
        config::Normalization::Quantile => Normalization::Quantile,
    }
}

/// What fills a number. After a fill by neighbours or the dropping of rows a missing value can only come
/// from a new table: it gets the mean.
pub(crate) fn number_fill(missing: &config::Missing) -> Fill {
    match missing {
        config::Missing::Const(config::FillValue::Number(value)) => Fill::Constant(*value),
        config::Missing::Const(config::FillValue::Text(text)) => {
            text.trim().parse().map_or(Fill::Mean, Fill::Constant)
        }
        config::Missing::Mode => Fill::Mode,
        config::Missing::Median => Fill::Median,
        config::Missing::False => Fill::Constant(0.0),
        config::Missing::True => Fill::Constant(1.0),
        config::Missing::Mean
        | config::Missing::BackFill
        | config::Missing::ForwardFill
        | config::Missing::DropRow => Fill::Mean,
    }
}

/// What fills a binary: a constant, or the mode where none is named.
fn binary_fill(missing: &config::Missing, arrays: &Arrays<'_>, at: usize, rows: &[u32]) -> f32 {
    match missing {
        config::Missing::False => 0.0,
        config::Missing::True => 1.0,
        config::Missing::Const(config::FillValue::Number(value)) if *value > 0.5 => 1.0,
        config::Missing::Const(config::FillValue::Number(_)) => 0.0,
        config::Missing::Const(config::FillValue::Text(_))
        | config::Missing::Mean
        | config::Missing::Median => 0.5,
        config::Missing::Mode
        | config::Missing::BackFill
        | config::Missing::ForwardFill
        | config::Missing::DropRow => {
            let (mut high, mut low) = (0, 0);
            for &row in rows {
                let x = arrays.numbers_of(row)[at];
                high += usize::from(x > 0.5);
                low += usize::from(x <= 0.5);
            }
            if high > low { 1.0 } else { 0.0 }
        }
    }
}

fn category(
    input: &config::Input,
    at: usize,
    levels: &[String],
    spec: CategorySpec,
    arrays: &Arrays<'_>,
    rows: &[u32],
) -> Coding {
    let coding = CategoryCoding::fit(
        arrays.categories,
        arrays.n_categories,
        at,
        levels.len(),
        rows,
        spec,
    );
    let missing = match &input.missing {
        config::Missing::Mode if coding.n_kept > 0 => 1,
        config::Missing::Const(value) => {
            let text = match value {
                config::FillValue::Number(value) => value.to_string(),
                config::FillValue::Text(text) => text.clone(),
            };
            let code = levels
                .iter()
                .position(|level| *level == text)
                .map(|place| place + 1);
            code.and_then(|code| coding.slots.get(code))
                .copied()
                .unwrap_or(0)
        }
        config::Missing::Mode
        | config::Missing::Mean
        | config::Missing::Median
        | config::Missing::False
        | config::Missing::True
        | config::Missing::BackFill
        | config::Missing::ForwardFill
        | config::Missing::DropRow => 0,
    };
    let mut occurs = vec![false; coding.n_slots()];
    for &row in rows {
        let slot = coding.slot(arrays.code(row, at));
        occurs[if slot == 0 { missing } else { slot } as usize] = true;
    }
    Coding::Category {
        at,
        coding,
        missing,
        occurs,
    }
}
