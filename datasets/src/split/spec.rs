//! The split that was asked for.

use serde::{Deserialize, Serialize};

use super::SplitError;

/// How rows are divided; the first five are Ludwig's, the last two are ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SplitSpec {
    /// At random; rows with identical features stay together.
    Random {
        /// Shares of training, validation and test.
        shares: Shares,
    },
    /// At random within each class of a column; rows with identical features stay together.
    Stratify {
        /// The column whose classes keep their shares.
        column: String,
        /// Shares of training, validation and test.
        shares: Shares,
    },
    /// By a column of 0 / 1 / 2 or train / validation / test.
    Fixed {
        /// The column that names each row's part.
        column: String,
    },
    /// In time order: the oldest rows train, the newest are the test; equal times stay together.
    Datetime {
        /// The column of times.
        column: String,
        /// The strict format of text; `None`: the one that reads most values, else the ISO forms.
        format: Option<String>,
        /// Shares of training, validation and test.
        shares: Shares,
    },
    /// By a hash of a column's value: a row keeps its part when the table grows.
    Hash {
        /// The column that is hashed.
        column: String,
        /// Shares of training, validation and test.
        shares: Shares,
    },
    /// At random over the values of a column: each group is on one side.
    Group {
        /// The column that names each row's group.
        column: String,
        /// Shares of training, validation and test.
        shares: Shares,
    },
    /// By a column of folds, of which one validates and one may be the test.
    Folds {
        /// The column that names each row's fold.
        column: String,
        /// The fold that validates; when absent, the last of those that are not the test.
        validation: Option<String>,
        /// The fold kept back for the test.
        test: TestFold,
    },
}

impl SplitSpec {
    /// The column the split reads, where it reads one.
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Random { .. } => None,
            Self::Stratify { column, .. }
            | Self::Fixed { column }
            | Self::Datetime { column, .. }
            | Self::Hash { column, .. }
            | Self::Group { column, .. }
            | Self::Folds { column, .. } => Some(column),
        }
    }
}

/// Which fold is the test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestFold {
    /// None of them.
    None,
    /// The last one, where there are three or more.
    Last,
    /// This one.
    Named(String),
}

/// Shares of training, validation and test.
///
/// Invariant: finite, not negative, training above zero, their sum is 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    train: f64,
    validation: f64,
    test: f64,
}

impl Shares {
    /// From three probabilities, which are scaled to a sum of 1.
    pub fn new([train, validation, test]: [f64; 3]) -> Result<Self, SplitError> {
        let all = [train, validation, test];
        let sum: f64 = all.iter().sum();
        let legal =
            all.iter().all(|p| p.is_finite() && *p >= 0.0) && train > 0.0 && sum.is_finite();
        if !legal {
            return Err(SplitError::Probabilities { given: all });
        }
        Ok(Self {
            train: train / sum,
            validation: validation / sum,
            test: test / sum,
        })
    }

    /// The same with the share of the test given to training.
    #[must_use]
    pub fn without_test(self) -> Self {
        Self {
            train: self.train + self.test,
            test: 0.0,
            ..self
        }
    }

    /// The same with the share of validation given to training.
    #[must_use]
    pub fn without_validation(self) -> Self {
        Self {
            train: self.train + self.validation,
            validation: 0.0,
            ..self
        }
    }

    /// Training, validation and test.
    pub fn to_array(self) -> [f64; 3] {
        [self.train, self.validation, self.test]
    }

    /// Rows of validation and test among `n`: the nearest counts, at least
    /// [`MIN_ROWS`] each where the table has four times as many (Ludwig's minimum),
    /// else at least one; training always keeps one.
    pub(super) fn quota(self, n: usize) -> Quota {
        let least = MIN_ROWS.min(n / 4).max(1);
        let nearest = |share: f64| {
            if share > 0.0 {
                rounded(share * n as f64).max(least)
            } else {
                0
            }
        };
        let (mut validation, mut test) = (nearest(self.validation), nearest(self.test));
        while validation + test >= n.max(1) {
            let larger = if test >= validation {
                &mut test
            } else {
                &mut validation
            };
            *larger = larger.saturating_sub(1);
        }
        Quota { validation, test }
    }
}

/// The fewest rows of a validation or test part of a table that has enough of them.
const MIN_ROWS: usize = 3;

/// How many rows leave training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quota {
    pub(super) validation: usize,
    pub(super) test: usize,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a row count: not negative, below 2^53"
)]
pub(crate) fn rounded(rows: f64) -> usize {
    rows.round() as usize
}
