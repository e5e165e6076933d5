//! The typed config of a program of the user's own (`model_type: program`): what is run and what is searched.

use super::hyperopt::{Goal, Search};
use crate::space::Assignment;

/// A program that is tuned, or, without a search, one trial of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// A template (see [`super::command`]) that a POSIX shell runs.
    pub command: String,
    /// Values that are fixed: of a trial, all of them.
    pub parameters: Assignment,
    /// The key of its reports that trials are judged by.
    pub metric: String,
    /// Whether that is made large or small.
    pub goal: Goal,
    /// What is searched; `None` in the config of a trial.
    pub search: Option<Search>,
}

impl Program {
    /// Whether it keeps its state in the folder it is given, so that it can be paused and gone on with.
    pub fn keeps_checkpoints(&self) -> bool {
        super::command::names(&self.command).any(|name| name == "checkpoint")
    }
}
