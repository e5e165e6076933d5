//! A workbench: the scripted trial program in a folder of its own, and tasks for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::backend::{Happening, Launch, LaunchId, Local, Order, become_subreaper};
use schedulers::conductor::Exit;
use schedulers::protocol::{Task, TaskSpec, TrainOn, TrainTask};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// No test waits longer for anything; a machine under load is slow, not late.
const PATIENCE: Duration = Duration::from_secs(30);

/// The scripted trial program; Cargo builds examples with tests.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/scripted-trial")
}

/// A folder with the program in it.
pub(crate) struct Bench {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) binary: PathBuf,
}

impl Bench {
    /// `launcher` is how the launcher misbehaves; nothing for a good one.
    pub(crate) fn new(launcher: &str) -> Self {
        become_subreaper().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let binary = dir.path().join("autotune-trial");
        std::os::unix::fs::symlink(program(), &binary).unwrap();
        fs::write(dir.path().join("launcher-script"), launcher).unwrap();
        Self { dir, binary }
    }

    /// Opens the backend.
    pub(crate) fn open(&self) -> Floor {
        let (local, happenings) = Local::open(&self.binary, &self.dir.path().join("launcher.log"));
        Floor {
            local,
            happenings,
            heard: BTreeMap::new(),
        }
    }

    /// A trial's folder with a task of epochs 0 to 2 and a script.
    pub(crate) fn trial(&self, trial: u32, script: &str) -> Launch {
        let dir = self.dir.path().join(trial.to_string());
        fs::create_dir(&dir).unwrap();
        let task = TrainTask {
            trial,
            attempt: 0,
            config: dir.join("config.yaml"),
            prepared: dir.join("prepared"),
            trial_dir: dir.clone(),
            from: 0,
            to: 2,
            full: 4,
            epoch_rows: None,
            seed: 1,
            metric: "roc_auc".to_owned(),
            on: TrainOn::Train,
            checkpoint_every_s: 1.0,
        };
        let spec = dir.join("spec.json");
        fs::write(&spec, TaskSpec::new(Task::Train(task)).to_json().unwrap()).unwrap();
        fs::write(dir.join("script"), script).unwrap();
        Launch {
            id: LaunchId(u64::from(trial)),
            spec,
            dir,
        }
    }
}

/// An open backend, and what was heard from it.
pub(crate) struct Floor {
    pub(crate) local: Local,
    happenings: mpsc::Receiver<Happening>,
    /// By launch: its pid, its messages by kind, its end.
    pub(crate) heard: BTreeMap<LaunchId, Heard>,
}

#[derive(Default, Debug)]
pub(crate) struct Heard {
    pub(crate) pid: Option<u32>,
    pub(crate) said: Vec<String>,
    pub(crate) end: Option<(Exit, String, bool)>,
}

impl Floor {
    pub(crate) async fn next(&mut self) -> Happening {
        let happening = timeout(PATIENCE, self.happenings.recv())
            .await
            .expect("nothing happens")
            .unwrap();
        match happening.clone() {
            Happening::Started { id, pid } => self.heard.entry(id).or_default().pid = Some(pid),
            Happening::Said { id, message } => {
                let json = serde_json::to_value(&message).unwrap();
                self.heard
                    .entry(id)
                    .or_default()
                    .said
                    .push(json["kind"].as_str().unwrap().to_owned());
            }
            Happening::Exited {
                id,
                how,
                message,
                leaked,
            } => {
                let heard = self.heard.entry(id).or_default();
                assert!(heard.end.is_none(), "two ends of {id:?}");
                heard.end = Some((how, message.unwrap_or_default(), leaked));
            }
            Happening::LauncherReady | Happening::LauncherDied { .. } => {}
        }
        happening
    }

    /// Listens until `id` has said `kind`.
    pub(crate) async fn until_said(&mut self, id: LaunchId, kind: &str) {
        while !self
            .heard
            .get(&id)
            .is_some_and(|heard| heard.said.iter().any(|said| said == kind))
        {
            self.next().await;
        }
    }

    /// Listens until the launcher has died.
    pub(crate) async fn until_died(&mut self) {
        while !matches!(self.next().await, Happening::LauncherDied { .. }) {}
    }

    /// Listens until `id` is gone.
    pub(crate) async fn until_gone(&mut self, id: LaunchId) -> &Heard {
        while self.heard.get(&id).is_none_or(|heard| heard.end.is_none()) {
            self.next().await;
        }
        &self.heard[&id]
    }

    pub(crate) fn kill(&mut self, id: LaunchId) {
        self.local.order(id, Order::Kill);
    }
}

/// Whether a process of this number exists, as a zombie or alive.
pub(crate) fn exists(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}
