//! What the backend makes of processes that behave, and of all the ways not to.

use std::fs;

use engine::backend::{Happening, LaunchId, Order};
use schedulers::conductor::Exit;
use schedulers::protocol::{Command, FailureKind};

use super::bench::{Bench, exists};

const ONE: LaunchId = LaunchId(1);

/// One process with a script: how it ends, what words are in its message, whether its pipe leaked.
async fn check(script: &str, how: Exit, words: &str, leaked: bool) {
    let bench = Bench::new("");
    let mut floor = bench.open();
    floor.local.launch(bench.trial(1, script));
    let heard = floor.until_gone(ONE).await;
    let (its_how, message, its_leak) = heard.end.clone().unwrap();
    assert_eq!((its_how, its_leak), (how, leaked), "{script}: {message}");
    assert!(
        message.contains(words),
        "{script}: {message:?} lacks {words:?}"
    );
    assert!(!exists(heard.pid.unwrap()), "{script}: it is still there");
    floor.local.close().await;
}

#[tokio::test]
async fn a_process_ends_as_its_exit_code_signal_or_last_words_say() {
    use FailureKind::{Crashed, Diverged, Internal, Killed, OutOfMemory};
    let failed = Exit::Failed;
    check("hello report=0.5 exit=0", Exit::Ok, "", false).await;
    check("hello exit=72", failed(OutOfMemory), "exit code 72", false).await;
    check("hello exit=7", failed(Crashed), "exit code 7", false).await;
    check("exit=0", Exit::Ok, "", false).await;
    check("hello fail=loss", failed(Diverged), "loss", false).await;
    check("hello raise=SIGFPE", failed(Crashed), "SIGFPE", false).await;
    check("hello raise=SIGKILL", failed(Killed), "SIGKILL", false).await;
    check(
        "hello garbage hang",
        failed(Internal),
        "does not speak the protocol",
        false,
    )
    .await;
    check(
        "hello endless-line",
        failed(Internal),
        "does not speak the protocol",
        false,
    )
    .await;
    check("hello close exit=3", failed(Crashed), "exit code 3", false).await;
    check("hello leave-child exit=0", Exit::Ok, "", true).await;
}

#[tokio::test]
async fn a_leg_is_trained_continued_and_paused_by_commands() {
    let bench = Bench::new("");
    let mut floor = bench.open();
    floor
        .local
        .launch(bench.trial(1, "say=printed hello train"));
    floor.until_said(ONE, "leg_end").await;
    floor
        .local
        .order(ONE, Order::Tell(Command::Continue { to: 4 }));
    while floor.heard[&ONE]
        .said
        .iter()
        .filter(|kind| *kind == "leg_end")
        .count()
        < 2
    {
        floor.next().await;
    }
    floor.local.order(ONE, Order::Tell(Command::Pause));
    let heard = floor.until_gone(ONE).await;
    let leg = ["report", "report", "checkpoint", "leg_end"];
    assert_eq!(heard.said, [&["hello"][..], &leg, &leg].concat());
    assert_eq!(heard.end, Some((Exit::Ok, String::new(), false)));
    assert_eq!(
        fs::read_to_string(bench.dir.path().join("1/stdout.log")).unwrap(),
        "printed\n"
    );
    floor.local.close().await;
}

#[tokio::test]
async fn a_flood_of_words_arrives_whole() {
    let bench = Bench::new("");
    let mut floor = bench.open();
    floor
        .local
        .launch(bench.trial(1, "hello flood=20000 exit=0"));
    assert_eq!(floor.until_gone(ONE).await.said.len(), 20_001);
    floor.local.close().await;
}

#[tokio::test]
async fn a_process_that_ignores_sigterm_is_killed_soon_after() {
    let bench = Bench::new("");
    let mut floor = bench.open();
    for (trial, script) in [
        (1, "deaf hello hang"),
        (2, "hello hang"),
        (3, "deaf hello hang"),
    ] {
        floor.local.launch(bench.trial(trial, script));
    }
    for trial in 1..=3 {
        floor.until_said(LaunchId(trial), "hello").await;
    }
    floor.kill(ONE);
    floor.kill(LaunchId(2));
    floor.local.order(LaunchId(3), Order::KillNow);
    for (trial, signal) in [(1, "SIGKILL"), (2, "SIGTERM"), (3, "SIGKILL")] {
        let (how, message, _) = floor.until_gone(LaunchId(trial)).await.end.clone().unwrap();
        assert_eq!(how, Exit::Failed(FailureKind::Killed));
        assert!(message.contains(signal), "{trial}: {message}");
    }
    floor.local.close().await;
}

#[tokio::test]
async fn closing_the_backend_leaves_no_process_behind() {
    let bench = Bench::new("");
    let mut floor = bench.open();
    let mut pids = Vec::new();
    for trial in 1..=4 {
        floor
            .local
            .launch(bench.trial(trial, "deaf hello leave-child hang"));
        floor.until_said(LaunchId(u64::from(trial)), "hello").await;
        pids.push(floor.heard[&LaunchId(u64::from(trial))].pid.unwrap());
    }
    floor.local.close().await;
    assert!(pids.iter().all(|pid| !exists(*pid)), "{pids:?}");
}

#[tokio::test]
async fn a_refused_fork_is_the_end_of_that_launch_alone() {
    let bench = Bench::new("refuse");
    let mut floor = bench.open();
    floor.local.launch(bench.trial(1, "hello"));
    let heard = floor.until_gone(ONE).await;
    let refused = (
        Exit::Failed(FailureKind::LaunchFailed),
        "it is told to refuse".to_owned(),
        false,
    );
    assert_eq!((heard.pid, heard.end.clone()), (None, Some(refused)));
    floor.local.close().await;
}

#[tokio::test]
async fn a_launcher_of_another_version_is_not_worked_with() {
    let bench = Bench::new("wrong-version");
    let mut floor = bench.open();
    floor.local.launch(bench.trial(1, "hello"));
    floor.local.launch(bench.trial(2, "hello"));
    for id in [ONE, LaunchId(2)] {
        let (how, _, _) = floor.until_gone(id).await.end.clone().unwrap();
        assert!(
            matches!(
                how,
                Exit::Failed(FailureKind::WrongVersion | FailureKind::LauncherDied)
            ),
            "{how:?}"
        );
    }
    floor.local.close().await;
}

#[tokio::test]
async fn a_launcher_that_keeps_dying_is_started_three_times_more_and_then_done_without() {
    let bench = Bench::new("die");
    let mut floor = bench.open();
    let mut deaths = Vec::new();
    while deaths.len() < 4 {
        if let Happening::LauncherDied { restarts, again } = floor.next().await {
            deaths.push((restarts, again));
        }
    }
    assert_eq!(deaths, [(0, true), (1, true), (2, true), (3, false)]);
    floor.local.launch(bench.trial(1, "hello train"));
    floor.until_said(ONE, "leg_end").await;
    floor.local.order(ONE, Order::Tell(Command::Stop));
    let heard = floor.until_gone(ONE).await;
    assert_eq!(
        (heard.said.len(), heard.end.clone()),
        (5, Some((Exit::Ok, String::new(), false))),
        "it trained cold"
    );
    floor.local.close().await;
}

#[tokio::test]
async fn a_launcher_that_dies_takes_only_the_launch_it_was_at() {
    let bench = Bench::new("die-after-fork");
    let mut floor = bench.open();
    floor.local.launch(bench.trial(1, "hello train"));
    floor.until_died().await;
    floor.local.launch(bench.trial(2, "hello train"));
    floor.until_said(ONE, "leg_end").await;
    floor.until_said(LaunchId(2), "leg_end").await;
    for id in [ONE, LaunchId(2)] {
        floor.local.order(id, Order::Tell(Command::Pause));
        assert_eq!(
            floor.until_gone(id).await.end,
            Some((Exit::Ok, String::new(), false))
        );
    }
    floor.local.close().await;

    let bench = Bench::new("die-on-fork");
    let mut floor = bench.open();
    floor.local.launch(bench.trial(1, "hello"));
    assert_eq!(
        floor.until_gone(ONE).await.end.as_ref().unwrap().0,
        Exit::Failed(FailureKind::LauncherDied)
    );
    floor.local.close().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_fails_each_launch_with_its_name() {
    let mut bench = Bench::new("");
    bench.binary = bench.dir.path().join("gone");
    let mut floor = bench.open();
    floor.local.launch(bench.trial(1, "hello"));
    let (how, message, _) = floor.until_gone(ONE).await.end.clone().unwrap();
    assert_eq!(how, Exit::Failed(FailureKind::LaunchFailed));
    assert!(
        message.contains("gone") && message.contains("No such file"),
        "{message}"
    );
    floor.local.close().await;
}
