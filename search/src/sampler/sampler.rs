//! What every sampler can do.

use std::fmt;

use crate::space::Assignment;

/// Proposes assignments, one a trial. The same seed and the same calls give the same suggestions.
///
/// Knows trials by number alone, and losses: what a trial is, who runs it and on what clock is not its
/// business, so that a sampler can serve another process as well.
pub trait Sampler: Send {
    /// An assignment that was not suggested before, for the trial of this number; nothing when the space is
    /// used up, and then never again. A number that is asked for again is a trial that could not be tried:
    /// the new suggestion takes the place of the old one, which stays refused.
    fn ask(&mut self, trial: u64) -> Option<Suggestion>;

    /// What has come of a suggestion so far; the last word on a trial counts. The order in which trials are
    /// told of does not matter, nor do trials that were never suggested. Samplers that do not learn take no
    /// notice.
    fn tell(&mut self, observation: &Observation);

    /// Takes notice of a suggestion made in an earlier session of the run, in the order of asking, so that
    /// what follows is what would have followed then.
    fn recall(&mut self, trial: u64, suggestion: &Suggestion);
}

/// An assignment and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// Values by dotted path; empty for the base config as it stands.
    pub assignment: Assignment,
    /// Who thought of it.
    pub origin: Origin,
}

/// Who thought of a suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The base config, tuned by hand and by meta-learning.
    Default,
    /// A point that the config lists to be tried first.
    Portfolio,
    /// A point of a scrambled Sobol sequence.
    Sobol,
    /// A random draw.
    Random,
    /// The next point of a grid.
    Grid,
    /// What a tree-structured Parzen estimator thinks best.
    Tpe,
    /// What a Gaussian process thinks best.
    Gp,
    /// A change of a trial that did well.
    Evolution,
}

impl Origin {
    /// Its word, as stored and shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Portfolio => "portfolio",
            Self::Sobol => "sobol",
            Self::Random => "random",
            Self::Grid => "grid",
            Self::Tpe => "tpe",
            Self::Gp => "gp",
            Self::Evolution => "evolution",
        }
    }

    /// The origin with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [
            Self::Default,
            Self::Portfolio,
            Self::Sobol,
            Self::Random,
            Self::Grid,
            Self::Tpe,
            Self::Gp,
            Self::Evolution,
        ]
        .into_iter()
        .find(|o| o.as_str() == word)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is heard of a trial: how far it came, and with what score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Which trial.
    pub trial: u64,
    /// Its level: epochs trained.
    pub resource: u32,
    /// The same as a share of full training.
    pub fraction: f64,
    /// Best score so far as a loss, smaller is better; nothing when there is none or it is not finite. A
    /// sampler takes an infinite one for none, too.
    pub loss: Option<f64>,
    /// Whether it goes on.
    pub state: State,
}

/// Whether a trial goes on, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is trained, or paused and may be trained on.
    Running,
    /// It was trained to its end: by length or by its own patience.
    Completed,
    /// It was ended before: by the scheduler, the user or the clock.
    Stopped,
    /// It could not be trained, or not any further.
    Failed,
}
