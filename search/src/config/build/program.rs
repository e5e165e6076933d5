//! `Config::program`: the typed config of a program.

use serde_json::Value;

use super::refuse::refusals;
use super::search::searched;
use super::view::View;
use crate::config::document::Config;
use crate::config::hyperopt::Goal;
use crate::config::program::Program;
use crate::error::ConfigError;

impl Config {
    /// The typed config of a program; `None` when the config is that of a model.
    ///
    /// # Errors
    /// What cannot run yet, by key and line.
    pub fn program(&self) -> Result<Option<Program>, Vec<ConfigError>> {
        if !crate::config::edit::is_program(self.value()) {
            return Ok(None);
        }
        let filled = self.filled();
        let errors = refusals(&filled, &["command", "hyperopt"]);
        if !errors.is_empty() {
            return Err(errors);
        }
        let root = View::root(&filled);
        // Without a search the schema's defaults stand: a loss that is made small.
        let (metric, goal, search) = match self.value().get("hyperopt") {
            None => ("loss", "minimize", None),
            Some(_) => {
                let view = root.at("hyperopt");
                let search = searched(&view).map_err(|error| vec![error])?;
                (view.text("metric"), view.text("goal"), Some(search))
            }
        };
        let parameters = self.value().get("parameters").and_then(Value::as_object);
        Ok(Some(Program {
            command: root.text("command").to_owned(),
            parameters: parameters
                .cloned()
                .unwrap_or_default()
                .into_iter()
                .collect(),
            metric: metric.to_owned(),
            goal: if goal == "maximize" {
                Goal::Maximize
            } else {
                Goal::Minimize
            },
            search,
        }))
    }
}
