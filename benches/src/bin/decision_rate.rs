//! How many decisions are taken in a second, in one thread: of each scheduler alone with 1,000 to 100,000 trials behind
//! it, and of the conductor in simulated LC-1 runs.
//!
//! A decision is one score at a rung, judged, with all that follows from it: who waits, who is promoted. The cost at
//! many trials is given beside log n: a ratio to the cost at 1,000 trials of 1.67 is what log n allows at 100,000.
//!
//! References (one thread, a scheduler alone, 1,000 trials): Ray 2.60 9,400 a second, Syne Tune 0.16 3,000. The goals:
//! 500,000 decisions a second at 1,000 trials, growing no faster than log n.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use schedulers::conductor::{Cap, Full, Levels, Limits, Policy, Rules, Shares};
use schedulers::explain::{Unit, Verdict};
use schedulers::scheduler::{Progress, Scheduler, of_rules};
use schedulers::score::{Score, Standing};
use schedulers::sim::{Curves, FULL, Reports, Simulation};
use schedulers::{Epochs, RunTime, TrialId};

/// Runs of the conductor for each policy.
const RUNS: u64 = 50;

/// Trials behind a decision.
const TRIALS: [u32; 3] = [1_000, 10_000, 100_000];

/// Trials whose decisions are timed, at each number of trials.
const TIMED: u32 = 1_000;

/// The smallest number of trials is timed that many times over.
const REPEATS: u32 = 30;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    alone(&mut out)?;
    conducted(&mut out)
}

fn policies() -> Vec<(&'static str, Rules)> {
    let guarded = |policy| Rules {
        guard: true,
        ..rules(policy)
    };
    let promotion = Policy::AshaPromotion { eta: 3 };
    let median = Policy::Median {
        unit: Unit::Epochs,
        grace: 1,
        min_samples: 3,
    };
    vec![
        ("promotion", rules(promotion)),
        ("promotion, guard", guarded(promotion)),
        ("stopping", rules(Policy::AshaStopping { eta: 3 })),
        ("hyperband", rules(Policy::Hyperband { eta: 3 })),
        ("median stopping", rules(median)),
    ]
}

/// Schedulers by themselves.
fn alone(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "| scheduler alone | trials | decisions a second | cost / cost at 1,000 | log n / log 1,000 |"
    )?;
    writeln!(out, "|---|---|---|---|---|")?;
    for (name, rules) in policies() {
        let mut first = None;
        for n in TRIALS {
            let repeats = (REPEATS * TRIALS[0] / n).max(6);
            let spent: Vec<Duration> = (0..repeats).map(|seed| timed(&rules, n, seed)).collect();
            // The least is what the machine can; the rest is what else it did.
            let least = spent.iter().min().copied().unwrap_or_default();
            let each = least.as_secs_f64();
            let first = *first.get_or_insert(each);
            let log = f64::from(n).ln() / f64::from(TRIALS[0]).ln();
            writeln!(
                out,
                "| {name} | {n} | {:.0} | {:.2} | {log:.2} |",
                1.0 / each,
                each / first
            )?;
        }
    }
    writeln!(out)
}

/// The time of a decision after about `n` trials have come in.
fn timed(rules: &Rules, n: u32, seed: u32) -> Duration {
    let mut crowd = Crowd {
        scheduler: of_rules(rules, FULL),
        dice: u64::from(seed),
        n_decided: 0,
    };
    (0..n - TIMED / 2).for_each(|trial| crowd.bring(trial));
    crowd.n_decided = 0;
    let start = now();
    (n - TIMED / 2..n + TIMED / 2).for_each(|trial| crowd.bring(trial));
    start.elapsed() / crowd.n_decided.max(1)
}

/// A scheduler, and trials that come as fast as it can judge them.
struct Crowd {
    scheduler: Box<dyn Scheduler>,
    dice: u64,
    n_decided: u32,
}

impl Crowd {
    /// A new trial is judged at the end of its first leg, and then all who may go on because of it.
    fn bring(&mut self, trial: u32) {
        let mut leg = (TrialId(trial), self.scheduler.enter(TrialId(trial)));
        loop {
            self.end_leg(leg);
            let Some(best) = self.scheduler.promotable() else {
                return;
            };
            self.scheduler.take(best.trial);
            leg = (best.trial, best.to);
        }
    }

    fn end_leg(&mut self, (trial, mut to): (TrialId, Epochs)) {
        loop {
            self.n_decided += 1;
            self.dice = self
                .dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let loss = f64::from(u32::try_from(self.dice >> 33).unwrap_or(0));
            let progress = Progress::at_rung(Standing {
                score: Score::from_loss(loss),
                epochs: to,
                at: RunTime::from_secs_f64(f64::from(trial.0)),
                trial,
            });
            let is_stopped = self.scheduler.report(&progress).is_some();
            if to == FULL || is_stopped {
                return self.scheduler.leave(trial);
            }
            match self.scheduler.judge(&progress).verdict {
                Verdict::Continue { to: next } => to = next,
                Verdict::Pause => return self.scheduler.park(trial),
                Verdict::Stop | Verdict::Complete => return self.scheduler.leave(trial),
            }
        }
    }
}

/// The whole conductor.
fn conducted(out: &mut impl Write) -> io::Result<()> {
    for (name, rules) in policies() {
        let start = now();
        let (mut events, mut judged, mut trials) = (0, 0, 0);
        for seed in 0..RUNS {
            let mut curves = Curves::lc1(seed, 0.02);
            let until = RunTime::from_secs_f64(1620.0);
            let run = Simulation::run(rules.clone(), 4, until, Reports::AtRungs, &mut curves);
            events += run.n_events();
            judged += run.trace().observations().len();
            trials += run.conductor().trials().count();
        }
        let seconds = start.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let (per_event, per_judged) = (events as f64 / seconds, judged as f64 / seconds);
        writeln!(
            out,
            "conductor, {name}: {per_judged:.0} trials judged a second, {per_event:.0} events a second \
             ({events} events, {} trials a run)",
            trials as u64 / RUNS
        )?;
    }
    Ok(())
}

fn rules(policy: Policy) -> Rules {
    Rules {
        limits: Limits::default(),
        reserve: Duration::ZERO,
        full: Full::Fixed(FULL),
        levels: Levels::Geometric { min: 1, factor: 3 },
        policy,
        brackets: 1,
        shares: Shares::Falling,
        guard: false,
        cap: Cap::Full,
        baseline: None,
        straight: 0,
    }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}
