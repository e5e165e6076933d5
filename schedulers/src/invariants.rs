//! Fourteen invariants, on random histories, for every scheduler that they hold for.
//!
//! A history is made by its seed, which every failure names: workers finish in any order, some are killed, some report
//! twice. Those of processes, journals and clocks are tested on the conductor as well (`conductor::tests`).

use std::collections::{BTreeMap, BTreeSet};

use crate::conductor::{Cap, Full, Levels, Limits, Policy, Rules, Shares};
use crate::explain::{Place, Unit, Verdict};
use crate::ids::{Epochs, RunTime, TrialId};
use crate::scheduler::{Progress, Scheduler, of_rules};
use crate::score::{Direction, Score, Standing};
use crate::sim::{Curves, Reports, Simulation, World};

const FULL: Epochs = 27;
const ETA: u32 = 3;

fn rules(policy: Policy) -> Rules {
    Rules {
        limits: Limits::default(),
        reserve: std::time::Duration::ZERO,
        full: Full::Fixed(FULL),
        levels: Levels::Geometric {
            min: 1,
            factor: ETA,
        },
        policy,
        brackets: 1,
        shares: Shares::Falling,
        guard: false,
        cap: Cap::Full,
        baseline: None,
        straight: 0,
    }
}

const PROMOTION: Policy = Policy::AshaPromotion { eta: ETA };
const HYPERBAND: Policy = Policy::Hyperband { eta: ETA };
const MEDIAN: Policy = Policy::Median {
    unit: Unit::Epochs,
    grace: 1,
    min_samples: 3,
};
const STOPPING: Policy = Policy::AshaStopping { eta: ETA };

/// Every scheduler, with and without what can be added.
fn all() -> Vec<Rules> {
    let with = |policy, brackets, guard, cap| Rules {
        brackets,
        guard,
        cap,
        ..rules(policy)
    };
    vec![
        rules(Policy::Fifo),
        rules(PROMOTION),
        rules(STOPPING),
        with(PROMOTION, 2, true, Cap::Full),
        with(PROMOTION, 3, false, Cap::Full),
        with(PROMOTION, 1, false, Cap::Progressive),
        with(PROMOTION, 2, true, Cap::Progressive),
        with(STOPPING, 2, true, Cap::Full),
        rules(HYPERBAND),
        rules(MEDIAN),
    ]
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        u32::try_from((x ^ (x >> 31)) % u64::from(sides)).expect("less than the sides")
    }
}

/// A leg that is being trained.
#[derive(Clone, Copy, Debug)]
struct Leg {
    trial: TrialId,
    from: Epochs,
    to: Epochs,
}

/// What a history may hold beside plain legs.
#[derive(Clone, Copy, Default)]
struct Trouble {
    /// One leg in so many is killed; 0 for none.
    kills: u32,
    /// One score in so many is not finite, 0 for none.
    broken: u32,
    /// Every end of a leg is reported twice.
    repeats: bool,
    /// Scores are whole numbers of a few, so that most tie.
    ties: bool,
}

/// What a scheduler was told, and did.
struct History {
    scheduler: Box<dyn Scheduler>,
    seed: u64,
    dice: Dice,
    trouble: Trouble,
    n_workers: usize,
    /// From the number of a trial to the one that the scheduler sees.
    name: fn(u32) -> u32,
    /// From a loss to a score.
    score: fn(f64) -> Score,
    running: Vec<Leg>,
    n_trials: u32,
    now: u32,
    /// Epochs of each trial, and epochs trained in all.
    epochs: BTreeMap<TrialId, Epochs>,
    trained: u64,
    /// Rungs at which each trial was judged.
    judged: BTreeMap<TrialId, Vec<Epochs>>,
    /// Verdicts and promotions, in order, by the trials' own numbers.
    log: Vec<String>,
    promotions: Vec<Place>,
    /// What each rung of each bracket was told.
    at_rung: BTreeMap<(u32, Epochs), Vec<Standing>>,
    /// Where those who wait stand.
    waiting: BTreeMap<TrialId, ((u32, Epochs), Standing)>,
    left: BTreeSet<TrialId>,
    killed: BTreeSet<TrialId>,
}

impl History {
    fn new(rules: &Rules, seed: u64, trouble: Trouble) -> Self {
        Self {
            scheduler: of_rules(rules, FULL),
            seed,
            dice: Dice(seed),
            trouble,
            n_workers: 4,
            name: |n| n,
            score: Score::from_loss,
            running: Vec::new(),
            n_trials: 0,
            now: 0,
            epochs: BTreeMap::new(),
            trained: 0,
            judged: BTreeMap::new(),
            log: Vec::new(),
            promotions: Vec::new(),
            at_rung: BTreeMap::new(),
            waiting: BTreeMap::new(),
            left: BTreeSet::new(),
            killed: BTreeSet::new(),
        }
    }

    fn run(mut self, steps: usize) -> Self {
        for _ in 0..steps {
            self.step_after_filling();
        }
        self
    }

    fn step_after_filling(&mut self) {
        self.fill();
        self.step();
    }

    /// Somebody who waits and is among the best floor(n / eta) of a rung.
    fn promotable_by_hand(&self) -> Option<TrialId> {
        let is_best = |(_, (rung, standing)): &(&TrialId, &((u32, Epochs), Standing))| {
            let at_rung = &self.at_rung[rung];
            let rank = at_rung.iter().filter(|other| *other <= standing).count();
            let k = at_rung.len() / ETA as usize;
            rank <= k
        };
        self.waiting.iter().find(is_best).map(|(trial, _)| *trial)
    }

    fn visible(&self, trial: TrialId) -> TrialId {
        TrialId((self.name)(trial.0))
    }

    /// Free workers take who may be promoted, else somebody new.
    fn fill(&mut self) {
        while self.running.len() < self.n_workers {
            let leg = match self.scheduler.promotable() {
                Some(best) => {
                    let trial = *self
                        .epochs
                        .keys()
                        .find(|trial| self.visible(**trial) == best.trial)
                        .expect("who is promoted is known");
                    assert!(
                        !self.left.contains(&trial),
                        "seed {}: {trial} is over",
                        self.seed
                    );
                    self.scheduler.take(best.trial);
                    self.waiting.remove(&trial);
                    self.promotions.push(best.place);
                    self.log.push(format!("{trial} to {}", best.to));
                    let from = self.epochs[&trial];
                    Leg {
                        trial,
                        from,
                        to: best.to,
                    }
                }
                None => {
                    let trial = TrialId(self.n_trials);
                    self.n_trials += 1;
                    let to = self.scheduler.enter(self.visible(trial));
                    self.epochs.insert(trial, 0);
                    Leg { trial, from: 0, to }
                }
            };
            let twice = self.running.iter().any(|other| other.trial == leg.trial);
            assert!(!twice, "seed {}: {} runs twice", self.seed, leg.trial);
            assert!(
                leg.to > leg.from && leg.to <= FULL,
                "seed {}: {leg:?}",
                self.seed
            );
            self.running.push(leg);
        }
    }

    /// One of those that run ends its leg.
    fn step(&mut self) {
        let n = u32::try_from(self.running.len()).expect("a few");
        let leg = self.running.remove(self.dice.roll(n) as usize);
        self.now += 1;
        if self.trouble.kills > 0 && self.dice.roll(self.trouble.kills) == 0 {
            self.scheduler.leave(self.visible(leg.trial));
            self.left.insert(leg.trial);
            self.killed.insert(leg.trial);
            return;
        }
        self.trained += u64::from(leg.to - leg.from);
        // Levels that lie inside the leg are reported on the way.
        let inner: Vec<Epochs> = self
            .scheduler
            .rungs()
            .judged()
            .iter()
            .copied()
            .filter(|level| *level > leg.from && *level < leg.to)
            .collect();
        for level in inner {
            let progress = self.progress(leg.trial, level, false);
            assert_eq!(self.scheduler.report(&progress), None);
        }
        self.epochs.insert(leg.trial, leg.to);
        if leg.to == FULL {
            self.scheduler.leave(self.visible(leg.trial));
            self.left.insert(leg.trial);
            return;
        }
        self.judge(leg);
    }

    fn progress(&mut self, trial: TrialId, epochs: Epochs, ends_leg: bool) -> Progress {
        let loss = if self.trouble.broken > 0 && self.dice.roll(self.trouble.broken) == 0 {
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][self.dice.roll(3) as usize]
        } else if self.trouble.ties {
            f64::from(self.dice.roll(3))
        } else {
            // Distinct, and exact in halves whatever is added or multiplied below.
            f64::from(self.dice.roll(1 << 20)) + f64::from(self.now) / 4096.0
        };
        let standing = Standing {
            score: (self.score)(loss),
            epochs,
            at: RunTime::from_secs_f64(f64::from(self.now)),
            trial: self.visible(trial),
        };
        Progress {
            ends_leg,
            ..Progress::at_rung(standing)
        }
    }

    fn judge(&mut self, leg: Leg) {
        let progress = self.progress(leg.trial, leg.to, true);
        assert_eq!(self.scheduler.report(&progress), None);
        let sizes = self.scheduler.sizes();
        let judgement = self.scheduler.judge(&progress);
        if self.trouble.repeats {
            // What the first word decided stands; a second changes nobody's place.
            let before = self.scheduler.sizes();
            let worse = Progress::at_rung(Standing {
                score: Score::from_loss(-1e9),
                ..progress.standing
            });
            let again = self.scheduler.judge(&worse);
            assert_eq!(again.place, judgement.place, "seed {}", self.seed);
            assert_eq!(self.scheduler.sizes(), before, "seed {}", self.seed);
        }
        let grown: usize =
            self.scheduler.sizes().iter().sum::<usize>() - sizes.iter().sum::<usize>();
        assert!(grown <= 1, "seed {}: one report is one entry", self.seed);
        let rungs = self.judged.entry(leg.trial).or_default();
        if let Some(place) = judgement.place {
            assert!(
                rungs.last().is_none_or(|last| *last < place.rung),
                "seed {}",
                self.seed
            );
            rungs.push(place.rung);
            let at = (place.bracket, place.rung);
            self.at_rung.entry(at).or_default().push(progress.standing);
            if judgement.verdict == Verdict::Pause {
                self.waiting.insert(leg.trial, (at, progress.standing));
            }
        }
        self.log
            .push(format!("{} {:?}", leg.trial, judgement.verdict));
        match judgement.verdict {
            Verdict::Continue { to } => {
                if let Some(place) = judgement.place {
                    self.promotions.push(place);
                }
                self.running.push(Leg {
                    from: leg.to,
                    to,
                    ..leg
                });
            }
            Verdict::Pause => self.scheduler.park(self.visible(leg.trial)),
            Verdict::Stop | Verdict::Complete => {
                self.scheduler.leave(self.visible(leg.trial));
                self.left.insert(leg.trial);
            }
        }
    }
}

const SEEDS: std::ops::Range<u64> = 0..8;
const STEPS: usize = 300;

fn each(trouble: Trouble, check: impl Fn(&Rules, History)) {
    for rules in all() {
        for seed in SEEDS {
            check(&rules, History::new(&rules, seed, trouble).run(STEPS));
        }
    }
}

#[test]
fn i01_who_is_promoted_is_among_the_best_and_rungs_shrink() {
    let trouble = Trouble {
        broken: 9,
        ..Trouble::default()
    };
    each(trouble, |rules, history| {
        let (seed, eta) = (history.seed, ETA as usize);
        for place in &history.promotions {
            let least = match rules.policy {
                Policy::AshaStopping { .. } => 1,
                Policy::Fifo
                | Policy::AshaPromotion { .. }
                | Policy::Hyperband { .. }
                | Policy::Median { .. } => 0,
            };
            let k = (place.n / eta).max(least);
            assert!(
                place.rank <= k && place.k == k && place.score.is_finite(),
                "seed {seed}: {place:?}"
            );
        }
        if rules.policy == PROMOTION && rules.brackets == 1 {
            for pair in history.scheduler.sizes().windows(2) {
                let (below, above) = (pair[0] as f64, pair[1] as f64);
                assert!(
                    above <= below / f64::from(ETA) + 2.0 * below.sqrt(),
                    "seed {seed}: {pair:?}"
                );
            }
        }
    });
}

#[test]
fn i02_rungs_come_one_after_the_other_and_none_twice() {
    each(Trouble::default(), |rules, history| {
        let levels = history.scheduler.rungs().judged().to_vec();
        for (trial, rungs) in &history.judged {
            // `judge` has asserted that they rise; none between the first and the last is missing.
            let first = rungs
                .first()
                .and_then(|rung| levels.iter().position(|level| level == rung));
            let expected = first.map_or(&[][..], |first| &levels[first..first + rungs.len()]);
            assert_eq!(
                rungs, expected,
                "seed {}: trial {trial} of {:?}",
                history.seed, rules.policy
            );
        }
    });
}

#[test]
fn i03_a_trial_runs_once_at_a_time() {
    // `fill` asserts it whenever a worker is given out.
    let trouble = Trouble {
        kills: 7,
        repeats: true,
        ..Trouble::default()
    };
    each(trouble, |_, history| assert!(history.n_trials > 4));
}

#[test]
fn i04_no_worker_idles_beside_somebody_who_may_be_promoted() {
    // Counted again from all that was judged: when the scheduler promotes nobody, nobody may be.
    // (`conductor::tests::world` asserts it of slots.)
    for rules in all()
        .into_iter()
        .filter(|rules| rules.policy == PROMOTION && rules.cap == Cap::Full)
    {
        for seed in SEEDS {
            let mut history = History::new(&rules, seed, Trouble::default());
            for _ in 0..STEPS {
                history.step_after_filling();
                if history.scheduler.promotable().is_none() {
                    assert_eq!(history.promotable_by_hand(), None, "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn i05_names_shifts_scales_and_directions_change_no_decision() {
    for rules in all().into_iter().filter(|rules| rules.cap == Cap::Full) {
        for seed in SEEDS {
            let plain = History::new(&rules, seed, Trouble::default())
                .run(STEPS)
                .log;
            let with = |name: fn(u32) -> u32, score: fn(f64) -> Score| {
                let mut history = History::new(&rules, seed, Trouble::default());
                (history.name, history.score) = (name, score);
                history.run(STEPS).log
            };
            assert_eq!(
                plain,
                with(|n| 100_000 - n, Score::from_loss),
                "names, seed {seed}"
            );
            assert_eq!(
                plain,
                with(|n| n, |x| Score::from_loss(x + 4096.0)),
                "shift, seed {seed}"
            );
            assert_eq!(
                plain,
                with(|n| n, |x| Score::from_loss(x * 8.0)),
                "scale, seed {seed}"
            );
            assert_eq!(
                plain,
                with(|n| n, |x| Score::new(-x, Direction::Maximise)),
                "direction, seed {seed}"
            );
        }
    }
}

#[test]
fn i06_the_same_history_gives_the_same_next_decision() {
    // A scheduler has no state but what it was told, so telling it again is a restart.
    // (`conductor::tests::world` cuts and replays journals at every border of two events.)
    for rules in all() {
        for seed in SEEDS {
            let trouble = Trouble {
                kills: 11,
                broken: 13,
                ..Trouble::default()
            };
            let run = |steps| History::new(&rules, seed, trouble).run(steps);
            let whole = run(STEPS);
            for cut in [1, 17, 150, STEPS - 1] {
                let part = run(cut);
                assert!(
                    whole.log.starts_with(&part.log),
                    "seed {seed}, cut at {cut}"
                );
                let (mut again, mut first) = (run(cut), part);
                again.fill();
                first.fill();
                assert_eq!(again.log, first.log, "seed {seed}, cut at {cut}");
            }
        }
    }
}

#[test]
fn i07_nothing_is_trained_twice() {
    let trouble = Trouble {
        repeats: true,
        ..Trouble::default()
    };
    each(trouble, |_, history| {
        let sum: u64 = history
            .epochs
            .values()
            .map(|epochs| u64::from(*epochs))
            .sum();
        assert_eq!(history.trained, sum, "seed {}", history.seed);
    });
}

#[test]
fn i08_an_endless_eta_or_a_first_rung_at_r_is_random_search() {
    let at_r = |policy| Rules {
        levels: Levels::Geometric {
            min: FULL,
            factor: ETA,
        },
        ..rules(policy)
    };
    for rules in [PROMOTION, STOPPING].map(at_r) {
        let history = History::new(&rules, 1, Trouble::default()).run(60);
        assert!(history.log.is_empty() && history.trained == 60 * u64::from(FULL));
    }
    // With an endless eta nobody is ever promoted: every trial costs one first leg.
    let endless = rules(Policy::AshaPromotion { eta: u32::MAX });
    let history = History::new(&endless, 1, Trouble::default()).run(60);
    assert!(history.promotions.is_empty() && history.trained == 60);
}

#[test]
fn i09_in_the_long_run_a_rung_is_an_eta_th_of_the_one_below() {
    for seed in 0..3 {
        let history = History::new(&rules(PROMOTION), seed, Trouble::default()).run(20_000);
        for pair in history.scheduler.sizes().windows(2) {
            let (below, above) = (pair[0] as f64, pair[1] as f64);
            let share = above * f64::from(ETA) / below;
            assert!((share - 1.0).abs() < 0.1, "seed {seed}: {share}");
        }
    }
}

#[test]
fn i10_a_killed_trial_stalls_nobody() {
    let trouble = Trouble {
        kills: 3,
        ..Trouble::default()
    };
    each(trouble, |rules, history| {
        let seed = history.seed;
        assert!(history.killed.len() > STEPS / 5, "seed {seed}");
        let went_on = history
            .epochs
            .values()
            .filter(|epochs| **epochs > 1)
            .count();
        assert!(went_on > 5, "seed {seed}: {:?} promotes on", rules.policy);
    });
}

#[test]
fn i11_a_missed_rung_counts_for_the_highest_passed_once() {
    for rules in [PROMOTION, STOPPING].map(rules) {
        let mut scheduler = of_rules(&rules, FULL);
        let mut at = |trial, epochs| {
            scheduler.judge(&Progress::at_rung(Standing {
                score: Score::from_loss(1.0),
                epochs,
                at: RunTime::ZERO,
                trial: TrialId(trial),
            }));
            scheduler.sizes()
        };
        assert_eq!(at(1, 5), [0, 1, 0]);
        assert_eq!(at(1, 8), [0, 1, 0]);
        assert_eq!(at(1, 2), [0, 1, 0]);
        assert_eq!(at(2, 26), [0, 1, 1]);
    }
}

#[test]
fn i12_a_repeated_report_changes_nothing() {
    let trouble = Trouble {
        repeats: true,
        ..Trouble::default()
    };
    // `judge` asserts that places and sizes stand; then the whole history is the same as without repetitions.
    for rules in [rules(PROMOTION), rules(STOPPING), rules(Policy::Fifo)] {
        for seed in SEEDS {
            let (with, without) = (
                History::new(&rules, seed, trouble).run(STEPS),
                History::new(&rules, seed, Trouble::default()).run(STEPS),
            );
            assert_eq!(
                with.scheduler.sizes(),
                without.scheduler.sizes(),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn i13_a_clock_that_runs_backwards_changes_nothing() {
    use crate::conductor::{Conductor, Event};
    use crate::ids::{CostClass, SlotId};
    let run = |times: [f64; 4]| {
        let mut conductor = Conductor::new(rules(PROMOTION), RunTime::ZERO);
        let slots = vec![SlotId(0)];
        let trial = TrialId(1);
        let attempt = crate::ids::Attempt(0);
        let events = [
            Event::SlotsOpened { slots },
            Event::Suggested {
                trial,
                class: CostClass::default(),
            },
            Event::Hello { trial, attempt },
            Event::Tick,
        ];
        let handled = events
            .into_iter()
            .zip(times)
            .map(|(event, at)| conductor.handle(RunTime::from_secs_f64(at), event));
        handled.collect::<Vec<_>>()
    };
    assert_eq!(run([5.0, 6.0, 7.0, 8.0]), run([5.0, 3.0, 2.0, 1.0]));
}

/// What a simulated run observed: trials and epochs, in order.
fn observed(rules: &Rules, slots: u32, seed: u64) -> Vec<(TrialId, Epochs)> {
    let mut world: Box<dyn World> = Box::new(Curves::lc1(seed, 0.05));
    let until = RunTime::from_secs_f64(300.0);
    let run = Simulation::run(
        rules.clone(),
        slots,
        until,
        Reports::AtRungs,
        world.as_mut(),
    );
    let seen = run.trace().observations().iter();
    seen.map(|seen| (seen.trial, seen.epochs)).collect()
}

#[test]
fn i14_the_same_seed_gives_the_same_trials() {
    for rules in all() {
        for (slots, seed) in [(1, 0), (1, 7), (4, 7)] {
            let first = observed(&rules, slots, seed);
            assert_eq!(
                first,
                observed(&rules, slots, seed),
                "{slots} slots, seed {seed}"
            );
            assert!(!first.is_empty());
        }
    }
}

#[test]
fn ties_and_broken_scores_never_let_a_crowd_through() {
    let trouble = Trouble {
        ties: true,
        broken: 4,
        ..Trouble::default()
    };
    each(trouble, |rules, history| {
        let judges = ![Policy::Fifo, MEDIAN].contains(&rules.policy);
        if !judges || rules.cap == Cap::Progressive {
            return;
        }
        let judged: usize = history.judged.values().map(Vec::len).sum();
        let went_on = history.promotions.len();
        assert!(
            went_on * 2 < judged,
            "seed {}: {went_on} of {judged}",
            history.seed
        );
    });
}
