//! `input_features`, `output_features` and `defaults`: what each column is, and how it is coded.

use datasets::Kind;
use datasets::infer::{Inference, LeftOut, Role, TargetVerdict, Verdict};
use datasets::profile::{ColumnProfile, Profile};
use serde_json::{Map, Value, json};

use super::draft::Draft;
use crate::output::percent;

/// One-hot up to this many slots, one of which is for missing values (RealMLP, 8 levels and missing).
const ONE_HOT_SLOTS: u64 = 9;
/// The length of the learned vector of a level (RealMLP).
const EMBEDDING: u32 = 8;
/// The length of the vector that a text becomes in the network. Measured on womens_reviews, 16 epochs: test ROC
/// AUC .947 with 4, .945 with 64; and epochs are shorter.
const TEXT_VECTOR: u32 = 8;
/// Words have weights of their own for the output up to this many classes: as many values as a vector of 16.
const DIRECT_CLASSES: usize = 16;
/// From this many rows on, levels seen once or twice are treated as one.
const RARE_FROM_ROWS: u64 = 1_000;

/// Writes the features and their defaults.
pub(super) fn write(
    draft: &mut Draft,
    profile: &Profile,
    inference: &Inference,
    target: &TargetVerdict,
    accuracy: bool,
) {
    let inputs: Vec<Value> = inference
        .inputs()
        .enumerate()
        .map(|(at, verdict)| input(draft, at, verdict, profile))
        .collect();
    draft
        .tree
        .insert("input_features".to_owned(), Value::Array(inputs));
    draft.comment("input_features", left_out(inference));
    let output = output(draft, target, accuracy);
    draft
        .tree
        .insert("output_features".to_owned(), Value::Array(vec![output]));
    defaults(draft, profile, inference, target);
}

fn input(draft: &mut Draft, at: usize, verdict: &Verdict, profile: &Profile) -> Value {
    let path = format!("input_features[{at}]");
    let mut feature = Map::new();
    feature.insert("name".to_owned(), json!(verdict.name));
    feature.insert("type".to_owned(), json!(verdict.kind.name()));
    let column = profile.column(&verdict.name);
    let second = verdict
        .second
        .map_or_else(String::new, |kind| format!("; could be {kind}"));
    let missing = column
        .filter(|column| column.n_missing > 0)
        .map_or_else(String::new, |column| {
            format!("; {} missing", percent(column.missing_share()))
        });
    draft.note(
        &format!("{path}.type"),
        &feature["type"].clone(),
        format!("{}{missing}{second}", verdict.evidence),
    );
    match verdict.kind {
        Kind::Category => {
            let (encoder, why) = category_encoder(column);
            draft.note(&format!("{path}.encoder"), &encoder, why);
            feature.insert("encoder".to_owned(), encoder);
        }
        Kind::Date => {
            if let Some(format) = &verdict.date_format {
                let preprocessing = json!({ "datetime_format": format });
                draft.note(
                    &format!("{path}.preprocessing"),
                    &preprocessing,
                    "the one format that reads the column",
                );
                feature.insert("preprocessing".to_owned(), preprocessing);
            }
        }
        Kind::Number | Kind::Binary | Kind::Text => {}
    }
    Value::Object(feature)
}

/// One-hot or a learned vector, by the number of levels.
fn category_encoder(column: Option<&ColumnProfile>) -> (Value, String) {
    let levels = column.map_or(u64::MAX, |column| column.n_distinct.count());
    let missing = u64::from(column.is_some_and(|column| column.n_missing > 0));
    if levels.saturating_add(missing) < ONE_HOT_SLOTS {
        let and = if missing > 0 { " and missing" } else { "" };
        return (
            json!({ "type": "onehot" }),
            format!("{levels} levels{and}: few enough for a 0/1 slot each"),
        );
    }
    (
        json!({ "type": "dense", "embedding_size": EMBEDDING }),
        format!("{levels} levels: a learned vector each, where one-hot would be wide"),
    )
}

fn output(draft: &mut Draft, target: &TargetVerdict, accuracy: bool) -> Value {
    let mut feature = Map::new();
    feature.insert("name".to_owned(), json!(target.name));
    feature.insert("type".to_owned(), json!(target.kind.name()));
    let classes = classes(target);
    draft.note(
        "output_features[0].type",
        &feature["type"].clone(),
        format!("{}{classes}", target.why),
    );
    if target.kind == Kind::Number {
        let preprocessing = json!({ "normalization": "zscore" });
        draft.note(
            "output_features[0].preprocessing",
            &preprocessing,
            "trained at mean 0 and deviation 1, predicted in the column's own unit",
        );
        feature.insert("preprocessing".to_owned(), preprocessing);
        let loss = json!({ "type": "mean_squared_error" });
        draft.note(
            "output_features[0].loss",
            &loss,
            "what the recipe minimises; it suits root_mean_squared_error and r2",
        );
        feature.insert("loss".to_owned(), loss);
    } else {
        let smoothing = if accuracy { 0.1 } else { 0.0 };
        let why = if accuracy {
            "the metric counts right classes: smoothing helps them (RealMLP)"
        } else {
            "no label smoothing: the metric looks at probabilities or ranks, which it blurs"
        };
        let kind = if target.kind == Kind::Binary {
            "binary_weighted_cross_entropy"
        } else {
            "softmax_cross_entropy"
        };
        let loss = json!({ "type": kind, "label_smoothing": smoothing });
        draft.note("output_features[0].loss", &loss, why);
        feature.insert("loss".to_owned(), loss);
    }
    Value::Object(feature)
}

/// Bounds the predictions of a number by what training has seen; not for a record over time, which may grow.
pub(super) fn bound(draft: &mut Draft) {
    let clip = json!("training_range");
    draft.note(
        "output_features[0].clip",
        &clip,
        "no prediction beyond what was seen: a strange row does no great harm",
    );
    draft.tree["output_features"][0]["clip"] = clip;
}

/// "; classes <=50K (76 %), >50K (24 %)", the first few.
fn classes(target: &TargetVerdict) -> String {
    const SHOWN: usize = 6;
    let rows: u64 = target.classes.iter().map(|(_, n)| n).sum();
    if rows == 0 {
        return String::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "shown as a percentage")]
    let names: Vec<String> = target
        .classes
        .iter()
        .take(SHOWN)
        .map(|(name, n)| format!("{name} ({})", percent(*n as f64 / rows as f64)))
        .collect();
    let more = target.classes.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!(
        "; {} classes: {}{more}",
        target.classes.len(),
        names.join(", ")
    )
}

/// The comment that says which columns are no inputs, and why.
fn left_out(inference: &Inference) -> String {
    let mut lines = vec![
        "What is learned from. Beside each type: what was seen in the whole column.".to_owned(),
    ];
    for verdict in &inference.columns {
        if let Role::LeftOut { why } = &verdict.role {
            let why = match why {
                LeftOut::Constant => "every row holds the same value".to_owned(),
                LeftOut::AllMissing => "no row holds a value".to_owned(),
                LeftOut::UniqueId => "each row has a value of its own, an identifier".to_owned(),
                LeftOut::Duplicate { of } => format!("the same values as {of}, row by row"),
                LeftOut::Asked => "asked for".to_owned(),
            };
            lines.push(format!("Left out: {} ({why}).", verdict.name));
        }
    }
    lines.join("\n")
}

/// What all inputs of a type share; only the types that are there.
fn defaults(draft: &mut Draft, profile: &Profile, inference: &Inference, target: &TargetVerdict) {
    let has = |kind: Kind| inference.inputs().any(|verdict| verdict.kind == kind);
    if has(Kind::Number) {
        let at = |key: &str| format!("defaults.number.preprocessing.{key}");
        draft.set(
            &at("missing_value_strategy"),
            "fill_with_median",
            "the middle says least about a row that says nothing",
        );
        draft.set(
            &at("missing_indicator"),
            true,
            "that a value is missing may itself tell something",
        );
        draft.set(
            &at("normalization"),
            "quantile",
            "ranks on a bell curve: crowded values are spread, wild ones do not squeeze the rest",
        );
        draft.set(
            "defaults.number.encoder.type",
            "periodic",
            "a number becomes itself and learned waves of it: steps and bumps are learned fast (RealMLP's PBLD)",
        );
        draft.set(
            "defaults.number.encoder.frequency_scale",
            0.3,
            "finer waves than the published 0.1: they learn steps sooner, in short trainings",
        );
    }
    if has(Kind::Category) {
        let rare = if profile.n_rows >= RARE_FROM_ROWS {
            3
        } else {
            1
        };
        let why = if rare > 1 {
            "levels seen once or twice teach nothing alone: together they stand for the unseen"
        } else {
            "few rows: every level is kept"
        };
        draft.set("defaults.category.preprocessing.min_count", rare, why);
    }
    if has(Kind::Binary) {
        draft.set(
            "defaults.binary.preprocessing.missing_value_strategy",
            "fill_with_const",
            "a missing value is not taken for false:",
        );
        draft.set(
            "defaults.binary.preprocessing.fill_value",
            "<UNK>",
            "it gets a place of its own, between the two",
        );
    }
    if has(Kind::Date) {
        draft.set("defaults.date.encoder", json!({ "type": "embed", "embedding_size": EMBEDDING }), "a learned vector for each month, day, weekday, hour and minute, and the time that has passed");
    }
    if has(Kind::Text) {
        text(draft, profile.n_rows, target);
    }
}

/// How words are read: a linear model of them beside the network, and a short vector into it.
fn text(draft: &mut Draft, n_rows: u64, target: &TargetVerdict) {
    let at = |key: &str| format!("defaults.text.{key}");
    draft.set(
        &at("preprocessing.lowercase"),
        true,
        "a word is the same at the start of a sentence",
    );
    let n_features = if n_rows >= 10_000 { 1 << 16 } else { 1 << 14 };
    draft.set(
        &at("encoder"),
        json!({ "type": "tf_idf", "n_features": n_features, "ngrams": 2 }),
        format!(
            "words and pairs of words, weighted by how rare they are, hashed into {n_features} slots for {n_rows} rows"
        ),
    );
    draft.set(
        &at("encoder.output_size"),
        TEXT_VECTOR,
        "a short vector: long ones learn the rows by heart, and slowly",
    );
    draft.set(
        &at("encoder.word_dropout"),
        0.5,
        "each step sees half of a text's words: no row is learned by heart",
    );
    let few = target.classes.len() <= DIRECT_CLASSES;
    let why = if few {
        "each word also speaks for itself, past the network: so it is no worse than a linear model of the words"
    } else {
        "with so many classes a weight for each word and class would be too many"
    };
    draft.set(&at("encoder.direct"), few, why);
}
