//! Which way of talking a command uses.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use super::news::{News, Talk};
use super::{human::Human, json::Json};
use crate::error::Error;
use crate::run_plan::RunPlan;

/// The way a command talks, from `--json` and `--quiet`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Words on stderr, with a progress line on a terminal.
    Human,
    /// One JSON object a line on stdout.
    Json,
    /// Errors only.
    Quiet,
}

impl Mode {
    /// The listener of a run in this mode.
    pub fn talk(self) -> Arc<dyn Talk> {
        match self {
            Self::Human => Arc::new(Human::new(std::io::stderr().is_terminal())),
            Self::Json => Arc::new(Json),
            Self::Quiet => Arc::new(Quiet),
        }
    }

    /// Says one thing outside a run: a `note` or a `warning`.
    pub(crate) fn say(self, kind: &str, text: &str) {
        match self {
            Self::Human => super::human::say(kind, text),
            Self::Json => super::json::say(kind, text),
            Self::Quiet => {}
        }
    }

    /// Says what a run will do, before it does it.
    pub fn say_plan(self, plan: &RunPlan) {
        match self {
            Self::Human => super::human::say_plan(plan),
            Self::Json => super::json::say_plan(plan),
            Self::Quiet => {}
        }
    }

    /// Says why a command ends without its result: on stderr for people, and with `--json` also as an object.
    pub fn say_error(self, error: &Error) {
        super::human::say_error(error);
        if self == Self::Json {
            super::json::say_error(error);
        }
    }
}

/// Says nothing.
#[derive(Debug)]
struct Quiet;

impl Talk for Quiet {
    fn tell(&self, _at: Duration, _news: &News) {}
}
