//! The outcome of a split: three disjoint lists of rows.

use serde::{Deserialize, Serialize};

/// One side of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Rows that models are fitted on.
    Train,
    /// Rows that models are compared on.
    Validation,
    /// Rows that are looked at once, at the end.
    Test,
}

impl Part {
    /// All three, in the order of their numbers in Ludwig's `fixed` split.
    pub const ALL: [Self; 3] = [Self::Train, Self::Validation, Self::Test];

    /// The word for it, as in file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Validation => "validation",
            Self::Test => "test",
        }
    }
}

/// Row numbers of each part, ascending.
///
/// Invariant: the lists are disjoint; a row in none of them was dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// Rows to fit on.
    pub train: Vec<u32>,
    /// Rows to compare on.
    pub validation: Vec<u32>,
    /// Rows kept back.
    pub test: Vec<u32>,
}

impl Parts {
    /// The rows of one part.
    pub fn part(&self, part: Part) -> &[u32] {
        match part {
            Part::Train => &self.train,
            Part::Validation => &self.validation,
            Part::Test => &self.test,
        }
    }

    pub(super) fn part_mut(&mut self, part: Part) -> &mut Vec<u32> {
        match part {
            Part::Train => &mut self.train,
            Part::Validation => &mut self.validation,
            Part::Test => &mut self.test,
        }
    }

    /// Builds the lists by asking for the part of each row, in ascending order of rows.
    pub(super) fn assign(rows: &[u32], mut part_of: impl FnMut(u32) -> Part) -> Self {
        let mut parts = Self::default();
        for &row in rows {
            parts.part_mut(part_of(row)).push(row);
        }
        parts
    }

    pub(super) fn sorted(mut self) -> Self {
        for part in Part::ALL {
            self.part_mut(part).sort_unstable();
        }
        self
    }
}
