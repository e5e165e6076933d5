//! Stories of one run, told event by event.

use std::time::Duration;

use super::rules;
use crate::conductor::{
    Conductor, Effect, Event, Exit, Full, Limits, Phase, Policy, Rules, Sign, StopBy, StopReason,
};
use crate::explain::{Decision, FinishWhy};
use crate::ids::{Attempt, CostClass, Epochs, RunTime, SlotId, TrialId};
use crate::protocol::FailureKind;
use crate::score::Score;
use crate::trial::{Outcome, Phase as TrialPhase, StoppedBy};

/// A conductor at a time, and the effects of what it was told last in short words.
struct Story {
    conductor: Conductor,
    now: f64,
    decisions: Vec<Decision>,
}

impl Story {
    fn new(rules: Rules) -> Self {
        Self {
            conductor: Conductor::new(rules, RunTime::ZERO),
            now: 0.0,
            decisions: Vec::new(),
        }
    }

    /// The same, with slots opened and the first effects dropped.
    fn begun(rules: Rules, n_slots: u32) -> Self {
        let mut story = Self::new(rules);
        story.open(n_slots);
        story
    }

    fn at(&mut self, now: f64) -> &mut Self {
        self.now = now;
        self
    }

    fn tell(&mut self, event: Event) -> String {
        let effects = self
            .conductor
            .handle(RunTime::from_secs_f64(self.now), event);
        let words: Vec<String> = effects
            .iter()
            .filter_map(|effect| self.word(effect))
            .collect();
        words.join(", ")
    }

    fn word(&mut self, effect: &Effect) -> Option<String> {
        Some(match effect {
            Effect::Ask { trial } => format!("ask {trial}"),
            Effect::Probe { slot } => format!("probe on {slot}"),
            Effect::Launch {
                trial,
                attempt: Attempt(0),
                slot,
                from,
                to,
                ..
            } => format!("launch {trial} {from}-{to} on {slot}"),
            Effect::Launch {
                trial,
                attempt,
                slot,
                from,
                to,
                ..
            } => format!("launch {trial}.{attempt} {from}-{to} on {slot}"),
            Effect::Continue { trial, to } => format!("continue {trial} to {to}"),
            Effect::Pause { trial } => format!("pause {trial}"),
            Effect::Stop { trial, reason } => format!("stop {trial} {reason:?}"),
            Effect::Kill { trial, attempt } => format!("kill {trial}.{attempt}"),
            Effect::Entered(phase) => format!("{phase:?}"),
            Effect::RunEnded => "ended".to_owned(),
            Effect::Record(decision) => {
                self.decisions.push(decision.clone());
                return None;
            }
        })
    }

    fn open(&mut self, n_slots: u32) -> String {
        self.tell(Event::SlotsOpened {
            slots: (0..n_slots).map(SlotId).collect(),
        })
    }

    fn suggest(&mut self, trial: u32) -> String {
        self.tell(Event::Suggested {
            trial: TrialId(trial),
            class: CostClass::default(),
        })
    }

    fn attempt(&self, trial: u32) -> Attempt {
        self.conductor
            .trial(TrialId(trial))
            .map_or(Attempt(0), |trial| trial.attempt())
    }

    fn hello(&mut self, trial: u32) -> String {
        self.tell(Event::Hello {
            trial: TrialId(trial),
            attempt: self.attempt(trial),
        })
    }

    fn report(&mut self, trial: u32, epoch: Epochs, loss: f64) -> String {
        let attempt = self.attempt(trial);
        self.tell(Event::Reported {
            trial: TrialId(trial),
            attempt,
            epoch,
            score: Score::from_loss(loss),
            seconds: 1.0,
        })
    }

    /// Reports the last epoch and ends the leg.
    fn end_leg(&mut self, trial: u32, epoch: Epochs, loss: f64) -> String {
        let first = self.report(trial, epoch, loss);
        assert_eq!(first, "", "a report under R asks for nothing here");
        let attempt = self.attempt(trial);
        self.tell(Event::LegEnded {
            trial: TrialId(trial),
            attempt,
            epoch,
            best: Score::from_loss(loss),
            seconds: 1.0,
        })
    }

    fn exit(&mut self, trial: u32) -> String {
        self.exit_as(trial, Exit::Ok)
    }

    fn exit_as(&mut self, trial: u32, how: Exit) -> String {
        self.tell(Event::Exited {
            trial: TrialId(trial),
            attempt: self.attempt(trial),
            how,
        })
    }

    fn fail(&mut self, trial: u32, kind: FailureKind) -> String {
        self.exit_as(trial, Exit::Failed(kind))
    }

    /// Everything that time alone calls for.
    fn tick(&mut self) -> String {
        let due = self.conductor.due(RunTime::from_secs_f64(self.now));
        let words: Vec<String> = due.into_iter().map(|event| self.tell(event)).collect();
        words.join(", ")
    }

    fn phase(&self, trial: u32) -> TrialPhase {
        self.conductor
            .trial(TrialId(trial))
            .expect("a known trial")
            .phase()
            .clone()
    }

    /// A whole first leg of a new trial on one slot: suggested, launched, ended.
    fn leg(&mut self, trial: u32, to: Epochs, loss: f64) -> String {
        assert_eq!(self.suggest(trial), format!("launch {trial} 0-{to} on 0"));
        self.hello(trial);
        self.end_leg(trial, to, loss)
    }
}

/// No baseline, nothing straight, no clock.
fn bare() -> Rules {
    Rules {
        limits: Limits::default(),
        baseline: None,
        straight: 0,
        ..rules()
    }
}

#[test]
fn the_baseline_runs_first_then_the_tuned_default_straight_to_r() {
    let mut story = Story::new(rules());
    assert_eq!(story.open(2), "launch 0 0-1 on 0, ask 1");
    assert_eq!(story.suggest(1), "launch 1 0-16 on 1");
    assert_eq!(
        story.decisions,
        [Decision::Straight {
            trial: TrialId(1),
            to: 16
        }]
    );
    story.hello(0);
    assert_eq!(story.end_leg(0, 1, 0.5), "stop 0 Completed");
    assert_eq!(story.exit(0), "ask 2");
    assert_eq!(story.suggest(2), "launch 2 0-1 on 0");
    // The default passes the rungs 1, 3 and 7 and is counted there.
    story.hello(1);
    story.at(1.0).report(1, 1, 0.4);
    story.at(3.0).report(1, 3, 0.3);
    assert_eq!(
        story.conductor.scheduler().expect("R is fixed").sizes(),
        [1, 1, 0]
    );
    assert_eq!(
        story.conductor.ranking().count(),
        1,
        "the baseline stands outside"
    );
}

#[test]
fn a_slot_goes_to_the_top_rung_first_and_to_a_new_trial_last() {
    let mut story = Story::new(bare());
    assert_eq!(story.open(1), "ask 1");
    assert_eq!(story.leg(1, 1, 3.0), "pause 1");
    assert_eq!(story.exit(1), "ask 2");
    assert_eq!(story.leg(2, 1, 1.0), "pause 2");
    assert_eq!(story.exit(2), "ask 3");
    assert_eq!(story.leg(3, 1, 2.0), "pause 3");
    assert_eq!(
        story.exit(3),
        "launch 2 1-3 on 0",
        "one of three, from its checkpoint"
    );
    story.hello(2);
    assert_eq!(story.end_leg(2, 3, 0.9), "pause 2");
    assert_eq!(story.exit(2), "ask 4");
    assert_eq!(
        story.leg(4, 1, 0.5),
        "continue 4 to 3",
        "the best of four goes on without a pause"
    );
    let Some(Decision::Judged { place, .. }) = story.decisions.last() else {
        panic!("it was judged")
    };
    assert_eq!((place.rung, place.n, place.k, place.rank), (1, 4, 1, 1));
}

#[test]
fn the_stopping_variant_ends_what_is_not_good_enough() {
    let mut story = Story::begun(
        Rules {
            policy: Policy::AshaStopping { eta: 3 },
            ..bare()
        },
        1,
    );
    assert_eq!(story.leg(1, 1, 1.0), "continue 1 to 3");
    assert_eq!(story.end_leg(1, 3, 1.0), "continue 1 to 7");
    assert_eq!(story.end_leg(1, 7, 1.0), "continue 1 to 16");
    assert_eq!(story.end_leg(1, 16, 1.0), "stop 1 Completed");
    assert_eq!(story.exit(1), "ask 2");
    assert_eq!(story.leg(2, 1, 2.0), "stop 2 Rung");
    assert_eq!(story.exit(2), "ask 3");
    assert_eq!(
        story.phase(2),
        TrialPhase::Finished {
            outcome: Outcome::Stopped {
                by: StoppedBy::Rung
            }
        }
    );
    assert_eq!(
        story.phase(1),
        TrialPhase::Finished {
            outcome: Outcome::Completed
        }
    );
}

#[test]
fn r_is_chosen_after_a_probe() {
    let mut story = Story::new(Rules {
        full: Full::Probed,
        ..rules()
    });
    assert_eq!(story.open(2), "launch 0 0-1 on 0, probe on 1");
    story.hello(0);
    story.end_leg(0, 1, 0.5);
    assert_eq!(story.exit(0), "", "nothing starts before R is known");
    assert_eq!(
        story.at(4.0).tell(Event::Probed {
            seconds_per_epoch: 0.6,
            fixed_seconds: 0.1
        }),
        "ask 1, ask 2"
    );
    // 92 s on two slots at 0.8 are 147 s: six times 0.6 s times 32 are 115 s, times 64 are 230 s.
    let length = Decision::Length {
        full: 32,
        rungs: vec![2, 6, 15, 32],
        seconds_per_epoch: 0.6,
        left_s: 92.0,
        slots: 2,
    };
    assert_eq!(story.decisions, [length]);
    assert_eq!(story.suggest(1), "launch 1 0-32 on 0");
}

#[test]
fn when_no_r_fits_trials_run_in_order_for_as_long_as_fits() {
    let mut story = Story::begun(
        Rules {
            full: Full::Probed,
            baseline: None,
            ..rules()
        },
        1,
    );
    assert_eq!(
        story.tell(Event::Probed {
            seconds_per_epoch: 9.0,
            fixed_seconds: 0.0
        }),
        "ask 1"
    );
    let portfolio = Decision::Portfolio {
        full: 8,
        seconds_per_epoch: Some(9.0),
        left_s: 96.0,
        slots: 1,
    };
    assert_eq!(story.decisions, [portfolio]);
    assert_eq!(story.suggest(1), "launch 1 0-8 on 0");
}

#[test]
fn when_not_one_epoch_fits_the_run_ends_with_the_baseline() {
    let mut story = Story::begun(
        Rules {
            full: Full::Probed,
            ..rules()
        },
        2,
    );
    assert_eq!(
        story.tell(Event::Probed {
            seconds_per_epoch: 500.0,
            fixed_seconds: 0.0
        }),
        ""
    );
    story.hello(0);
    story.end_leg(0, 1, 0.5);
    assert_eq!(story.exit(0), "Finish, Done, ended");
}

#[test]
fn a_probe_that_fails_leaves_a_run_without_early_stopping() {
    let mut story = Story::begun(
        Rules {
            full: Full::Probed,
            baseline: None,
            ..rules()
        },
        1,
    );
    assert_eq!(story.tell(Event::ProbeFailed), "ask 1");
    assert_eq!(story.suggest(1), "launch 1 0-16 on 0");
}

#[test]
fn when_the_leader_just_fits_nothing_new_starts_and_it_goes_to_r() {
    let mut story = Story::begun(
        Rules {
            baseline: None,
            straight: 0,
            ..rules()
        },
        1,
    );
    story.at(1.0).leg(1, 1, 1.0);
    assert_eq!(story.exit(1), "ask 2");
    // 15 epochs of 1 s and 0.05 s, with the margin, are 16.755 s: until 79.245 of 96.
    assert_eq!(story.at(79.0).leg(2, 1, 2.0), "pause 2");
    assert_eq!(story.at(79.2).tick(), "");
    assert_eq!(story.at(79.3).tick(), "Finish");
    let Some(Decision::Finishing {
        leader,
        why,
        cost_s,
        left_s,
    }) = story.decisions.last()
    else {
        panic!("it is said")
    };
    assert_eq!((*leader, *why), (Some(TrialId(1)), FinishWhy::Budget));
    assert!((cost_s.unwrap() - 15.05).abs() < 1e-6 && (left_s.unwrap() - 16.7).abs() < 1e-6);
    assert_eq!(
        story.exit(2),
        "launch 1 1-16 on 0",
        "not judged, and straight to R"
    );
    story.hello(1);
    assert_eq!(story.at(95.5).end_leg(1, 16, 0.5), "stop 1 Completed");
    assert_eq!(story.exit(1), "Done, ended", "nothing else fits");
}

#[test]
fn the_leader_takes_the_slot_of_the_worst() {
    let mut story = Story::begun(
        Rules {
            baseline: None,
            straight: 0,
            ..rules()
        },
        1,
    );
    story.at(1.0).leg(1, 1, 1.0);
    story.exit(1);
    story.suggest(2);
    story.hello(2);
    story.tell(Event::Checkpointed {
        trial: TrialId(2),
        attempt: Attempt(0),
        epoch: 0,
    });
    assert_eq!(story.at(79.5).tell(Event::Tick), "Finish, stop 2 Preempted");
    assert_eq!(story.exit(2), "launch 1 1-16 on 0");
    assert_eq!(story.phase(2), TrialPhase::Paused);
}

#[test]
fn in_finish_what_does_not_fit_to_r_goes_as_high_as_it_can() {
    let mut story = Story::begun(
        Rules {
            baseline: None,
            straight: 0,
            ..rules()
        },
        2,
    );
    story.suggest(1);
    story.suggest(2);
    for trial in [1, 2] {
        story.hello(trial);
        story.at(1.0).end_leg(trial, 1, f64::from(trial));
    }
    story.exit(1);
    story.exit(2);
    // Both new ones are asked for and never come; the leader goes when it must, and 2 on the other slot after it.
    assert_eq!(
        story.at(79.5).tick(),
        "Finish, launch 1 1-16 on 0, launch 2 1-16 on 1"
    );
    let mut late = story;
    late.hello(1);
    late.hello(2);
    late.at(85.0).fail(2, FailureKind::Killed);
    late.hello(2);
    assert_eq!(late.attempt(2), Attempt(1));
    assert_eq!(
        late.conductor.trial(TrialId(2)).map(|trial| trial.to()),
        Some(7),
        "11 s are not enough for R"
    );
}

#[test]
fn at_the_deadline_what_runs_is_stopped_and_then_killed_inside_the_reserve() {
    let mut story = Story::begun(rules(), 2);
    story.suggest(1);
    story.hello(0);
    story.hello(1);
    story.at(20.0).report(1, 3, 0.5);
    story.tell(Event::Checkpointed {
        trial: TrialId(1),
        attempt: Attempt(0),
        epoch: 3,
    });
    // No heartbeat is sent here, so only the deadline is told of.
    assert_eq!(
        story.at(96.0).tell(Event::Tick),
        "Done, stop 0 Budget, stop 1 Budget"
    );
    assert_eq!(story.exit(0), "");
    assert_eq!(story.at(96.9).tick(), "");
    assert_eq!(
        story.at(97.0).tick(),
        "kill 1.0",
        "a quarter of the reserve"
    );
    assert_eq!(story.fail(1, FailureKind::Killed), "ended");
    assert_eq!(
        story.phase(1),
        TrialPhase::Paused,
        "it has a checkpoint, and may go on another day"
    );
    assert_eq!(
        story
            .conductor
            .trial(TrialId(1))
            .map(|trial| trial.checkpoint()),
        Some(3)
    );
    assert_eq!(story.at(99.0).tick(), "", "the end is said once");
}

#[test]
fn a_process_that_survives_its_kill_does_not_hold_up_the_end() {
    let mut story = Story::begun(
        Rules {
            baseline: None,
            ..rules()
        },
        1,
    );
    story.suggest(1);
    story.hello(1);
    story.at(96.0).tell(Event::Tick);
    assert_eq!(story.at(97.0).tick(), "kill 1.0");
    assert_eq!(story.at(98.0).tick(), "kill 1.0, ended");
}

#[test]
fn the_first_interrupt_saves_and_the_second_kills() {
    let mut story = Story::begun(rules(), 2);
    story.suggest(1);
    story.hello(0);
    story.hello(1);
    story.at(5.0);
    assert_eq!(
        story.tell(Event::StopAsked { by: StopBy::User }),
        "Done, stop 0 Shutdown, stop 1 Shutdown"
    );
    assert_eq!(story.exit(0), "");
    assert_eq!(
        story.tell(Event::StopAsked { by: StopBy::User }),
        "kill 1.0"
    );
    assert_eq!(story.fail(1, FailureKind::Killed), "ended");
    assert_eq!(story.phase(1), TrialPhase::Paused);
    let mut other = Story::begun(rules(), 1);
    other.hello(0);
    assert_eq!(
        other.tell(Event::KillAsked),
        "Done, stop 0 Shutdown, kill 0.0"
    );
}

#[test]
fn a_diverged_trial_is_stopped_after_two_bad_scores() {
    let mut story = Story::begun(bare(), 1);
    assert_eq!(
        story.leg(1, 1, f64::NAN),
        "pause 1",
        "one bad score waits, and is never promoted"
    );
    let mut story = Story::begun(
        Rules {
            straight: 1,
            ..bare()
        },
        1,
    );
    story.suggest(1);
    story.hello(1);
    assert_eq!(story.report(1, 1, f64::NAN), "");
    assert_eq!(story.report(1, 2, f64::INFINITY), "stop 1 Diverged");
    assert_eq!(story.exit(1), "ask 2");
    assert_eq!(
        story.phase(1),
        TrialPhase::Finished {
            outcome: Outcome::Failed {
                kind: FailureKind::Diverged
            }
        }
    );
}

#[test]
fn a_lost_process_is_killed_and_its_leg_tried_once_more() {
    let mut story = Story::begun(bare(), 1);
    story.suggest(1);
    story.hello(1);
    for tenth in 0..100 {
        assert_eq!(story.at(f64::from(tenth) / 10.0).tick(), "");
    }
    assert_eq!(story.at(10.1).tick(), "kill 1.0");
    assert_eq!(
        story.decisions,
        [Decision::Stopped {
            trial: TrialId(1),
            reason: StopReason::Lost,
            checkpoint: 0
        }]
    );
    assert_eq!(story.fail(1, FailureKind::Killed), "launch 1.1 0-1 on 0");
    story.hello(1);
    assert_eq!(story.fail(1, FailureKind::OutOfMemory), "ask 2");
    assert_eq!(
        story.phase(1),
        TrialPhase::Finished {
            outcome: Outcome::Failed {
                kind: FailureKind::OutOfMemory
            }
        }
    );
}

#[test]
fn a_process_that_only_beats_hangs_and_one_that_never_says_hello_is_given_up() {
    let mut story = Story::begun(bare(), 1);
    story.suggest(1);
    for second in 0..=30 {
        assert_eq!(story.at(f64::from(second)).tick(), "");
    }
    assert_eq!(story.at(30.1).tick(), "kill 1.0");
    assert_eq!(story.fail(1, FailureKind::Killed), "launch 1.1 0-1 on 0");
    story.hello(1);
    for second in 31..=60 {
        story.at(f64::from(second));
        story.tell(Event::Heartbeat {
            trial: TrialId(1),
            attempt: Attempt(1),
            step: 0,
        });
        assert_eq!(story.tick(), "");
    }
    story.at(60.5).tick();
    assert_eq!(
        story.decisions.last(),
        Some(&Decision::Stopped {
            trial: TrialId(1),
            reason: StopReason::Hung,
            checkpoint: 0
        })
    );
}

#[test]
fn the_engines_own_sleep_is_not_held_against_a_process() {
    let mut story = Story::begun(bare(), 1);
    story.suggest(1);
    story.hello(1);
    story.at(1.0).tick();
    assert_eq!(
        story.at(3601.0).tick(),
        "",
        "an hour in which nobody listened"
    );
    story.at(3602.0).tick();
    for tenth in 0..100 {
        story.at(3602.0 + f64::from(tenth) / 10.0);
        story.tick();
    }
    assert_eq!(story.decisions.len(), 1, "then it is lost after all");
}

#[test]
fn what_was_on_its_way_when_it_was_found_silent_is_ignored() {
    let mut story = Story::begun(bare(), 1);
    story.suggest(1);
    let silent = Event::Unresponsive {
        trial: TrialId(1),
        attempt: Attempt(0),
        sign: Sign::Hello,
    };
    story.hello(1);
    assert_eq!(story.tell(silent), "", "it has said hello meanwhile");
}

#[test]
fn a_dead_launcher_costs_no_attempt() {
    let mut story = Story::begun(bare(), 1);
    story.suggest(1);
    for attempt in 0..5 {
        let words = format!("kill 1.{attempt}, launch 1.{} 0-1 on 0", attempt + 1);
        assert_eq!(story.tell(Event::LauncherDied), words);
    }
    story.hello(1);
    assert_eq!(
        story.tell(Event::LauncherDied),
        "",
        "a process that runs lives on"
    );
}

#[test]
fn max_trials_end_in_finish_with_the_three_best_trained_in_full() {
    let limits = Limits {
        max_trials: Some(5),
        ..Limits::default()
    };
    let mut story = Story::begun(Rules { limits, ..bare() }, 1);
    for (trial, loss) in [(1, 5.0), (2, 4.0), (3, 3.0), (4, 2.0)] {
        let ended = story.leg(trial, 1, loss);
        if ended.starts_with("continue") {
            assert_eq!(
                story.end_leg(trial, 3, loss - 0.5),
                format!("pause {trial}")
            );
        }
        assert_eq!(story.exit(trial), format!("ask {}", trial + 1));
    }
    assert_eq!(story.leg(5, 1, 6.0), "pause 5");
    assert_eq!(story.exit(5), "Finish, launch 4 3-16 on 0");
    story.hello(4);
    story.end_leg(4, 16, 1.0);
    assert_eq!(story.exit(4), "launch 3 3-16 on 0");
    story.hello(3);
    story.end_leg(3, 16, 1.5);
    assert_eq!(story.exit(3), "launch 2 1-16 on 0");
    story.hello(2);
    story.end_leg(2, 16, 1.7);
    assert_eq!(story.exit(2), "Done, ended");
}

#[test]
fn max_epochs_are_never_passed_and_kept_for_the_leader() {
    let limits = Limits {
        max_epochs: Some(20),
        ..Limits::default()
    };
    let mut story = Story::begun(Rules { limits, ..bare() }, 1);
    for trial in 1..=4 {
        assert_eq!(
            story.leg(trial, 1, f64::from(10 + trial)),
            format!("pause {trial}")
        );
        let next = story.exit(trial);
        match trial {
            3 => {
                assert_eq!(next, "launch 1 1-3 on 0");
                story.hello(1);
                assert_eq!(story.end_leg(1, 3, 0.5), "pause 1");
                assert_eq!(story.exit(1), "ask 4");
            }
            // 1 + 1 + 1 + 2 + 1 are 6 of 20; the leader needs 13 of the 14 left, and one more would be one too many.
            4 => assert_eq!(next, "ask 5"),
            _ => assert_eq!(next, format!("ask {}", trial + 1)),
        }
    }
    assert_eq!(story.leg(5, 1, 20.0), "pause 5");
    assert_eq!(story.exit(5), "ask 6", "13 are left");
}

#[test]
fn a_space_that_is_used_up_finishes_what_there_is() {
    let mut story = Story::begun(bare(), 2);
    assert_eq!(story.suggest(1), "launch 1 0-1 on 0");
    let exhausted = Event::SpaceExhausted { trial: TrialId(2) };
    assert_eq!(story.tell(exhausted), "");
    story.hello(1);
    assert_eq!(story.end_leg(1, 1, 1.0), "pause 1");
    assert_eq!(story.exit(1), "Finish, launch 1 1-16 on 0");
    assert_eq!(
        story
            .decisions
            .iter()
            .filter(|decision| **decision == Decision::Exhausted)
            .count(),
        1
    );
}

#[test]
fn a_person_may_stop_one_trial_running_or_waiting() {
    let mut story = Story::begun(bare(), 1);
    story.leg(1, 1, 1.0);
    story.exit(1);
    story.suggest(2);
    story.hello(2);
    assert_eq!(
        story.tell(Event::TrialStopAsked { trial: TrialId(2) }),
        "stop 2 User"
    );
    assert_eq!(story.tell(Event::TrialStopAsked { trial: TrialId(1) }), "");
    assert_eq!(story.exit(2), "ask 3");
    for trial in [1, 2] {
        assert_eq!(
            story.phase(trial),
            TrialPhase::Finished {
                outcome: Outcome::Stopped {
                    by: StoppedBy::User
                }
            }
        );
    }
}

#[test]
fn a_trial_that_stops_itself_early_is_complete_and_counts_at_the_rung_it_was_to_reach() {
    let mut story = Story::begun(
        Rules {
            straight: 1,
            ..bare()
        },
        1,
    );
    story.suggest(1);
    story.hello(1);
    assert_eq!(story.end_leg(1, 9, 1.0), "stop 1 Completed");
    assert_eq!(story.exit(1), "ask 2");
    assert_eq!(
        story.phase(1),
        TrialPhase::Finished {
            outcome: Outcome::Completed
        }
    );
}

#[test]
fn a_resumed_run_goes_on_from_its_checkpoints_with_the_same_numbers() {
    let mut story = Story::begun(
        Rules {
            baseline: None,
            ..rules()
        },
        2,
    );
    story.suggest(1);
    story.suggest(2);
    story.hello(1);
    story.report(1, 5, 0.5);
    story.tell(Event::Checkpointed {
        trial: TrialId(1),
        attempt: Attempt(0),
        epoch: 5,
    });
    story.hello(2);
    story.at(2.0).end_leg(2, 1, 1.0);
    story.exit(2);
    // Trial 3 is asked for, and the engine dies before it is suggested.
    story.at(50.0);
    assert_eq!(story.tell(Event::Resumed), "");
    assert_eq!(story.open(2), "launch 1.1 5-16 on 0, ask 3");
    assert_eq!(story.hello(1), "");
}

#[test]
fn added_budget_opens_an_ended_run_again() {
    let mut story = Story::begun(
        Rules {
            baseline: None,
            ..rules()
        },
        1,
    );
    story.suggest(1);
    story.hello(1);
    story.report(1, 5, 0.5);
    story.tell(Event::Checkpointed {
        trial: TrialId(1),
        attempt: Attempt(0),
        epoch: 5,
    });
    story.at(96.0).tell(Event::Tick);
    assert_eq!(story.exit(1), "ended");
    assert_eq!(story.conductor.phase(), Phase::Done);
    assert_eq!(
        story.tell(Event::BudgetAdded {
            time: Duration::from_secs(60)
        }),
        ""
    );
    assert_eq!(story.tell(Event::Resumed), "Search");
    assert_eq!(story.open(1), "launch 1 5-16 on 0");
    // Without more time a resumed run only says its end again.
    let mut over = Story::begun(
        Rules {
            baseline: None,
            ..rules()
        },
        1,
    );
    over.at(96.0).tell(Event::Tick);
    assert_eq!(over.tell(Event::Resumed), "ended");
}

#[test]
fn an_event_that_cannot_be_is_dropped_and_said() {
    let mut story = Story::begun(bare(), 1);
    story.suggest(1);
    story.tell(Event::Checkpointed {
        trial: TrialId(1),
        attempt: Attempt(0),
        epoch: 3,
    });
    let Some(Decision::Ignored {
        trial: TrialId(1),
        why,
    }) = story.decisions.last()
    else {
        panic!("it is said")
    };
    assert!(
        why.contains("Launching") && why.contains("Checkpointed"),
        "{why}"
    );
    assert_eq!(story.hello(7), "", "nobody knows trial 7");
    assert_eq!(story.suggest(9), "", "nobody asked for 9");
}

#[test]
fn a_heartbeat_before_the_clock_steps_back_is_not_told_of_in_any_decision() {
    let mut story = Story::begun(
        Rules {
            baseline: None,
            straight: 0,
            ..rules()
        },
        1,
    );
    story.suggest(1);
    story.hello(1);
    story.at(79.5).tell(Event::Heartbeat {
        trial: TrialId(1),
        attempt: Attempt(0),
        step: 1,
    });
    // A replay has no heartbeats: it knows this time alone.
    story.at(79.0).report(1, 1, 1.0);
    let best = story
        .conductor
        .trial(TrialId(1))
        .and_then(|trial| trial.history().best());
    assert_eq!(best.map(|best| best.at), Some(RunTime::from_secs_f64(79.0)));
}
