//! How many decisions the conductor takes in a second, with a thousand trials behind it: events handled of
//! simulated LC-1 runs, in one thread.
//!
//! References (one thread, decisions of a scheduler alone): Ray 2.60 9,400 a second and Syne Tune 0.16 3,000 at
//! 1,000 trials. The goal is 100,000.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use schedulers::RunTime;
use schedulers::conductor::{Cap, Full, Levels, Limits, Policy, Rules, Shares};
use schedulers::sim::{Curves, FULL, Reports, Simulation};

/// Runs of each policy.
const RUNS: u64 = 50;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (name, policy) in [
        ("promotion", Policy::AshaPromotion { eta: 3 }),
        ("stopping", Policy::AshaStopping { eta: 3 }),
    ] {
        let start = now();
        let (mut events, mut judged, mut trials) = (0, 0, 0);
        for seed in 0..RUNS {
            let mut curves = Curves::lc1(seed, 0.02);
            let until = RunTime::from_secs_f64(1620.0);
            let run = Simulation::run(rules(policy), 4, until, Reports::AtRungs, &mut curves);
            events += run.n_events();
            judged += run.trace().observations().len();
            trials += run.conductor().trials().count();
        }
        let seconds = start.elapsed().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let (per_event, per_judged) = (events as f64 / seconds, judged as f64 / seconds);
        writeln!(
            out,
            "{name}: {per_judged:.0} trials judged a second, {per_event:.0} events a second \
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
