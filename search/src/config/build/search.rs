//! `Config::hyperopt`: the search.

use serde_json::{Map, Value};

use super::refuse::refusals;
use super::scheduler::scheduler;
use super::view::View;
use crate::config::document::Config;
use crate::config::hyperopt::{Executor, Goal, Hyperopt, Search, SearchAlg, SearchKind, SplitPart};
use crate::error::ConfigError;
use crate::metric::{Metric, TargetKind};

impl Config {
    /// The typed search section; `None` when there is none.
    ///
    /// # Errors
    /// What cannot run yet, by key and line.
    pub fn hyperopt(&self) -> Result<Option<Hyperopt>, Vec<ConfigError>> {
        if self.value().get("hyperopt").is_none() {
            return Ok(None);
        }
        let filled = self.filled();
        let errors = refusals(&filled, &["hyperopt"]);
        if !errors.is_empty() {
            return Err(errors);
        }
        hyperopt(&View::root(&filled))
            .map(Some)
            .map_err(|error| vec![error])
    }
}

fn hyperopt(root: &View<'_>) -> Result<Hyperopt, ConfigError> {
    let view = root.at("hyperopt");
    let (output_feature, metric) = judged(root, &view)?;
    let goal = if metric.maximise() {
        Goal::Maximize
    } else {
        Goal::Minimize
    };
    let part = match view.text("split") {
        "training" => SplitPart::Training,
        "test" => SplitPart::Test,
        _ => SplitPart::Validation,
    };
    if part != SplitPart::Validation {
        let hint = "leave it validation: the training part is known to a trial, the test part is looked at once";
        return Err(view.error(
            "split",
            "trials are judged by the validation part alone",
            Some(hint),
        ));
    }
    Ok(Hyperopt {
        metric,
        goal,
        output_feature,
        part,
        search: searched(&view)?,
    })
}

/// What is searched and how, of the section `hyperopt`.
pub(super) fn searched(view: &View<'_>) -> Result<Search, ConfigError> {
    Ok(Search {
        parameters: view
            .at("parameters")
            .value()
            .as_object()
            .cloned()
            .unwrap_or_default(),
        search_alg: search_alg(&view.at("search_alg"))?,
        executor: executor(&view.at("executor"))?,
        scheduler: scheduler(&view.at("executor").at("scheduler"))?,
    })
}

/// The output that is judged and its metric. `combined` is the only output's own loss.
fn judged(root: &View<'_>, view: &View<'_>) -> Result<(String, Metric), ConfigError> {
    let field = view.text("output_feature");
    let outputs = root.at("output_features").items();
    let output = outputs
        .iter()
        .find(|o| field == "combined" || o.text("name") == field);
    let Some(output) = output.filter(|_| outputs.len() == 1) else {
        return Err(view.error(
            "output_feature",
            "several outputs cannot be searched together yet",
            Some("keep one output"),
        ));
    };
    let kind = match output.kind() {
        "binary" => TargetKind::Binary,
        "category" => TargetKind::Category,
        "number" => TargetKind::Number,
        other => {
            let what = format!("an output of type {other} cannot be trained yet");
            return Err(output.error(
                "type",
                &what,
                Some("binary, category and number targets can be trained"),
            ));
        }
    };
    let name = view.text("metric");
    let metric = Metric::named(name, kind).ok_or_else(|| {
        let known: Vec<String> = Metric::all_for(kind).map(Metric::name).collect();
        let hint = format!("use {}", crate::config::describe::one_of(&known));
        view.error(
            "metric",
            &format!("metric {name} cannot be computed yet"),
            Some(&hint),
        )
    })?;
    Ok((output.text("name").to_owned(), metric))
}

fn search_alg(view: &View<'_>) -> Result<SearchAlg, ConfigError> {
    let points = view.at("points_to_evaluate");
    let points_to_evaluate: Vec<Map<String, Value>> = points
        .value()
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|p| p.as_object().cloned())
        .collect();
    let (kind, seed) = match view.kind() {
        "sobol" => (SearchKind::Sobol, "seed"),
        "tpe" => {
            let kind = SearchKind::Tpe {
                n_initial_points: view.count("n_initial_points")?,
                gamma: view.number("gamma"),
            };
            (kind, "seed")
        }
        "hyperopt" => {
            let kind = SearchKind::Tpe {
                n_initial_points: view.count("n_initial_points")?,
                gamma: GAMMA,
            };
            (kind, "random_state_seed")
        }
        // Of other libraries only the name is taken: their keys mean something else there.
        "optuna" | "bohb" => (TPE, "seed"),
        "evolution" => {
            let population = view.count("population")?;
            (SearchKind::Evolution { population }, "seed")
        }
        _ => (SearchKind::Random, "random_state"),
    };
    Ok(SearchAlg {
        kind,
        points_to_evaluate,
        seed: view.opt_whole(seed).and_then(|n| u64::try_from(n).ok()),
    })
}

/// The Parzen estimator as it is without keys of its own; a test holds it to the schema.
const TPE: SearchKind = SearchKind::Tpe {
    n_initial_points: 8,
    gamma: GAMMA,
};
const GAMMA: f64 = 0.07;

fn executor(view: &View<'_>) -> Result<Executor, ConfigError> {
    let opt = |key: &str| {
        view.opt_whole(key)
            .map(|_| view.count::<u32>(key))
            .transpose()
    };
    Ok(Executor {
        num_samples: opt("num_samples")?,
        time_budget_s: view.opt_number("time_budget_s"),
        max_concurrent_trials: opt("max_concurrent_trials")?,
    })
}
