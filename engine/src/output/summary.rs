//! What a run has come to, and the words for it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::words::number;
use crate::exit::Exit;

/// A score on the parts it was taken on.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The trial; 0 is the linear baseline, none the constant model.
    pub trial: Option<u32>,
    /// What it is: "realmlp", "linear".
    pub what: String,
    /// On the validation part.
    pub validation: Option<f64>,
    /// On the test part, taken once, at the end.
    pub test: Option<f64>,
}

/// What a run has come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The name of the run.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The metric of the run, by name.
    pub metric: String,
    /// Whether a higher score is better.
    pub maximise: bool,
    /// The final model.
    pub best: Score,
    /// The tuned default, where it has a score and is not the best.
    pub tuned_default: Option<Score>,
    /// The linear baseline, where it has a score.
    pub baseline: Option<Score>,
    /// The command of the best trial, where a program was tuned (empty where none came to a score): there is no model then.
    pub program: Option<String>,
    /// Trials begun, the baseline among them.
    pub n_trials: u32,
    /// Trials that failed.
    pub n_failed: u32,
    /// From the command to now.
    pub elapsed: Duration,
    /// How it ended: done, interrupted or terminated with the best so far saved, or no trial succeeded.
    pub exit: Exit,
    /// Things to know about the result, a sentence fragment each.
    pub notes: Vec<String>,
}

impl Summary {
    /// The summary for people, with the exact next commands.
    pub fn render(&self) -> String {
        let mut text = String::new();
        let ended = self.ended();
        let failed = if self.n_failed > 0 {
            format!(", {} failed", self.n_failed)
        } else {
            String::new()
        };
        let trials = if self.n_trials == 1 {
            "trial"
        } else {
            "trials"
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} {ended} in {:.1} s: {} {trials}{failed}",
            self.name,
            self.elapsed.as_secs_f64(),
            self.n_trials
        );
        self.render_scores(&mut text);
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        let _ = writeln!(
            text,
            "\nconfig       {}",
            self.folder.join("best_config.yaml").display()
        );
        if self.program.is_none() {
            let _ = writeln!(text, "model        {}", self.folder.join("model").display());
        }
        let _ = writeln!(
            text,
            "leaderboard  {}",
            self.folder.join("leaderboard.csv").display()
        );
        let _ = writeln!(text, "\nnext");
        for next in self.next() {
            let _ = writeln!(text, "  {next}");
        }
        text
    }

    fn render_scores(&self, text: &mut String) {
        let better = if self.maximise { "higher" } else { "lower" };
        let title = format!("{} ({better} is better)", self.metric);
        let (validation, test) = match &self.program {
            Some(_) => ("score", ""),
            None => ("validation", "test"),
        };
        let mut line = |label: &str, validation: &str, test: &str| {
            let line = format!("{label:<30} {validation:>12} {test:>12}");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", line.trim_end());
        };
        line(&format!("\n{title:<30}"), validation, test);
        let best = match self.best.trial {
            Some(trial) => format!("best: trial {trial}, {}", self.best.what),
            None if self.program.is_some() => "best: none".to_owned(),
            None => format!("best: the {} model", self.best.what),
        };
        let lines = [
            Some((best, &self.best)),
            self.tuned_default
                .as_ref()
                .map(|score| ("tuned default".to_owned(), score)),
            self.baseline
                .as_ref()
                .map(|score| ("linear baseline".to_owned(), score)),
        ];
        let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
        for (label, score) in lines.into_iter().flatten() {
            let test = match &self.program {
                Some(_) => String::new(),
                None => cell(score.test),
            };
            line(&format!("  {label}"), &cell(score.validation), &test);
        }
    }

    /// The commands that come next.
    fn next(&self) -> Vec<String> {
        let run = quoted(&self.folder);
        let mut next = vec![format!("autotune trials {run}")];
        match &self.program {
            Some(command) => next.extend(Some(command.clone()).filter(|line| !line.is_empty())),
            None => next.extend([
                format!(
                    "autotune predict --model {run} --dataset NEW.csv --output predictions.csv"
                ),
                format!("autotune evaluate --model {run} --dataset LABELLED.csv"),
            ]),
        }
        next
    }

    fn ended(&self) -> &'static str {
        match self.exit {
            Exit::Done => "done",
            Exit::Interrupted => "interrupted",
            Exit::Terminated => "terminated",
            Exit::NoTrial => "ended without a trial that succeeded",
            Exit::Bug | Exit::Usage | Exit::Data | Exit::Environment => "failed",
        }
    }

    /// The summary for programs.
    pub fn to_json(&self) -> Value {
        let score = |score: &Score| json!({ "trial": score.trial, "what": score.what, "validation": score.validation, "test": score.test });
        json!({
            "event": "summary",
            "name": self.name,
            "folder": self.folder,
            "model": self.program.is_none().then(|| self.folder.join("model")),
            "command": self.program,
            "best_config": self.folder.join("best_config.yaml"),
            "leaderboard": self.folder.join("leaderboard.csv"),
            "metric": self.metric,
            "maximise": self.maximise,
            "best": score(&self.best),
            "tuned_default": self.tuned_default.as_ref().map(score),
            "baseline": self.baseline.as_ref().map(score),
            "n_trials": self.n_trials,
            "n_failed": self.n_failed,
            "elapsed_s": self.elapsed.as_secs_f64(),
            "ended": self.ended(), "exit_code": self.exit.code(),
            "notes": self.notes,
        })
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Summary {
        Summary {
            name: "adult-20261201-010203".to_owned(),
            folder: PathBuf::from("autotune-runs/adult-20261201-010203"),
            metric: "roc_auc".to_owned(),
            maximise: true,
            best: Score {
                trial: Some(7),
                what: "realmlp".to_owned(),
                validation: Some(0.92345),
                test: Some(0.92211),
            },
            tuned_default: Some(Score {
                trial: Some(1),
                what: "realmlp".to_owned(),
                validation: Some(0.921),
                test: None,
            }),
            baseline: Some(Score {
                trial: Some(0),
                what: "linear".to_owned(),
                validation: Some(0.9051),
                test: Some(0.9049),
            }),
            program: None,
            n_trials: 31,
            n_failed: 0,
            elapsed: Duration::from_millis(59_700),
            exit: Exit::Done,
            notes: vec!["2 failed: out of memory".to_owned()],
        }
    }

    #[test]
    fn the_summary_reads_well() {
        insta::assert_snapshot!(summary().render());
    }

    #[test]
    fn next_commands_survive_odd_folder_names() {
        let odd = Summary {
            folder: PathBuf::from("my runs/it's"),
            ..summary()
        };
        assert!(
            odd.render().contains("autotune trials 'my runs/it'\\''s'"),
            "{}",
            odd.render()
        );
    }
}
