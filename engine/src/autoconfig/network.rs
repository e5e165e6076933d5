//! `combiner` and `trainer`: the network and how it is trained.
//!
//! RealMLP-TD-S, Holzmüller et al. (2024), "Better by Default": the smallest form of the recipe, whose
//! defaults were tuned on many tables.

use datasets::Kind;
use search::Metric;
use serde_json::{Value, json};

use super::draft::Draft;
use super::wishes::Wishes;

/// The length of training that the recipe was tuned at.
const EPOCHS: u32 = 256;

/// Writes the network and its training.
pub(super) fn write(
    draft: &mut Draft,
    n_train: u64,
    kind: Kind,
    metric: Metric,
    target: &str,
    wishes: &Wishes,
) {
    let number = kind == Kind::Number;
    draft.set("combiner.type", "realmlp", "RealMLP: of networks for tables the best with its defaults alone, and quick to train on cores");
    draft.set(
        "combiner.hidden",
        json!([256, 256, 256]),
        "three layers of 256: the published default",
    );
    draft.set(
        "combiner.activation",
        if number { "mish" } else { "selu" },
        if number {
            "mish for numbers, selu for classes"
        } else {
            "selu for classes, mish for numbers"
        },
    );
    draft.set("combiner.dropout", 0.15, "RealMLP's own default; searched");

    let epochs_why = match wishes.max_epochs {
        Some(_) => "as asked for with --max-epochs",
        None => {
            "the length the recipe was tuned at; a search takes the longest of 256, 128, 64, 32, 16 that lets several trials finish in the time"
        }
    };
    draft.set(
        "trainer.epochs",
        wishes.max_epochs.unwrap_or(EPOCHS),
        epochs_why,
    );
    let batch = batch_size(n_train);
    draft.set(
        "trainer.batch_size",
        batch,
        format!("for {n_train} training rows: 128 below 5,000, 256 below 50,000, else 512"),
    );
    draft.set(
        "trainer.drop_last_batch",
        true,
        "a last batch of a few rows is mostly noise",
    );
    let (rate, why) = learning_rate(draft, number);
    draft.set("trainer.learning_rate", rate, why);
    draft.set("trainer.learning_rate_scheduler.decay", "coslog4", "four waves, each longer than the one before: trials can be compared fairly where a wave ends");
    draft.set(
        "trainer.optimizer",
        json!({ "type": "adamw", "betas": [0.9, 0.95], "weight_decay": 0.02 }),
        "a short memory of squares (0.95) suits the waves; weight decay is searched",
    );
    draft.set(
        "trainer.gradient_clipping",
        json!({ "clipglobalnorm": Value::Null }),
        "none: the recipe does without",
    );
    draft.set(
        "trainer.early_stop",
        -1,
        "trained to the end of the schedule; the best epoch is kept",
    );
    draft.set("trainer.validation_field", target, "the target");
    draft.set(
        "trainer.validation_metric",
        metric.name(),
        "picks the best epoch",
    );
}

/// The rate of the recipe, and why it is that.
fn learning_rate(draft: &Draft, number: bool) -> (f64, &'static str) {
    let has_text = draft.tree["input_features"]
        .as_array()
        .is_some_and(|inputs| inputs.iter().any(|input| input["type"] == "text"));
    match (has_text, number) {
        (true, _) => (
            0.01,
            "lower than the recipe's 0.04: rare words are learned by heart in a few large steps",
        ),
        (false, true) => (
            0.07,
            "the recipe's rate for numbers (0.04 for classes); high, as its layers are scaled for it",
        ),
        (false, false) => (
            0.04,
            "the recipe's rate for classes (0.07 for numbers); high, as its layers are scaled for it",
        ),
    }
}

/// Rows of a step.
pub(super) fn batch_size(n_train: u64) -> u32 {
    match n_train {
        0..5_000 => 128,
        5_000..50_000 => 256,
        _ => 512,
    }
}
