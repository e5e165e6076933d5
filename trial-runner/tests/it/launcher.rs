//! What the launcher promises, whatever the task.

use std::fs;
use std::process::Command as Process;

use nix::sys::wait::WaitStatus;
use nix::unistd::getpgid;
use schedulers::protocol::{
    EvaluateTask, FailureKind, LauncherReply, LauncherRequest, Task, TaskSpec, TrialMessage,
};

use crate::engine::{Launcher, binary, write_spec};

/// A task that fails at once, behind its hello.
fn doomed(dir: &std::path::Path) -> TaskSpec {
    let task = EvaluateTask {
        model_dir: dir.join("no model"),
        prepared: dir.join("no data"),
        part: "test".into(),
        metrics: vec![],
    };
    TaskSpec::new(Task::Evaluate(task))
}

#[test]
fn a_task_is_a_child_of_the_engine_in_a_group_of_its_own_and_its_exit_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    write_spec(dir.path(), &doomed(dir.path()));
    let mut launcher = Launcher::start();
    for _ in 0..3 {
        let trial = launcher.fork(dir.path());
        let pid = trial.pid;
        assert_eq!(getpgid(Some(pid)), Ok(pid));
        let (messages, exit) = trial.end();
        let [
            TrialMessage::Hello {
                version: 1,
                pid: said,
                ..
            },
            TrialMessage::Failed { failure, message },
        ] = messages.as_slice()
        else {
            panic!("{messages:?}")
        };
        assert_eq!(said.cast_signed(), pid.as_raw());
        assert_eq!(*failure, FailureKind::BadData);
        assert!(message.contains("no model"), "{message}");
        assert_eq!(exit, WaitStatus::Exited(pid, 74));
        let log = fs::read_to_string(dir.path().join("stderr.log")).unwrap();
        assert_eq!(log, format!("error: {message}\n"));
    }
}

#[test]
fn a_task_of_another_version_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let text = doomed(dir.path())
        .to_json()
        .unwrap()
        .replace("\"version\": 1", "\"version\": 2");
    fs::write(dir.path().join("spec.json"), text).unwrap();
    let trial = Launcher::start().fork(dir.path());
    let pid = trial.pid;
    let (messages, exit) = trial.end();
    let [
        TrialMessage::Failed {
            failure: FailureKind::WrongVersion,
            message,
        },
    ] = messages.as_slice()
    else {
        panic!("{messages:?}")
    };
    assert!(
        message.ends_with("has version 2, and this program reads version 1"),
        "{message}"
    );
    assert_eq!(exit, WaitStatus::Exited(pid, 75));
}

#[test]
fn a_request_without_its_descriptors_is_refused_and_the_next_one_served() {
    let dir = tempfile::tempdir().unwrap();
    write_spec(dir.path(), &doomed(dir.path()));
    let mut launcher = Launcher::start();
    let reply = launcher.request(
        &LauncherRequest::Fork {
            id: 3,
            spec: dir.path().join("spec.json"),
        },
        &[],
    );
    assert_eq!(
        reply,
        LauncherReply::Refused {
            id: 3,
            why: "a fork needs 4 descriptors, and 0 came".into()
        }
    );
    let (messages, _) = launcher.fork(dir.path()).end();
    assert!(matches!(messages[0], TrialMessage::Hello { .. }));
}

#[test]
fn the_launcher_ends_when_the_engine_asks_or_is_gone() {
    let mut launcher = Launcher::start();
    launcher.quit();
    assert_eq!(launcher.process.wait().unwrap().code(), Some(0));
    let mut launcher = Launcher::start();
    launcher.hang_up();
    assert_eq!(launcher.process.wait().unwrap().code(), Some(0));
}

#[test]
fn a_cold_start_by_hand_reports_on_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    write_spec(dir.path(), &doomed(dir.path()));
    let output = Process::new(binary())
        .arg("run")
        .arg(dir.path().join("spec.json"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(74));
    let lines: Vec<TrialMessage> = output
        .stdout
        .split(|&b| b == b'\n')
        .filter(|l| !l.is_empty())
        .map(|l| serde_json::from_slice(l).unwrap())
        .collect();
    assert!(
        matches!(
            lines.as_slice(),
            [TrialMessage::Hello { .. }, TrialMessage::Failed { .. }]
        ),
        "{lines:?}"
    );
}

#[test]
fn wrong_usage_is_one_error_and_one_hint() {
    for args in [
        &["frobnicate"][..],
        &["run"],
        &["predict", "--spec"],
        &["launcher", "x"],
    ] {
        let output = Process::new(binary()).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        let starts: Vec<&str> = said
            .lines()
            .map(|line| line.split(' ').next().unwrap())
            .collect();
        assert_eq!(starts, ["error:", "hint:"], "{said}");
    }
}
