//! Names for trials, attempts, slots, resources and times, so that two integers cannot be swapped.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Training resource, in epochs. An epoch of a very large table may be less than a pass (`epoch_rows`).
pub type Epochs = u32;

/// One configuration of a run. Trial 0 is the baseline; suggestions count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TrialId(pub u32);

/// The how-manieth process of one trial was started because the one before it failed. Counts from 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Attempt(pub u32);

/// Cores, or a share of a GPU, that one trial holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SlotId(pub u32);

/// Trials that cost about the same per epoch. Opaque: whoever suggests a trial chooses it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct CostClass(pub u32);

/// Time since the run began, over all its sessions. Never read from a clock here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunTime(pub Duration);

impl TrialId {
    /// The trial that exists before any search: a linear model.
    pub const BASELINE: Self = Self(0);
}

impl Attempt {
    /// The attempt after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl RunTime {
    /// The start of the run.
    pub const ZERO: Self = Self(Duration::ZERO);

    /// A time given in seconds. Negative and non-finite values are the start of the run.
    #[must_use]
    pub fn from_secs_f64(seconds: f64) -> Self {
        Self(Duration::try_from_secs_f64(seconds).unwrap_or_default())
    }

    /// Seconds since the run began.
    #[must_use]
    pub const fn as_secs_f64(self) -> f64 {
        self.0.as_secs_f64()
    }

    /// How long ago `earlier` was; zero when it lies ahead.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for RunTime {
    type Output = Self;

    fn add(self, length: Duration) -> Self {
        Self(self.0.saturating_add(length))
    }
}

impl Sub<Duration> for RunTime {
    type Output = Self;

    fn sub(self, length: Duration) -> Self {
        Self(self.0.saturating_sub(length))
    }
}

impl fmt::Display for TrialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for SlotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
