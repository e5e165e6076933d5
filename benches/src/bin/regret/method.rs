//! What is compared: schedulers by their rules, and the baselines.

use std::time::Duration;

use schedulers::RunTime;
use schedulers::conductor::{Cap, Full, Levels, Limits, Policy, Rules, Shares};
use schedulers::explain::Unit;
use schedulers::sim::{FULL, Reports, Simulation, one_epoch_first};

use crate::TIMES;
use crate::bench::Bench;

/// One row of the tables.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Whether a config that says nothing else gets this; such a one must not end worse than random search.
    pub(crate) is_default: bool,
    how: How,
}

enum How {
    Conducted(Rules, Reports),
    OneEpochFirst,
}

/// The median of those that have come as far, from the third epoch on.
const MEDIAN: Policy = Policy::Median {
    unit: Unit::Epochs,
    grace: 3,
    min_samples: 3,
};

const GEOMETRIC: Levels = Levels::Geometric { min: 1, factor: 3 };

fn rules(policy: Policy, levels: Levels) -> Rules {
    Rules {
        limits: Limits::default(),
        reserve: Duration::ZERO,
        full: Full::Fixed(FULL),
        levels,
        policy,
        brackets: 1,
        shares: Shares::Falling,
        guard: false,
        cap: Cap::Full,
        baseline: None,
        straight: 0,
    }
}

impl Method {
    pub(crate) fn all() -> Vec<Self> {
        let promotion = || rules(Policy::AshaPromotion { eta: 3 }, GEOMETRIC);
        let stopping = || rules(Policy::AshaStopping { eta: 3 }, GEOMETRIC);
        let row = |name, rules| Self {
            name,
            is_default: false,
            how: How::Conducted(rules, Reports::AtRungs),
        };
        let guarded = |rules: Rules| Rules {
            guard: true,
            ..rules
        };
        let waves = Rules {
            levels: Levels::Coslog4,
            ..promotion()
        };
        // Ludwig's own defaults, and ours where it has none.
        let ludwig = Rules {
            levels: Levels::Geometric { min: 1, factor: 4 },
            ..rules(Policy::AshaStopping { eta: 4 }, GEOMETRIC)
        };
        vec![
            row("random", rules(Policy::Fifo, GEOMETRIC)),
            Self {
                name: "one epoch first",
                is_default: false,
                how: How::OneEpochFirst,
            },
            row("promotion", promotion()),
            row("stopping", stopping()),
            Self {
                is_default: true,
                ..row("promotion, guard", guarded(promotion()))
            },
            row("stopping, guard", guarded(stopping())),
            Self {
                is_default: true,
                ..row("as Ludwig, guard", guarded(ludwig))
            },
            row(
                "async hyperband",
                Rules {
                    brackets: 4,
                    shares: Shares::Hyperband,
                    ..promotion()
                },
            ),
            row("hyperband", rules(Policy::Hyperband { eta: 3 }, GEOMETRIC)),
            Self {
                name: "median stopping",
                is_default: false,
                how: How::Conducted(rules(MEDIAN, GEOMETRIC), Reports::EveryEpoch),
            },
            Self {
                name: "promotion, progressive",
                is_default: false,
                how: How::Conducted(
                    Rules {
                        cap: Cap::Progressive,
                        ..promotion()
                    },
                    Reports::EveryEpoch,
                ),
            },
            row("promotion at coslog4", waves.clone()),
            Self {
                is_default: true,
                ..row("promotion at coslog4, guard", guarded(waves))
            },
        ]
    }

    /// The regret at each time.
    pub(crate) fn regrets(&self, bench: Bench, slots: u32, sampler: &str, seed: u64) -> Vec<f64> {
        match &self.how {
            How::Conducted(rules, reports) => {
                let mut world = bench.world(seed, sampler);
                let times = TIMES.map(f64::from);
                let until = RunTime::from_secs_f64(times[times.len() - 1]);
                let run = Simulation::run(rules.clone(), slots, until, *reports, world.as_mut());
                run.trace().regrets(&times, world.as_ref())
            }
            // It is another run for each end.
            How::OneEpochFirst => TIMES
                .iter()
                .flat_map(|seconds| {
                    let mut world = bench.world(seed, sampler);
                    one_epoch_first(*seconds, slots, world.as_mut())
                        .regrets(&[f64::from(*seconds)], world.as_ref())
                })
                .collect(),
        }
    }
}
