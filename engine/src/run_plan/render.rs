//! The plan in words and as a record.

use std::time::Duration;

use serde_json::{Value, json};

use super::{RunPlan, Verb};

impl RunPlan {
    /// The plan for people: what was understood, a line each.
    pub fn lines(&self) -> Vec<String> {
        let verb = match self.verb {
            Verb::Search => "search",
            Verb::Train => "train one config",
            Verb::Tune => "tune",
        };
        let mut lines = vec![format!(
            "{verb} {}{}{}",
            if self.verb == Verb::Tune { "" } else { "on " },
            self.dataset,
            self.target
                .as_ref()
                .map_or_else(String::new, |target| format!(", target {target}"))
        )];
        let mut limits: Vec<String> = Vec::new();
        limits.extend(
            self.limits
                .budget
                .map(|budget| format!("{} from command to prompt", seconds(budget))),
        );
        limits.extend(
            self.limits
                .max_trials
                .filter(|_| self.verb != Verb::Train)
                .map(|n| format!("at most {n} trials")),
        );
        limits.extend(self.limits.max_epochs.map(|n| format!("{n} epochs")));
        if !limits.is_empty() {
            lines.push(format!("limits: {}", limits.join(", ")));
        }
        let threads = self.slots.first().map_or(1, |slot| slot.cpus.len());
        let gpus = self.slots.iter().filter(|slot| slot.gpu.is_some()).count();
        let on = if gpus > 0 { "GPU" } else { "CPU" };
        lines.push(format!(
            "slots: {} on the {on}, {threads} thread{} each; seed {}",
            self.slots.len(),
            if threads == 1 { "" } else { "s" },
            self.seed
        ));
        lines
    }

    /// The whole plan, for the run's record.
    pub fn to_json(&self) -> Value {
        json!({
            "verb": self.verb.word(),
            "version": env!("CARGO_PKG_VERSION"),
            "command_line": self.command_line,
            "name": self.name,
            "folder": self.folder,
            "cache": self.cache,
            "trial_binary": self.trial_binary,
            "dataset": self.dataset,
            "validation": self.validation,
            "test": self.test,
            "no_test": self.no_test,
            "target": self.target,
            "types": self.types,
            "ignore": self.ignore,
            "split": self.split,
            "metric": self.metric,
            "encoding": self.encoding,
            "config": self.config,
            "budget_s": self.limits.budget.map(|budget| budget.as_secs_f64()),
            "max_trials": self.limits.max_trials,
            "max_epochs": self.limits.max_epochs,
            "seed": self.seed,
            "hardware": self.hardware,
            "slots": self.slots.iter().map(|slot| json!({ "cpus": slot.cpus, "gpu": slot.gpu })).collect::<Vec<_>>(),
            "memory_limit_bytes": self.memory_limit_bytes,
            "scheduler": self.scheduler,
            "sampler": self.sampler,
        })
    }
}

fn seconds(time: Duration) -> String {
    humantime::format_duration(time).to_string()
}
