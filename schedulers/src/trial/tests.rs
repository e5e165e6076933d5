//! The table of the architecture, pair by pair.

use super::*;
use crate::conductor::{Exit, StopReason};
use crate::ids::{Attempt, CostClass, Epochs, RunTime, SlotId, TrialId};
use crate::protocol::FailureKind;
use crate::score::Score;

const NOW: RunTime = RunTime::ZERO;
const SLOT: SlotId = SlotId(1);

fn trial() -> Trial {
    Trial::new(TrialId(3), CostClass(0), Course::Judged, 16, 4)
}

fn after(events: &[TrialEvent]) -> Trial {
    let mut trial = trial();
    for event in events {
        trial.apply(*event).expect("a legal story");
    }
    trial
}

const GRANTED: TrialEvent = TrialEvent::Granted {
    slot: SLOT,
    now: NOW,
};
const HELLO: TrialEvent = TrialEvent::Hello { now: NOW };
const HEARTBEAT: TrialEvent = TrialEvent::Heartbeat { step: 1, now: NOW };
const CONTINUED: TrialEvent = TrialEvent::Continued { to: 16, now: NOW };
const QUEUED: TrialEvent = TrialEvent::Queued { to: 8 };
const KILLED: TrialEvent = TrialEvent::KillAsked { deadline: NOW };

fn leg_ended(epoch: Epochs) -> TrialEvent {
    TrialEvent::LegEnded { epoch, now: NOW }
}

fn reported(epoch: Epochs) -> TrialEvent {
    TrialEvent::Reported {
        epoch,
        score: Score::from_loss(1.0),
        seconds: 1.0,
        now: NOW,
    }
}

fn stop(reason: StopReason) -> TrialEvent {
    TrialEvent::StopAsked {
        reason,
        deadline: NOW,
    }
}

fn exited(how: Exit) -> TrialEvent {
    TrialEvent::Exited { how }
}

fn failed(kind: FailureKind) -> TrialEvent {
    exited(Exit::Failed(kind))
}

fn name(phase: &Phase) -> String {
    let debug = format!("{phase:?}");
    debug
        .split([' ', '{'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn every_pair_of_phase_and_event_is_legal_or_refused_and_then_nothing_changes() {
    let paused = [
        GRANTED,
        HELLO,
        leg_ended(4),
        stop(StopReason::Paused),
        exited(Exit::Ok),
    ];
    let finished = [GRANTED, HELLO, failed(FailureKind::Diverged)];
    let phases: [&[TrialEvent]; 6] = [
        &[],
        &[GRANTED],
        &[GRANTED, HELLO],
        &[GRANTED, HELLO, stop(StopReason::Rung)],
        &paused,
        &finished,
    ];
    // Rows: events. Columns: Pending, Launching, Running, Stopping, Paused, Finished. x is illegal.
    let table = [
        (QUEUED, "Pending x x x Pending x"),
        (GRANTED, "Launching x x x x x"),
        (HELLO, "x Running x Stopping x x"),
        (HEARTBEAT, "x x Running Stopping x x"),
        (reported(1), "x x Running Stopping x x"),
        (
            TrialEvent::Checkpointed { epoch: 1 },
            "x x Running Stopping x x",
        ),
        (leg_ended(4), "x x Running Stopping x x"),
        (CONTINUED, "x x Running x x x"),
        (stop(StopReason::Budget), "x Stopping Stopping x x x"),
        (
            stop(StopReason::User),
            "Finished Stopping Stopping x Finished x",
        ),
        (KILLED, "x x x Stopping x x"),
        (exited(Exit::Ok), "x Pending Finished Finished x x"),
        (
            failed(FailureKind::OutOfMemory),
            "x Pending Pending Finished x x",
        ),
        (
            failed(FailureKind::BadConfig),
            "x Finished Finished Finished x x",
        ),
        (TrialEvent::Interrupted, "x Paused Paused Finished x x"),
    ];
    for (event, row) in table {
        for (story, expected) in phases.iter().zip(row.split(' ')) {
            let mut trial = after(story);
            let before = trial.clone();
            let found = match trial.apply(event) {
                Ok(()) => name(trial.phase()),
                Err(illegal) => {
                    assert_eq!(format!("{trial:?}"), format!("{before:?}"), "{illegal}");
                    "x".to_owned()
                }
            };
            assert_eq!(found, expected, "{} and {event:?}", name(before.phase()));
        }
    }
}

#[test]
fn how_a_process_ends_after_it_was_told_to_go() {
    let outcome = |outcome| Phase::Finished { outcome };
    let failed_as = |kind| outcome(Outcome::Failed { kind });
    let check = |reason, how, expected: Phase| {
        let trial = after(&[GRANTED, HELLO, reported(3), stop(reason), exited(how)]);
        assert_eq!(*trial.phase(), expected, "{reason:?} {how:?}");
    };
    let killed = Exit::Failed(FailureKind::Killed);
    check(StopReason::Completed, Exit::Ok, outcome(Outcome::Completed));
    check(StopReason::Completed, killed, outcome(Outcome::Completed));
    check(
        StopReason::Rung,
        Exit::Ok,
        outcome(Outcome::Stopped {
            by: StoppedBy::Rung,
        }),
    );
    check(
        StopReason::User,
        killed,
        outcome(Outcome::Stopped {
            by: StoppedBy::User,
        }),
    );
    check(StopReason::Paused, Exit::Ok, Phase::Paused);
    check(StopReason::Budget, Exit::Ok, Phase::Paused);
    check(StopReason::Budget, killed, Phase::Paused);
    check(StopReason::Shutdown, killed, Phase::Paused);
    check(StopReason::Preempted, Exit::Ok, Phase::Paused);
    check(
        StopReason::Budget,
        Exit::Failed(FailureKind::Diverged),
        failed_as(FailureKind::Diverged),
    );
    check(
        StopReason::Diverged,
        Exit::Ok,
        failed_as(FailureKind::Diverged),
    );
    check(StopReason::Hung, killed, failed_as(FailureKind::Hung));
    check(StopReason::Lost, killed, Phase::Pending);
    check(StopReason::LaunchFailed, killed, Phase::Pending);
}

#[test]
fn a_trial_that_had_trained_in_full_is_complete_however_it_goes() {
    let story = [
        GRANTED,
        HELLO,
        CONTINUED,
        leg_ended(16),
        stop(StopReason::Budget),
        exited(Exit::Ok),
    ];
    assert_eq!(
        *after(&story).phase(),
        Phase::Finished {
            outcome: Outcome::Completed
        }
    );
    let untold = [GRANTED, HELLO, CONTINUED, reported(16), exited(Exit::Ok)];
    assert_eq!(
        *after(&untold).phase(),
        Phase::Finished {
            outcome: Outcome::Completed
        }
    );
    let early = [GRANTED, HELLO, reported(3), exited(Exit::Ok)];
    let internal = Outcome::Failed {
        kind: FailureKind::Internal,
    };
    assert_eq!(
        *after(&early).phase(),
        Phase::Finished { outcome: internal },
        "leaving untold is a fault"
    );
}

#[test]
fn a_leg_is_retried_once_for_what_is_not_its_fault() {
    for kind in FailureKind::ALL {
        let once = after(&[GRANTED, HELLO, failed(kind)]);
        if !kind.is_worth_a_retry() {
            assert_eq!(
                *once.phase(),
                Phase::Finished {
                    outcome: Outcome::Failed { kind }
                }
            );
            continue;
        }
        assert_eq!(
            (once.phase(), once.attempt(), once.retry_of()),
            (&Phase::Pending, Attempt(1), Some(kind))
        );
        let twice = after(&[GRANTED, HELLO, failed(kind), GRANTED, HELLO, failed(kind)]);
        let is_over = *twice.phase()
            == Phase::Finished {
                outcome: Outcome::Failed { kind },
            };
        assert_eq!(is_over, kind != FailureKind::LauncherDied, "{kind:?}");
    }
    // A leg that went well wipes the slate.
    let oom = failed(FailureKind::OutOfMemory);
    let next_leg = after(&[
        GRANTED,
        HELLO,
        oom,
        GRANTED,
        HELLO,
        leg_ended(4),
        CONTINUED,
        oom,
    ]);
    assert_eq!(
        (next_leg.phase(), next_leg.attempt(), next_leg.checkpoint()),
        (&Phase::Pending, Attempt(2), 4)
    );
}

#[test]
fn a_cut_trial_goes_on_from_its_checkpoint() {
    let cut = after(&[
        GRANTED,
        HELLO,
        reported(1),
        reported(2),
        TrialEvent::Checkpointed { epoch: 2 },
        stop(StopReason::Budget),
        reported(3),
        exited(Exit::Ok),
    ]);
    assert!(cut.is_cut());
    assert_eq!(
        (cut.checkpoint(), cut.to(), cut.history().epochs()),
        (2, 4, 3)
    );
    let ended = after(&[
        GRANTED,
        HELLO,
        leg_ended(4),
        stop(StopReason::Paused),
        exited(Exit::Ok),
    ]);
    assert!(!ended.is_cut());
}
