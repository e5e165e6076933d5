//! `Config::model`: what a trial builds and trains.

use super::features::{input, output};
use super::refuse::refusals;
use super::stack::{FC, activation, stack};
use super::trainer::{trainer, validation_metric};
use super::view::View;
use crate::config::document::Config;
use crate::config::model::{Combiner, Input, Linear, Model, Network, Output, Realmlp};
use crate::error::ConfigError;
use crate::metric::TargetKind;

impl Config {
    /// The typed model: what a trial builds and trains, every default in place.
    ///
    /// # Errors
    /// Everything that is of the schema but cannot run yet, by key and line, with what to use in its place.
    pub fn model(&self) -> Result<Model, Vec<ConfigError>> {
        let filled = self.filled();
        let mut errors = refusals(
            &filled,
            &["input_features", "output_features", "combiner", "trainer"],
        );
        errors.extend(one_output(&filled));
        if !errors.is_empty() {
            return Err(errors);
        }
        let root = View::root(&filled);
        let (inputs, output) = features(&root)?;
        if root.text("model_type") == "linear" {
            let trainer = root.at("trainer");
            validation_metric(&trainer, output.target()).map_err(|e| vec![e])?;
            return Ok(Model::Linear(Linear {
                inputs,
                output,
                l2: trainer.number("l2"),
            }));
        }
        network(&root, inputs, output)
    }
}

/// One output can be trained, and no column is learned from and predicted at once.
pub(super) fn one_output(config: &Config) -> Vec<ConfigError> {
    let root = View::root(config);
    let (inputs, outputs) = (
        root.at("input_features").items(),
        root.at("output_features").items(),
    );
    let mut errors = Vec::new();
    if outputs.len() > 1 {
        let what = format!("{} outputs cannot be trained together yet", outputs.len());
        errors.push(root.error("output_features", &what, Some("keep one of them")));
    }
    for input in &inputs {
        let column = input.opt_text("column");
        if outputs.iter().any(|o| o.opt_text("column") == column) {
            let what = format!(
                "column \"{}\" is an input and the output: it would predict itself",
                column.unwrap_or("")
            );
            errors.push(input.error("name", &what, Some("leave it out of the inputs")));
        }
    }
    errors
}

fn features(root: &View<'_>) -> Result<(Vec<Input>, Output), Vec<ConfigError>> {
    let mut errors = Vec::new();
    let mut inputs = Vec::new();
    for view in root.at("input_features").items() {
        match input(&view) {
            Ok(input) => inputs.push(input),
            Err(error) => errors.push(error),
        }
    }
    let outputs = root.at("output_features").items();
    match outputs.first().map(output) {
        Some(Ok(output)) if errors.is_empty() => return Ok((inputs, output)),
        Some(Err(error)) => errors.push(error),
        Some(Ok(_)) | None => {}
    }
    Err(errors)
}

fn network(root: &View<'_>, inputs: Vec<Input>, output: Output) -> Result<Model, Vec<ConfigError>> {
    let mut errors = Vec::new();
    let combiner = combiner(&root.at("combiner"))
        .map_err(|e| errors.push(e))
        .ok();
    let is_realmlp = matches!(combiner, Some(Combiner::Realmlp(_)));
    let target: TargetKind = output.target();
    let trainer = trainer(&root.at("trainer"), target, is_realmlp)
        .map_err(|e| errors.extend(e))
        .ok();
    match (combiner, trainer) {
        (Some(combiner), Some(trainer)) => Ok(Model::Network(Network {
            inputs,
            output,
            combiner,
            trainer,
        })),
        (_, _) => Err(errors),
    }
}

fn combiner(view: &View<'_>) -> Result<Combiner, ConfigError> {
    if view.kind() != "realmlp" {
        return Ok(Combiner::Concat(stack(view, &FC)?));
    }
    let written: Vec<i64> = view
        .at("hidden")
        .value()
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|n| n.as_i64())
        .collect();
    let n: usize = view.count("num_fc_layers")?;
    if n > 1_000 {
        return Err(view.error(
            "num_fc_layers",
            &format!("{n} layers are more than 1000"),
            None,
        ));
    }
    Ok(Combiner::Realmlp(Realmlp {
        hidden: if written.is_empty() {
            vec![view.whole("output_size"); n]
        } else {
            written
        },
        activation: activation(view.opt_text("activation")),
        dropout: view.number("dropout"),
        ntk: view.flag("ntk"),
        scale_layer: view.flag("scale_layer"),
        scale_lr_factor: view.number("scale_lr_factor"),
        bias_lr_factor: view.number("bias_lr_factor"),
        zero_init_last: view.flag("zero_init_last"),
    }))
}
