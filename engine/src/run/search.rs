//! What a search is given, from the config and the plan: candidates, and how trials are scored.

use results::Entry;
use schedulers::{CostClass, Direction};
use search::Metric;
use search::config::hyperopt::{Search, SearchKind};
use search::config::{Comments, Config};
use search::sampler::{Evolution, Grid, Layered, Random, Sampler, Tpe, TpeOptions};
use search::space::{Assignment, Space};
use serde_json::{Map, Value, json};

pub(super) use super::rules::rules;
use super::stage::Stage;
use crate::dispatcher::Candidates;
use crate::error::{Error, Result};
use crate::output::News;
use crate::run_plan::{RunPlan, Verb};

/// Evenly spread points before random ones: enough for every parameter's halves and quarters.
const N_SOBOL: u32 = 64;

/// Scores before a model proposes: what comes first may not have one yet.
const MIN_SCORES: usize = 8;

/// How a run scores.
pub(super) struct Objective {
    pub(super) metric: String,
    pub(super) direction: Direction,
    pub(super) metrics: Vec<String>,
}

/// What is optimised, written into the journal.
pub(super) async fn settle_objective(stage: &Stage<'_>, config: &Config) -> Result<Objective> {
    let objective = objective(stage.plan, config)?;
    let target = config.preparation()?.target;
    let entry = Entry::TargetKnown {
        target: target.column,
        target_kind: target.kind.name().to_owned(),
        metric: objective.metric.clone(),
        maximise: objective.direction == Direction::Maximise,
    };
    stage.write(vec![entry]).await?;
    Ok(objective)
}

/// What is optimised: what the config says, else the default of the target's kind.
pub(super) fn objective(plan: &RunPlan, config: &Config) -> Result<Objective> {
    let target = config.preparation()?.target;
    let metric = match (config.hyperopt()?, &plan.metric) {
        (Some(search), _) => search.metric,
        (None, Some(name)) => Metric::named(name, target.kind).ok_or_else(|| {
            let what = format!("--metric {name} does not fit the target {}", target.name);
            Error::usage(what, "leave it out for the default of the target")
        })?,
        (None, None) => Metric::default_for(target.kind),
    };
    let mut metrics: Vec<String> = Metric::all_for(target.kind).map(Metric::name).collect();
    if !metrics.contains(&metric.name()) {
        metrics.push(metric.name());
    }
    let direction = if metric.maximise() {
        Direction::Maximise
    } else {
        Direction::Minimise
    };
    Ok(Objective {
        metric: metric.name(),
        direction,
        metrics,
    })
}

/// Where configs come from: the baseline, and the sampler over the base config.
pub(super) fn candidates(stage: &Stage<'_>, base: &Config) -> Result<Candidates> {
    let plan = stage.plan;
    let search = base.hyperopt()?.filter(|_| plan.verb == Verb::Search);
    let baseline = match plan.verb {
        Verb::Search => baseline(base),
        Verb::Train | Verb::Tune => None,
    };
    if plan.verb == Verb::Search && baseline.is_none() {
        stage.tell(&News::Warning(
            "this config has no linear baseline; the constant stands until a trial is better"
                .to_owned(),
        ));
    }
    let filled = base.filled();
    let sampler = sampler(
        search.as_ref().map(|hyperopt| &hyperopt.search),
        Some(&|path| base.get(path).or_else(|| filled.get(path)).cloned()),
        plan.seed,
    )?;
    let base = base.concrete();
    let concrete = move |assignment: &Assignment, halvings: u32| {
        let one_line = |errors: Vec<search::ConfigError>| {
            errors
                .iter()
                .map(search::ConfigError::one_line)
                .collect::<Vec<_>>()
                .join("; ")
        };
        let mut config = base.with(assignment).map_err(one_line)?;
        let batch = config
            .filled()
            .get("trainer.batch_size")
            .and_then(Value::as_u64);
        if let (1.., Some(batch)) = (halvings, batch) {
            let halved = (batch >> halvings).max(1);
            config
                .set("trainer.batch_size", json!(halved))
                .map_err(one_line)?;
        }
        config.model().map_err(one_line)?;
        Ok((config.to_yaml(&Comments::new()), class(&config)))
    };
    Ok(Candidates::new(baseline, sampler, Box::new(concrete)))
}

/// What an epoch costs goes with the number of steps first of all, and with the width of the network.
fn class(config: &Config) -> CostClass {
    let filled = config.filled();
    let log2 = |path: &str| {
        filled
            .get(path)
            .and_then(Value::as_u64)
            .map_or(0, |value| value.max(1).ilog2())
    };
    CostClass(log2("trainer.batch_size") * 64 + log2("combiner.output_size"))
}

/// The value that the base config has at a path.
pub(crate) type Written<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// What proposes: what is known to be good first (the base config, of which `written` knows the
/// values, where there is one), then the sampler that is asked for.
pub(crate) fn sampler(
    search: Option<&Search>,
    written: Option<Written<'_>>,
    seed: u64,
) -> Result<Box<dyn Sampler>> {
    let empty = Map::new();
    let parameters = search.map_or(&empty, |search| &search.parameters);
    let space = Space::new(parameters)?;
    let is_grid =
        |domain: &Value| domain.get("space").and_then(Value::as_str) == Some("grid_search");
    if !parameters.is_empty() && parameters.values().all(is_grid) {
        return Ok(Box::new(Grid::new(space)?));
    }
    let default = written.map(|written| {
        let known = |path: &String| Some((path.clone(), written(path)?));
        parameters.keys().filter_map(known).collect::<Assignment>()
    });
    // What a point does not say is as in the base config.
    let points = search.map_or_else(Vec::new, |search| {
        let points = search.search_alg.points_to_evaluate.iter();
        points
            .map(|point| {
                let mut whole = default.clone().unwrap_or_default();
                whole.extend(point.clone());
                space.without_inactive(&whole)
            })
            .collect()
    });
    let default = default.map(|default| space.without_inactive(&default));
    let seed = search
        .and_then(|search| search.search_alg.seed)
        .unwrap_or(seed);
    let seed = search::seed::derive(seed, "sampler", 0);
    let kind = search.map_or(SearchKind::Random, |search| search.search_alg.kind);
    let (n_sobol, last) = last(kind, &space, seed);
    Ok(Box::new(Layered::new(
        &space, default, points, n_sobol, last, seed,
    )))
}

/// How many points of even cover come after those that are known to be good, and what proposes then.
fn last(kind: SearchKind, space: &Space, seed: u64) -> (u32, Box<dyn Sampler>) {
    let space = space.clone();
    match kind {
        SearchKind::Random => (0, Box::new(Random::new(space, seed))),
        SearchKind::Sobol => (N_SOBOL, Box::new(Random::new(space, seed))),
        SearchKind::Tpe {
            n_initial_points,
            gamma,
        } => {
            let options = TpeOptions {
                gamma,
                n_startup: MIN_SCORES,
                ..TpeOptions::default()
            };
            (n_initial_points, Box::new(Tpe::new(space, options, seed)))
        }
        SearchKind::Evolution { population } => {
            let n_sobol = population.min(N_SOBOL);
            (n_sobol, Box::new(Evolution::new(space, population, seed)))
        }
    }
}

/// The linear model on the same features; `None` where the config has what it cannot read.
fn baseline(base: &Config) -> Option<String> {
    let mut tree = base.concrete().value().clone();
    let root = tree.as_object_mut()?;
    for section in ["combiner", "trainer", "hyperopt"] {
        root.shift_remove(section);
    }
    // Numbers and categories have one way into a linear model; how texts become numbers is for the config to say.
    if let Some(defaults) = root.get_mut("defaults").and_then(Value::as_object_mut) {
        defaults.retain(|kind, _| kind == "text");
    }
    root.insert("model_type".to_owned(), json!("linear"));
    let config = Config::from_value(&tree).ok()?;
    config.model().ok()?;
    Some(config.to_yaml(&Comments::new()))
}
