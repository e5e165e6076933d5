//! `hyperopt`: what is searched, by what, for how long.
//!
//! The space is RealMLP's own, from the paper and its follow-ups, around the values of the base config.

use datasets::Kind;
use datasets::infer::Inference;
use search::Metric;
use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::network::batch_size;
use super::wishes::Wishes;

/// Writes the search.
pub(super) fn write(
    draft: &mut Draft,
    inference: &Inference,
    n_train: u64,
    kind: Kind,
    metric: Metric,
    target: &str,
    wishes: &Wishes,
) {
    let goal = if metric.maximise() {
        "maximize"
    } else {
        "minimize"
    };
    let why = if wishes.metric.is_some() {
        "as asked for with --metric"
    } else {
        "the default for this kind of target: roc_auc for two classes, log_loss for more, root_mean_squared_error for numbers"
    };
    draft.set(
        "hyperopt.goal",
        goal,
        format!(
            "{} is better",
            if metric.maximise() { "more" } else { "less" }
        ),
    );
    draft.set("hyperopt.metric", metric.name(), why);
    draft.set("hyperopt.output_feature", target, "the target");
    draft.set(
        "hyperopt.split",
        "validation",
        "trials are judged here, never on the test part",
    );
    parameters(draft, inference, n_train, kind, metric, target);
    let (sampler, why) = match wishes.sampler.as_deref() {
        Some(sampler) => (
            sampler,
            "as asked for with --sampler; the values of this file are tried first",
        ),
        None => (
            "tpe",
            "the values of this file first, then a few that fill the space evenly, then what good trials have in common",
        ),
    };
    draft.set("hyperopt.search_alg.type", sampler, why);
    draft.set(
        "hyperopt.executor.type",
        "local",
        "trials are processes on this machine",
    );
    let trials = wishes.max_trials.map_or(Value::Null, Value::from);
    draft.set(
        "hyperopt.executor.num_samples",
        trials,
        if wishes.max_trials.is_some() {
            "as asked for with --max-trials"
        } else {
            "as many trials as the time allows"
        },
    );
    let budget = wishes
        .budget
        .map_or(Value::Null, |budget| json!(budget.as_secs_f64()));
    draft.set(
        "hyperopt.executor.time_budget_s",
        budget,
        if wishes.budget.is_some() {
            "from the command to the prompt, as asked for with --budget"
        } else {
            "no time limit"
        },
    );
    scheduler(draft, wishes);
}

fn scheduler(draft: &mut Draft, wishes: &Wishes) {
    let at = |key: &str| format!("hyperopt.executor.scheduler.{key}");
    if wishes.scheduler.as_deref() == Some("fifo") {
        draft.set(
            &at("type"),
            "fifo",
            "as asked for with --scheduler: every trial is trained to its end",
        );
        return;
    }
    if let Some((kind, why)) = match wishes.scheduler.as_deref() {
        Some("hyperband") => Some((
            "hyperband",
            "as asked for with --scheduler: rungs wait until all of their bracket are in",
        )),
        Some("median") => Some((
            "median_stopping_rule",
            "as asked for with --scheduler: who is worse than half of the others ends",
        )),
        Some(_) | None => None,
    } {
        draft.set(&at("type"), kind, why);
        draft.set(
            &at("time_attr"),
            "training_iteration",
            "epochs are counted, so that a busy machine changes no verdict",
        );
        if kind == "hyperband" {
            draft.set(
                &at("max_t"),
                Value::Null,
                "chosen by the run, from the measured speed and the time",
            );
        } else {
            draft.set(&at("grace_period"), 4, "the first epochs say little");
        }
        return;
    }
    let (variant, why) = match wishes.scheduler.as_deref() {
        Some("asha-stopping") => (
            "stopping",
            "as asked for with --scheduler: a trial that falls behind ends",
        ),
        _ => (
            "promotion",
            "a trial waits at each rung and goes on when it is among the best: nothing promising is lost",
        ),
    };
    draft.set(
        &at("type"),
        "async_hyperband",
        "ASHA: many short trials, few long ones, and no slot ever waits",
    );
    draft.set(&at("variant"), variant, why);
    draft.set(
        &at("reduction_factor"),
        3,
        "the best third of a rung goes on",
    );
    draft.set(
        &at("guard"),
        true,
        "some trials skip the first rung, to measure what it is worth: where it misleads, it is given up",
    );
    draft.set(
        &at("time_attr"),
        "training_iteration",
        "rungs count epochs, so that a busy machine changes no verdict",
    );
    draft.set(
        &at("max_t"),
        Value::Null,
        "chosen by the run, from the measured speed and the time",
    );
    draft.set(
        &at("grace_period"),
        Value::Null,
        "chosen by the run: the end of the first wave of the learning rate",
    );
}

/// The parameters that are searched, each with its domain.
fn parameters(
    draft: &mut Draft,
    inference: &Inference,
    n_train: u64,
    kind: Kind,
    metric: Metric,
    target: &str,
) {
    let choice = |values: Value| json!({ "space": "choice", "categories": values });
    let batch = batch_size(n_train);
    let smoothing = format!("{target}.loss.label_smoothing");
    let mut all: Vec<(&str, Value, &str)> = vec![
        (
            "trainer.learning_rate",
            json!({ "space": "loguniform", "lower": 0.003, "upper": 0.3 }),
            "matters most; the recipe's own range is 0.02 to 0.3, and text wants less",
        ),
        (
            "combiner.hidden",
            choice(json!([
                [256, 256, 256],
                [64, 64, 64, 64, 64],
                [512],
                [512, 256, 128],
                [128, 128]
            ])),
            "deep, wide and small ones",
        ),
        (
            "combiner.activation",
            choice(json!(["selu", "mish", "relu"])),
            "the recipe's three",
        ),
        (
            "combiner.dropout",
            choice(json!([0.0, 0.15, 0.3])),
            "against overfitting",
        ),
        (
            "trainer.optimizer.weight_decay",
            choice(json!([0.0, 0.02])),
            "against overfitting, more gently",
        ),
        (
            "trainer.batch_size",
            choice(json!([batch / 2, batch, batch * 2])),
            "half and double: steps that are noisier or calmer",
        ),
    ];
    if inference
        .inputs()
        .any(|verdict| verdict.kind == Kind::Number)
    {
        all.push((
            "defaults.number.preprocessing.normalization",
            choice(json!(["robust", "quantile"])),
            "quantile spreads crowded values further",
        ));
    }
    // A dot in the target's name would break the path.
    if kind != Kind::Number && metric == Metric::Accuracy && !target.contains('.') {
        all.push((&smoothing, choice(json!([0.0, 0.1])), "the recipe's two"));
    }
    let mut map = Map::new();
    for (path, domain, why) in all {
        draft.note(&format!("hyperopt.parameters.{path}"), &domain, why);
        map.insert(path.to_owned(), domain);
    }
    draft.set(
        "hyperopt.parameters",
        Value::Object(map),
        "what is searched, by dotted path; delete a line to fix its value",
    );
}
