//! Population-based training: the worst copy the best, and go on with what a sampler makes of their parameters.
//!
//! Jaderberg et al., "Population Based Training of Neural Networks" (2017), algorithm 1 with truncation selection
//! (section 4.1.1), asynchronous, as Ray Tune runs it: every `interval` of the resource, from `burn_in` on, a member in
//! the bottom quantile takes over the checkpoint of one in the top quantile, drawn at random. Exploring is the
//! sampler's: this file knows scores alone. A score that is not finite is the worst, and is never copied.
//!
//! Pure. The conductor has no effect yet that copies a checkpoint, so no config can ask for this.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::TrialId;
use crate::score::{Direction, Score};

/// When members are compared, and how many change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cadence {
    /// Resource before the first comparison; Ludwig: 60 s.
    pub burn_in: u32,
    /// Resource between two of one member; Ludwig: 60 s. At least 1.
    pub interval: u32,
    /// Share of the population that copies, and that is copied: 0 to 0.5; Ludwig: 0.25.
    pub quantile: f64,
}

/// The members, and how they stand.
#[derive(Clone, Debug)]
pub struct Population {
    cadence: Cadence,
    seed: u64,
    members: BTreeMap<TrialId, Member>,
    ranking: BTreeSet<(Score, TrialId)>,
}

#[derive(Clone, Copy, Debug)]
struct Member {
    score: Score,
    /// Resource from which on it is compared next.
    due: u32,
}

/// What a member does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// It is not time.
    Wait,
    /// It goes on as it is.
    Keep {
        /// Its place in the population; 1 is best.
        rank: usize,
        /// Members.
        n: usize,
    },
    /// It takes over the checkpoint of another, and parameters near the other's.
    Exploit {
        /// Whose.
        from: TrialId,
        /// Its own place; 1 is best.
        rank: usize,
        /// Members.
        n: usize,
        /// So many at either end copy, or are copied.
        k: usize,
        /// The score of the one that is copied.
        score: Score,
    },
}

impl Population {
    /// A population without members. The seed draws who is copied.
    #[must_use]
    pub const fn new(cadence: Cadence, seed: u64) -> Self {
        Self {
            cadence,
            seed,
            members: BTreeMap::new(),
            ranking: BTreeSet::new(),
        }
    }

    /// A member has come to `at` with its last score. Who copies stands as low as before until it reports again.
    pub fn report(&mut self, trial: TrialId, at: u32, score: Score) -> Step {
        let due = self
            .members
            .get(&trial)
            .map_or(self.cadence.burn_in, |member| member.due);
        if let Some(before) = self.members.insert(trial, Member { score, due }) {
            self.ranking.remove(&(before.score, trial));
        }
        self.ranking.insert((score, trial));
        if at < due {
            return Step::Wait;
        }
        let due = at.saturating_add(self.cadence.interval.max(1));
        self.members.insert(trial, Member { score, due });
        self.step(trial, at)
    }

    fn step(&self, trial: TrialId, at: u32) -> Step {
        let n = self.ranking.len();
        let k = self.n_in_quantile();
        // Only the ends are looked at, so no order statistics are needed.
        let is_low = self
            .ranking
            .iter()
            .rev()
            .take(k)
            .any(|(_, other)| *other == trial);
        let finite = |member: &&(Score, TrialId)| member.0.is_finite();
        let top: Vec<(Score, TrialId)> = self
            .ranking
            .iter()
            .take(k)
            .filter(finite)
            .copied()
            .collect();
        let rank = self
            .ranking
            .iter()
            .take_while(|(_, other)| *other != trial)
            .count()
            + 1;
        if !is_low || top.is_empty() {
            return Step::Keep { rank, n };
        }
        let draw = dice(self.seed, trial, at) % top.len() as u64;
        let (score, from) = top[usize::try_from(draw).unwrap_or(0)];
        Step::Exploit {
            from,
            rank,
            n,
            k,
            score,
        }
    }

    /// A share of the members, rounded up, but never more than half of them.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a count is a count"
    )]
    fn n_in_quantile(&self) -> usize {
        let n = self.ranking.len();
        let share = self.cadence.quantile.clamp(0.0, 0.5);
        ((n as f64 * share).ceil() as usize).min(n / 2)
    }

    /// A member is over: it neither copies nor is copied.
    pub fn leave(&mut self, trial: TrialId) {
        if let Some(member) = self.members.remove(&trial) {
            self.ranking.remove(&(member.score, trial));
        }
    }
}

impl Step {
    /// What is done and why, without a full stop.
    #[must_use]
    pub fn sentence(&self, trial: TrialId, direction: Direction) -> String {
        match self {
            Self::Wait => format!("trial {trial} goes on: it is not compared yet"),
            Self::Keep { rank, n } => {
                format!(
                    "trial {trial} goes on as it is: place {rank} of {n} is not among the worst"
                )
            }
            Self::Exploit {
                from,
                rank,
                n,
                k,
                score,
            } => format!(
                "trial {trial}, place {rank} of {n} and among the worst {k}, goes on from the checkpoint of trial {from}, \
                 one of the best {k} with {:.6} (population-based training)",
                score.raw(direction)
            ),
        }
    }
}

/// A number that depends on the seed, the member and the time alone (SplitMix64).
const fn dice(seed: u64, trial: TrialId, at: u32) -> u64 {
    let key = ((trial.0 as u64) << 32) | at as u64;
    let x = (seed ^ key.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CADENCE: Cadence = Cadence {
        burn_in: 10,
        interval: 5,
        quantile: 0.25,
    };

    /// Members 1 to n with losses 1 to n, at `at`; the steps of all.
    fn population(n: u32, at: u32) -> (Population, Vec<Step>) {
        let mut population = Population::new(CADENCE, 7);
        // The first word of each is too early to be compared.
        for i in 1..=n {
            let step = population.report(TrialId(i), 1, Score::from_loss(f64::from(i)));
            assert_eq!(step, Step::Wait);
        }
        let steps = (1..=n)
            .map(|i| population.report(TrialId(i), at, Score::from_loss(f64::from(i))))
            .collect();
        (population, steps)
    }

    fn source(step: &Step) -> Option<u32> {
        match step {
            Step::Exploit { from, .. } => Some(from.0),
            Step::Wait | Step::Keep { .. } => None,
        }
    }

    #[test]
    fn the_bottom_quarter_copies_the_top_quarter() {
        let (_, steps) = population(8, 10);
        let sources: Vec<Option<u32>> = steps.iter().map(source).collect();
        assert!(sources[..6].iter().all(Option::is_none), "{sources:?}");
        assert!(
            sources[6..].iter().all(|from| matches!(from, Some(1 | 2))),
            "{sources:?}"
        );
        assert_eq!(steps[0], Step::Keep { rank: 1, n: 8 });
    }

    #[test]
    fn members_are_compared_every_interval_from_the_burn_in_on() {
        let (mut population, steps) = population(4, 9);
        assert!(steps.iter().all(|step| *step == Step::Wait));
        let mut worst = |at| source(&population.report(TrialId(4), at, Score::from_loss(4.0)));
        let found = [10, 14, 15, 19, 20].map(&mut worst);
        assert_eq!(found, [Some(1), None, Some(1), None, Some(1)]);
    }

    #[test]
    fn quantiles_are_rounded_up_but_never_meet() {
        let n_copying = |n| population(n, 10).1.iter().filter_map(source).count();
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(n_copying), [0, 1, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn what_is_not_finite_copies_and_is_never_copied() {
        let (mut population, _) = population(4, 10);
        for i in 1..=3 {
            population.report(TrialId(i), 11, Score::from_loss(f64::NAN));
        }
        let step = population.report(TrialId(3), 15, Score::from_loss(f64::INFINITY));
        assert_eq!(source(&step), Some(4), "the only finite one");
        population.leave(TrialId(4));
        let step = population.report(TrialId(3), 20, Score::from_loss(f64::NAN));
        assert_eq!(source(&step), None, "nobody is worth copying");
    }

    #[test]
    fn the_same_seed_copies_the_same_and_all_of_the_top_are_drawn() {
        let drawn = |seed| {
            let mut population = Population::new(CADENCE, seed);
            for i in 1..=20 {
                population.report(TrialId(i), 1, Score::from_loss(f64::from(i)));
            }
            (2..42)
                .filter_map(|turn| {
                    source(&population.report(TrialId(20), turn * 5, Score::from_loss(20.0)))
                })
                .collect::<Vec<u32>>()
        };
        assert_eq!(drawn(3), drawn(3));
        assert_ne!(drawn(3), drawn(4));
        let all: BTreeSet<u32> = drawn(3).into_iter().collect();
        assert_eq!(all.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_step_says_what_is_copied_and_why() {
        let (_, steps) = population(4, 10);
        assert_eq!(
            steps[3].sentence(TrialId(4), Direction::Minimise),
            "trial 4, place 4 of 4 and among the worst 1, goes on from the checkpoint of trial 1, one of the best 1 with \
             1.000000 (population-based training)"
        );
        assert_eq!(
            steps[1].sentence(TrialId(2), Direction::Minimise),
            "trial 2 goes on as it is: place 2 of 4 is not among the worst"
        );
    }
}
