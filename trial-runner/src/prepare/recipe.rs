//! From the preparation of a config to a recipe for arrays.

use datasets::encode::{InputKind, InputPlan, RowFill, TargetKind, TargetPlan, Terms};
use datasets::split::{Shares, SplitSpec, TestFold};
use datasets::store::{Recipe, Sample};
use schedulers::protocol::PrepareSpec;
use search::config::model::Missing;
use search::config::preparation::{self, ColumnKind, InputColumn, Preparation, Split};

use crate::error::Result;

/// The recipe for a preparation under what the command line says of the parts.
pub fn recipe(preparation: &Preparation, spec: &PrepareSpec) -> Result<Recipe> {
    let Preparation {
        inputs,
        target,
        split,
        weight_column,
        sample,
    } = preparation;
    Ok(Recipe {
        inputs: inputs.iter().map(input).collect(),
        target: TargetPlan {
            name: target.name.clone(),
            column: target.column.clone(),
            kind: match target.kind {
                search::metric::TargetKind::Binary => TargetKind::Binary,
                search::metric::TargetKind::Category => TargetKind::Category,
                search::metric::TargetKind::Number => TargetKind::Number,
            },
            true_label: target.fallback_true_label.clone(),
        },
        weight: weight_column.clone(),
        sample: match *sample {
            preparation::Sample::All => Sample::All,
            preparation::Sample::Ratio(share) => Sample::Ratio(share),
            preparation::Sample::Rows(rows) => Sample::Rows(rows),
        },
        split: divided(split, spec)?,
        seed: spec.seed,
    })
}

fn input(input: &InputColumn) -> InputPlan {
    InputPlan {
        name: input.name.clone(),
        column: input.column.clone(),
        missing: match input.missing {
            Missing::DropRow => RowFill::Drop,
            Missing::ForwardFill => RowFill::Forward,
            Missing::BackFill => RowFill::Backward,
            Missing::Const(_)
            | Missing::Mode
            | Missing::Mean
            | Missing::Median
            | Missing::False
            | Missing::True => RowFill::Keep,
        },
        kind: match &input.kind {
            ColumnKind::Number => InputKind::Number,
            ColumnKind::Binary {
                fallback_true_label,
            } => InputKind::Binary {
                true_label: fallback_true_label.clone(),
            },
            ColumnKind::Category { lowercase } => InputKind::Category {
                lowercase: *lowercase,
            },
            ColumnKind::Date { format } => InputKind::Date {
                format: format.clone(),
            },
            ColumnKind::Text {
                lowercase,
                ngrams,
                char_ngrams,
            } => InputKind::Text {
                terms: Terms {
                    lowercase: *lowercase,
                    pairs: *ngrams >= 2,
                    characters: *char_ngrams,
                },
            },
        },
    }
}

/// The split, without the parts that have a table of their own or are not wanted.
fn divided(split: &Split, spec: &PrepareSpec) -> Result<SplitSpec> {
    let tests = !spec.no_test && spec.test_table.is_none();
    let validates = spec.validation_table.is_none();
    let shares = |probabilities: &[f64; 3]| {
        let all = Shares::new(*probabilities).map_err(datasets::Error::from)?;
        let all = if tests { all } else { all.without_test() };
        Ok::<_, crate::error::Error>(if validates {
            all
        } else {
            all.without_validation()
        })
    };
    Ok(match split {
        Split::Random { probabilities } => SplitSpec::Random {
            shares: shares(probabilities)?,
        },
        Split::Stratify {
            column,
            probabilities,
        } => SplitSpec::Stratify {
            column: column.clone(),
            shares: shares(probabilities)?,
        },
        Split::Fixed { column } => SplitSpec::Fixed {
            column: column.clone(),
        },
        Split::Datetime {
            column,
            probabilities,
        } => SplitSpec::Datetime {
            column: column.clone(),
            format: None,
            shares: shares(probabilities)?,
        },
        Split::Hash {
            column,
            probabilities,
        } => SplitSpec::Hash {
            column: column.clone(),
            shares: shares(probabilities)?,
        },
        Split::Group {
            column,
            probabilities,
        } => SplitSpec::Group {
            column: column.clone(),
            shares: shares(probabilities)?,
        },
        Split::Folds {
            column,
            validation,
            test,
        } => SplitSpec::Folds {
            column: column.clone(),
            validation: validation.clone(),
            test: match test {
                _ if !tests => TestFold::None,
                None => TestFold::Last,
                Some(fold) => TestFold::Named(fold.clone()),
            },
        },
    })
}
