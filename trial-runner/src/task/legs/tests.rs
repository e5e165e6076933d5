//! The loop over legs with a learner that follows a script, and a real link.

use std::fs::File;
use std::io::{Read, Write};

use datasets::encode::{Schema, Target, TargetKind};
use schedulers::protocol::{Command, Lines, Report, TrainOn, encode};

use super::*;
use crate::package::{About, Family, Package};
use crate::session::Pulse;

/// When the engine does something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// In the middle of this epoch.
    Within(u32),
    /// When this epoch is over.
    After(u32),
    /// When this epoch, the last of its leg, is being saved.
    Saving(u32),
}

/// Epochs without improvement after which a learner is exhausted.
const PATIENCE: u32 = 3;

/// Improves by 1 an epoch up to `peak`, and gets worse after. Holds the engine's end of
/// the command pipe, so that a command comes exactly when the script says.
struct Scripted<'a> {
    epoch: u32,
    peak: u32,
    /// What the engine says, and when; `None` is that it dies.
    script: &'a [(When, Option<Command>)],
    engine: Option<File>,
    saved: Vec<u32>,
}

impl Scripted<'_> {
    /// Does what the script has for this moment; whether there was something.
    fn act(&mut self, now: When) -> bool {
        match self.script.iter().find(|(when, _)| *when == now) {
            Some((_, Some(command))) => self
                .engine
                .as_mut()
                .unwrap()
                .write_all(&encode(command).unwrap())
                .unwrap(),
            Some((_, None)) => self.engine = None,
            None => return false,
        }
        true
    }
}

/// Returns when the listening thread has understood.
fn await_ask(pulse: &Pulse) {
    while pulse.beat() == Ask::GoOn {
        std::thread::yield_now();
    }
}

impl Learner for Scripted<'_> {
    fn n_params(&self) -> u64 {
        1
    }

    fn n_rows(&self) -> u64 {
        1
    }

    fn epochs(&self) -> u32 {
        self.epoch
    }

    fn is_exhausted(&self) -> bool {
        self.epoch >= self.peak + PATIENCE
    }

    fn train_epoch(&mut self, pulse: &Pulse) -> Result<Option<Report>> {
        if self.act(When::Within(self.epoch + 1)) {
            await_ask(pulse);
            return Ok(None);
        }
        self.epoch += 1;
        if self.act(When::After(self.epoch)) {
            await_ask(pulse);
        }
        let (best_epoch, best_score) = self.best();
        let score = f64::from(self.peak) - f64::from(self.peak.abs_diff(self.epoch));
        Ok(Some(Report {
            epoch: self.epoch,
            loss: 0.5,
            score,
            scores: [("r2".to_owned(), score)].into(),
            best_epoch,
            best_score,
            train_s: 0.25,
            eval_s: 0.0,
            n_rows: 1,
        }))
    }

    fn best(&self) -> (u32, f64) {
        let epoch = self.epoch.min(self.peak);
        (epoch, f64::from(epoch))
    }

    fn save(&mut self) -> Result<()> {
        self.saved.push(self.epoch);
        self.act(When::Saving(self.epoch));
        Ok(())
    }

    fn package(&self) -> Result<Package> {
        let target = Target {
            name: "y".into(),
            column: "y".into(),
            kind: TargetKind::Number,
            classes: Vec::new(),
            recode: None,
        };
        let epoch = Some(self.best().0);
        let schema = Schema {
            features: Vec::new(),
            n_numbers: 0,
            n_categories: 0,
            n_texts: 0,
            target,
        };
        Ok(Package {
            about: About {
                epoch,
                ..About::new(Family::Constant, &schema)
            },
            config: String::new(),
            encodings: serde_json::json!({ "schema": schema }),
            weights: safetensors::serialize(
                Vec::<(&str, safetensors::tensor::TensorView<'_>)>::new(),
                None,
            )
            .unwrap(),
        })
    }
}

/// Trains from 0 to `to` under a script: what is said, the epochs that are saved, and the
/// epoch of the model in the trial's folder.
fn check(
    to: u32,
    script: &[(When, Option<Command>)],
    said: &[&str],
    saved: &[u32],
    packaged: Option<u32>,
) {
    let dir = tempfile::tempdir().unwrap();
    let (command_read, command_write) = nix::unistd::pipe().unwrap();
    let (report_read, report_write) = nix::unistd::pipe2(nix::fcntl::OFlag::O_NONBLOCK).unwrap();
    let mut link = Link::new(Some(report_write));
    link.listen(command_read).unwrap();
    let mut learner = Scripted {
        epoch: 0,
        peak: 2,
        script,
        engine: Some(File::from(command_write)),
        saved: Vec::new(),
    };
    let task = TrainTask {
        trial: 1,
        attempt: 1,
        config: "config.yaml".into(),
        prepared: "prepared".into(),
        trial_dir: dir.path().to_owned(),
        from: 0,
        to,
        full: 9,
        epoch_rows: None,
        seed: 1,
        metric: "r2".into(),
        on: TrainOn::Train,
        checkpoint_every_s: 1e9,
    };
    run(&mut learner, &task, &link).unwrap();
    assert_eq!(read_said(File::from(report_read)), said);
    assert_eq!(learner.saved, saved);
    let package = Package::read(&dir.path().join("model")).ok();
    assert_eq!(package.and_then(|package| package.about.epoch), packaged);
}

/// What is in the pipe, in short.
fn read_said(mut pipe: File) -> Vec<String> {
    let mut block = [0; 65536];
    let n = pipe.read(&mut block).unwrap_or(0);
    let mut lines = Lines::default();
    lines.push(&block[..n]);
    let mut said = Vec::new();
    while let Some(message) = lines.next_message().unwrap() {
        match message {
            TrialMessage::Report(report) => said.push(format!("report {}", report.epoch)),
            TrialMessage::Checkpoint { epoch } => said.push(format!("checkpoint {epoch}")),
            TrialMessage::LegEnd {
                epoch,
                best_epoch,
                train_s,
                ..
            } => said.push(format!("end {epoch} best {best_epoch} in {train_s}")),
            TrialMessage::Heartbeat { .. } => {}
            other @ (TrialMessage::Hello { .. }
            | TrialMessage::Started { .. }
            | TrialMessage::Result(_)
            | TrialMessage::Failed { .. }) => {
                panic!("{other:?} is not for the loop to say")
            }
        }
    }
    said
}

#[test]
fn a_leg_reports_each_epoch_saves_and_waits_for_its_verdict() {
    let script = [(When::Saving(2), Some(Command::Pause))];
    check(
        2,
        &script,
        &["report 1", "report 2", "end 2 best 2 in 0.5"],
        &[2],
        Some(2),
    );
}

#[test]
fn a_verdict_of_continue_goes_on_in_the_same_process_and_keeps_the_best_model() {
    let script = [
        (When::Saving(1), Some(Command::Continue { to: 4 })),
        (When::Saving(4), Some(Command::Stop)),
    ];
    let said = [
        "report 1",
        "end 1 best 1 in 0.25",
        "report 2",
        "report 3",
        "report 4",
        "end 4 best 2 in 0.75",
    ];
    check(1, &script, &said, &[1, 4], Some(2));
}

#[test]
fn a_stop_within_an_epoch_leaves_at_that_step_and_keeps_the_best_model() {
    check(
        3,
        &[(When::Within(2), Some(Command::Stop))],
        &["report 1"],
        &[],
        Some(1),
    );
    check(3, &[(When::Within(1), Some(Command::Stop))], &[], &[], None);
}

#[test]
fn a_wish_to_leave_between_two_epochs_is_met_with_a_checkpoint() {
    let said = ["report 1", "checkpoint 1"];
    for wish in [Some(Command::Pause), Some(Command::Stop), None] {
        check(3, &[(When::After(1), wish)], &said, &[1], Some(1));
    }
}

#[test]
fn a_trial_whose_engine_dies_leaves_wherever_it_is() {
    check(3, &[(When::Within(2), None)], &["report 1"], &[], Some(1));
    check(
        1,
        &[(When::Saving(1), None)],
        &["report 1", "end 1 best 1 in 0.25"],
        &[1],
        Some(1),
    );
}

#[test]
fn a_learner_whose_patience_is_at_its_end_reaches_every_rung_at_once() {
    let script = [(When::Saving(5), Some(Command::Pause))];
    let said = [
        "report 1",
        "report 2",
        "report 3",
        "report 4",
        "report 5",
        "end 9 best 2 in 1.25",
    ];
    check(9, &script, &said, &[5], Some(2));
}
