//! How many trials each bracket starts with, and how many each of its rungs keeps.
//!
//! The paper's algorithm 1, in whole numbers: of S = s_max + 1 brackets, bracket s starts ceil(S eta^s / (s + 1))
//! trials s levels under R, and keeps a floor(1 / eta) of each rung. The paper's own table for R = 81 and its code
//! start with 81, 27, 9, 6, 5 instead of 81, 34, 15, 8, 5. Levels are those of the run: no logarithm is taken, as
//! log(243) / log(3) is 4.999999999999999 in floats and would cost a bracket.

use crate::ids::Epochs;
use crate::rungs::Rungs;

/// One rung of one bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Trials that reach it.
    pub n: usize,
    /// Where it judges.
    pub at: Epochs,
}

/// How an eta-th of a rung is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survivors {
    /// Down: the paper, and this crate.
    Floor,
    /// Up: Syne Tune and Ray.
    Ceil,
}

/// The brackets, the one with the most rungs first; each ends with R.
#[must_use]
pub fn plan(rungs: &Rungs, eta: u32, survivors: Survivors) -> Vec<Vec<Level>> {
    let (levels, eta) = (rungs.levels(), u64::from(eta.max(2)));
    let n_brackets = levels.len() as u64;
    let bracket = |first: usize| {
        let levels = &levels[first..];
        let power = u32::try_from(levels.len() - 1).unwrap_or(u32::MAX);
        let size = n_brackets.saturating_mul(eta.saturating_pow(power));
        let mut n = size.div_ceil(levels.len() as u64);
        let level = |at: &Epochs| {
            let level = Level {
                n: usize::try_from(n).unwrap_or(usize::MAX),
                at: *at,
            };
            n = match survivors {
                Survivors::Floor => n / eta,
                Survivors::Ceil => n.div_ceil(eta),
            };
            level
        };
        levels.iter().map(level).collect()
    };
    (0..levels.len()).map(bracket).collect()
}
