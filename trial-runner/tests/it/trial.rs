//! What a trial process does between its fork and its exit.

use std::fs;
use std::process::Command as Process;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::WaitStatus;
use schedulers::protocol::{
    Command, EvaluateTask, FailureKind, ProbeTask, Report, Task, TaskResult, TaskSpec, TrainOn,
    TrialMessage,
};
use trial_runner::package::{Family, Package};

use crate::engine::{Launcher, Trial, binary, write_spec};
use crate::tiny::{Tiny, linear_config, names_in, network_config};

/// What a report says of the training itself: all of it but the times.
fn learned(message: &TrialMessage) -> Option<(u32, u64, u64, u32)> {
    let TrialMessage::Report(Report {
        epoch,
        loss,
        score,
        best_epoch,
        ..
    }) = message
    else {
        return None;
    };
    Some((*epoch, loss.to_bits(), score.to_bits(), *best_epoch))
}

fn is_leg_end(message: &TrialMessage) -> bool {
    matches!(message, TrialMessage::LegEnd { .. })
}

fn is_report(message: &TrialMessage) -> bool {
    learned(message).is_some()
}

/// Waits for the end of the leg, lets the trial pause, and gives what was learned.
fn finish_leg(mut trial: Trial) -> Vec<(u32, u64, u64, u32)> {
    let messages = trial.until(is_leg_end);
    trial.say(Command::Pause);
    let pid = trial.pid;
    assert_eq!(trial.end(), (vec![], WaitStatus::Exited(pid, 0)));
    messages.iter().filter_map(learned).collect()
}

#[test]
fn a_leg_says_hello_reports_each_epoch_and_leaves_checkpoint_and_model() {
    let tiny = Tiny::new();
    let (dir, _) = tiny.trial("1", &network_config(16), 0, 2);
    let mut launcher = Launcher::start();
    let mut trial = launcher.fork(&dir);
    let messages = trial.until(is_leg_end);
    let [
        TrialMessage::Hello {
            trial: 3,
            attempt: 1,
            ..
        },
        TrialMessage::Started {
            n_params, n_rows, ..
        },
        TrialMessage::Report(first),
        TrialMessage::Report(second),
        TrialMessage::LegEnd {
            epoch: 2,
            best_epoch,
            best_score,
            ..
        },
    ] = messages.as_slice()
    else {
        panic!("{messages:#?}")
    };
    assert!(
        *n_params > 0 && *n_rows == first.n_rows && first.n_rows > 300,
        "{n_params} {n_rows}"
    );
    assert!(
        second.score > 0.5 && second.scores.contains_key("log_loss"),
        "{second:?}"
    );
    assert_eq!(
        (second.best_epoch, second.best_score),
        (*best_epoch, *best_score)
    );
    assert!(trial.lives(), "it waits for its verdict");
    trial.say(Command::Continue { to: 3 });
    assert!(
        matches!(trial.until(is_leg_end).as_slice(), [TrialMessage::Report(third), TrialMessage::LegEnd { epoch: 3, .. }] if third.epoch == 3)
    );
    trial.say(Command::Stop);
    let pid = trial.pid;
    assert_eq!(trial.end(), (vec![], WaitStatus::Exited(pid, 0)));

    let package = Package::read(&dir.join("model")).unwrap();
    assert_eq!(
        (package.about.family, package.about.trial, package.config),
        (Family::Network, Some(3), network_config(16))
    );
    assert_eq!(
        names_in(&dir.join("checkpoint")),
        ["current.safetensors", "previous.safetensors"]
    );
    assert_eq!(fs::read_to_string(dir.join("stderr.log")).unwrap(), "");
}

#[test]
fn a_trial_that_paused_goes_on_as_if_it_had_not_and_so_does_one_started_cold() {
    let tiny = Tiny::new();
    let mut launcher = Launcher::start();
    let (straight, _) = tiny.trial("straight", &network_config(16), 0, 4);
    let expected = finish_leg(launcher.fork(&straight));
    assert_eq!(expected.len(), 4);

    let (paused, _) = tiny.trial("paused", &network_config(16), 0, 1);
    let mut learned_in_legs = finish_leg(launcher.fork(&paused));
    let (paused, _) = tiny.trial("paused", &network_config(16), 1, 4);
    learned_in_legs.extend(finish_leg(launcher.fork(&paused)));
    assert_eq!(learned_in_legs, expected);

    let (cold, _) = tiny.trial("cold", &network_config(16), 0, 4);
    let output = Process::new(binary())
        .arg("run")
        .arg(cold.join("spec.json"))
        .output()
        .unwrap();
    let lines = output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty());
    let messages: Vec<TrialMessage> = lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(
        messages.iter().filter_map(learned).collect::<Vec<_>>(),
        expected
    );
    assert_eq!(output.status.code(), Some(0));

    let weights = |name: &str| {
        Package::read(&tiny.path(name).join("model"))
            .unwrap()
            .weights
    };
    assert_eq!(weights("paused"), weights("straight"));
    assert_eq!(weights("cold"), weights("straight"));
}

#[test]
fn a_trial_whose_batch_was_halved_goes_on_from_its_checkpoint() {
    let tiny = Tiny::new();
    let mut launcher = Launcher::start();
    let (dir, _) = tiny.trial("halved", &network_config(16), 0, 2);
    let first = finish_leg(launcher.fork(&dir));
    let halved = network_config(16).replace("batch_size: 64", "batch_size: 32");
    assert!(halved != network_config(16));
    let (dir, _) = tiny.trial("halved", &halved, 2, 4);
    let second = finish_leg(launcher.fork(&dir));
    let epochs =
        |leg: &[(u32, u64, u64, u32)]| leg.iter().map(|report| report.0).collect::<Vec<_>>();
    assert_eq!((epochs(&first), epochs(&second)), (vec![1, 2], vec![3, 4]));
    assert_eq!(Package::read(&dir.join("model")).unwrap().config, halved);
}

#[test]
fn a_killed_trial_takes_nobody_with_it_and_its_folder_can_be_gone_on_with() {
    let tiny = Tiny::new();
    let mut launcher = Launcher::start();
    let (dir, _) = tiny.trial("1", &network_config(16), 0, 1);
    finish_leg(launcher.fork(&dir));
    let (dir, _) = tiny.trial("1", &network_config(16), 1, 1_000_000);
    let mut trial = launcher.fork(&dir);
    trial.until(is_report);
    let pid = trial.pid;
    kill(pid, Signal::SIGKILL).unwrap();
    assert_eq!(
        trial.end().1,
        WaitStatus::Signaled(pid, Signal::SIGKILL, false)
    );
    let (dir, _) = tiny.trial("1", &network_config(16), 1, 2);
    assert_eq!(
        finish_leg(launcher.fork(&dir))
            .last()
            .map(|learned| learned.0),
        Some(2)
    );
}

#[test]
fn a_trial_whose_engine_is_gone_leaves_a_checkpoint_or_an_older_one() {
    let tiny = Tiny::new();
    let mut launcher = Launcher::start();
    let (dir, _) = tiny.trial("1", &network_config(16), 0, 1_000_000);
    let mut trial = launcher.fork(&dir);
    trial.until(is_report);
    trial.commands = None;
    let pid = trial.pid;
    let (messages, exit) = trial.end();
    assert_eq!(exit, WaitStatus::Exited(pid, 0));
    assert!(!messages.iter().any(is_leg_end));
    assert!(Package::read(&dir.join("model")).unwrap().about.epoch > Some(0));
}

#[test]
fn a_stop_is_met_within_the_epoch() {
    let tiny = Tiny::new();
    let mut launcher = Launcher::start();
    let (dir, _) = tiny.trial("1", &network_config(16), 0, 1_000_000);
    let mut trial = launcher.fork(&dir);
    trial.until(is_report);
    trial.say(Command::Stop);
    let pid = trial.pid;
    assert_eq!(trial.end().1, WaitStatus::Exited(pid, 0));
}

#[test]
fn a_trial_keeps_to_the_cores_of_its_slot() {
    let tiny = Tiny::new();
    let (dir, mut spec) = tiny.trial("1", &network_config(16), 0, 1);
    spec.cpus = vec![0];
    write_spec(&dir, &spec);
    let mut launcher = Launcher::start();
    let mut trial = launcher.fork(&dir);
    trial.until(is_leg_end);
    let status = fs::read_to_string(format!("/proc/{}/status", trial.pid)).unwrap();
    let cores = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .map(str::trim);
    assert_eq!(cores, Some("0"));
}

#[test]
fn a_trial_over_its_memory_limit_ends_as_out_of_memory() {
    let tiny = Tiny::new();
    let (dir, mut spec) = tiny.trial("1", &network_config(200_000_000), 0, 1);
    spec.memory_limit_bytes = Some(1 << 30);
    write_spec(&dir, &spec);
    let trial = Launcher::start().fork(&dir);
    let pid = trial.pid;
    let (_, exit) = trial.end();
    assert_eq!(
        exit,
        WaitStatus::Exited(pid, 72),
        "{}",
        fs::read_to_string(dir.join("stderr.log")).unwrap()
    );
}

#[test]
fn a_config_and_data_that_cannot_be_used_are_told_apart() {
    let tiny = Tiny::new();
    let mut launcher = Launcher::start();
    let mut check = |dir: &std::path::Path, expected: FailureKind, word: &str| {
        let trial = launcher.fork(dir);
        let pid = trial.pid;
        let (messages, exit) = trial.end();
        let Some(TrialMessage::Failed { failure, message }) = messages.last() else {
            panic!("{messages:?}")
        };
        assert_eq!(*failure, expected, "{message}");
        assert!(message.contains(word), "{message}");
        assert_eq!(
            exit,
            WaitStatus::Exited(pid, i32::from(expected.exit_code().unwrap()))
        );
    };
    let (dir, _) = tiny.trial(
        "misspelt",
        &network_config(16).replace("num_fc_layers", "num_fc_layer"),
        0,
        1,
    );
    check(&dir, FailureKind::BadConfig, "num_fc_layers");
    let (dir, _) = tiny.trial(
        "stranger",
        &network_config(16).replace("name: age", "name: rage"),
        0,
        1,
    );
    check(&dir, FailureKind::BadConfig, "rage");
    let (dir, _) = tiny.trial("no checkpoint", &network_config(16), 5, 6);
    check(&dir, FailureKind::BadData, "begins at epoch 5");
    let (dir, mut spec) = tiny.trial("no data", &network_config(16), 0, 1);
    if let Task::Train(task) = &mut spec.task {
        task.prepared = tiny.path("nowhere");
    }
    write_spec(&dir, &spec);
    check(&dir, FailureKind::Storage, "nowhere");
}

#[test]
fn the_linear_baseline_is_one_epoch_and_refits_on_both_parts() {
    let tiny = Tiny::new();
    let mut launcher = Launcher::start();
    let (dir, mut spec) = tiny.trial("1", &linear_config(), 0, 100);
    let mut trial = launcher.fork(&dir);
    let messages = trial.until(is_leg_end);
    let [
        _,
        TrialMessage::Started { n_rows, .. },
        TrialMessage::Report(report),
        TrialMessage::LegEnd {
            epoch: 100,
            best_epoch: 1,
            ..
        },
    ] = messages.as_slice()
    else {
        panic!("{messages:#?}")
    };
    assert!(report.score > 0.8 && report.scores.len() > 3, "{report:?}");
    trial.say(Command::Pause);
    assert_eq!(
        Package::read(&dir.join("model")).unwrap().about.family,
        Family::Linear
    );

    if let Task::Train(task) = &mut spec.task {
        task.on = TrainOn::TrainAndValidation;
    }
    write_spec(&dir, &spec);
    let mut trial = launcher.fork(&dir);
    let messages = trial.until(is_leg_end);
    let more = messages.iter().find_map(|message| {
        let TrialMessage::Report(report) = message else {
            return None;
        };
        Some((report.n_rows, report.score.is_nan()))
    });
    assert!(
        more.is_some_and(|(more, no_score)| more > *n_rows && no_score),
        "{more:?}"
    );
}

#[test]
fn a_model_is_scored_on_a_part_as_its_trial_scored_it() {
    let tiny = Tiny::new();
    let mut launcher = Launcher::start();
    for (name, config) in [("network", network_config(16)), ("linear", linear_config())] {
        let (dir, _) = tiny.trial(name, &config, 0, 3);
        let mut trial = launcher.fork(&dir);
        let messages = trial.until(is_leg_end);
        trial.say(Command::Pause);
        let Some(TrialMessage::LegEnd { best_score, .. }) = messages.last() else {
            panic!("{messages:?}")
        };
        let scored = |part: &str| {
            let metrics = vec!["roc_auc".to_owned(), "accuracy".to_owned()];
            Task::Evaluate(EvaluateTask {
                model_dir: dir.join("model"),
                prepared: tiny.path("prepared"),
                part: part.into(),
                metrics,
            })
        };
        let mut scores = Vec::new();
        for part in ["validation", "test"] {
            write_spec(&dir, &TaskSpec::new(scored(part)));
            let (messages, _) = launcher.fork(&dir).end();
            let Some(TrialMessage::Result(TaskResult::Evaluate {
                scores: of_part, ..
            })) = messages.last()
            else {
                panic!("{messages:?}")
            };
            scores.push(of_part["roc_auc"]);
        }
        assert_eq!(scores[0].to_bits(), best_score.to_bits(), "{name}");
        assert!(
            scores[1] > 0.6 && scores[1].to_bits() != scores[0].to_bits(),
            "{name}: {scores:?}"
        );
    }
}

#[test]
fn a_probe_times_an_epoch_and_leaves_nothing_behind() {
    let tiny = Tiny::new();
    let (dir, _) = tiny.trial("1", &network_config(16), 0, 1);
    let task = ProbeTask {
        config: dir.join("config.yaml"),
        prepared: tiny.path("prepared"),
        seconds: 0.05,
        epoch_rows: None,
    };
    write_spec(&dir, &TaskSpec::new(Task::Probe(task)));
    let before = names_in(&dir);
    let (messages, _) = Launcher::start().fork(&dir).end();
    let Some(TrialMessage::Result(TaskResult::Probe {
        seconds_per_epoch,
        fixed_seconds,
        validation_seconds,
        n_params,
    })) = messages.last()
    else {
        panic!("{messages:?}")
    };
    assert!(
        *seconds_per_epoch > 0.0
            && *seconds_per_epoch < 5.0
            && *fixed_seconds > 0.0
            && *validation_seconds > 0.0
            && *n_params > 0,
        "{messages:?}"
    );
    let mut after = names_in(&dir);
    after.retain(|name| !name.ends_with(".log"));
    assert_eq!(after, before);
}
