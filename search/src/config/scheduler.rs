//! The typed `hyperopt.executor.scheduler`: what stops or pauses trials. `hyperopt` has the rest of the search.

/// What stops or pauses trials.
#[derive(Debug, Clone, PartialEq)]
pub enum Scheduler {
    /// Nothing.
    Fifo,
    /// Asynchronous successive halving.
    AsyncHyperband(AsyncHyperband),
    /// Synchronous HyperBand (Ludwig: `hyperband`, and `hb_bohb`, which differ in what their samplers learn).
    Hyperband(Hyperband),
    /// Median stopping.
    MedianStopping(MedianStopping),
}

/// Asynchronous successive halving.
#[derive(Debug, Clone, PartialEq)]
pub struct AsyncHyperband {
    /// Stopping or promotion.
    pub variant: Variant,
    /// What the resource is.
    pub time_attr: TimeAttr,
    /// Resource of a full trial; `None`: chosen by the run. Always there where seconds are counted.
    pub max_t: Option<u32>,
    /// Resource of the first rung; `None`: chosen by the run. Less than `max_t`.
    pub grace_period: Option<u32>,
    /// One in this many trials passes a rung. At least 2.
    pub reduction_factor: u32,
    /// Sets of rungs, each with its own first level. At least 1.
    pub brackets: u32,
    /// Whether the first rung is measured by trials that skip it, and given up when it misleads.
    pub guard: bool,
    /// Which rungs are open from the start.
    pub cap: Cap,
}

/// Synchronous HyperBand.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperband {
    /// Epochs of a full trial; `None`: chosen by the run.
    pub max_t: Option<u32>,
    /// One in this many trials passes a rung. At least 2.
    pub reduction_factor: u32,
}

/// Median stopping.
#[derive(Debug, Clone, PartialEq)]
pub struct MedianStopping {
    /// What the resource is.
    pub time_attr: TimeAttr,
    /// Resource before a trial is judged.
    pub grace_period: u32,
    /// Others that must have come as far.
    pub min_samples_required: u32,
}

/// The two forms of asynchronous successive halving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// A trial stops at a rung for good, or goes on at once. Ray's and Ludwig's.
    Stopping,
    /// A trial pauses at each rung and is promoted when it stands among the best.
    Promotion,
}

/// Which rungs are open from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// All.
    Full,
    /// Two, and more when they change the order (PASHA).
    Progressive,
}

/// What a scheduler counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeAttr {
    /// Epochs.
    TrainingIteration,
    /// Seconds of training.
    TimeTotalS,
}
