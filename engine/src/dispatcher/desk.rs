//! What the dispatcher remembers of each trial and each process: files, names, the last word.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use results::journal::Outcome;
use schedulers::conductor::Exit;
use schedulers::protocol::{FailureKind, TaskResult};
use schedulers::{Attempt, SlotId, TrialId};
use search::space::Assignment;

use crate::backend::LaunchId;

/// Why a process was launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A leg of a trial.
    Leg { trial: TrialId, attempt: Attempt },
    /// To time an epoch of the tuned default.
    Probe,
    /// To evaluate a model of this trial.
    Evaluate { trial: TrialId },
}

/// One process, from its launch to its exit.
#[derive(Debug)]
pub(super) struct Flight {
    pub(super) purpose: Purpose,
    /// The slot it holds; an evaluation holds none.
    pub(super) slot: Option<SlotId>,
    /// It said hello.
    pub(super) is_ready: bool,
    /// What it found, when it is no training.
    pub(super) result: Option<TaskResult>,
    /// What the engine found wrong with it; counts more than its exit status.
    pub(super) fault: Option<(FailureKind, String)>,
    /// Run time in seconds of its hello, or of the end of its last leg.
    pub(super) leg_began_s: f64,
}

impl Flight {
    /// How it ended, the engine's own finding first.
    pub(super) fn verdict(&self, how: Exit, message: Option<String>) -> (Exit, Option<String>) {
        match &self.fault {
            Some((failure, message)) => (Exit::Failed(*failure), Some(message.clone())),
            None => (how, message),
        }
    }
}

/// One trial.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    pub(super) dir: PathBuf,
    pub(super) origin: String,
    /// What the sampler chose.
    pub(super) parameters: Assignment,
    /// How often its batch was halved, because memory ran out.
    pub(super) halvings: u32,
    /// Its process, while it has one.
    pub(super) launch: Option<LaunchId>,
    /// Epochs of its full training, once it was launched.
    pub(super) full: u32,
    /// Epochs done.
    pub(super) epoch: u32,
    /// Its best score so far, raw; NaN before the first.
    pub(super) best: f64,
    /// How it ended, once it has.
    pub(super) outcome: Option<Outcome>,
    /// What its last process said of its failure.
    pub(super) last_words: Option<String>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) seats: BTreeMap<TrialId, Seat>,
    pub(super) flights: BTreeMap<LaunchId, Flight>,
    next_launch: u64,
}

impl Desk {
    /// The folder of a trial.
    pub(super) fn trial_dir(run: &Path, trial: TrialId) -> PathBuf {
        run.join("trials").join(trial.to_string())
    }

    /// A trial exists.
    pub(super) fn seat(
        &mut self,
        trial: TrialId,
        dir: PathBuf,
        origin: String,
        parameters: Assignment,
    ) {
        let seat = Seat {
            dir,
            origin,
            parameters,
            halvings: 0,
            launch: None,
            full: 0,
            epoch: 0,
            best: f64::NAN,
            outcome: None,
            last_words: None,
        };
        self.seats.insert(trial, seat);
    }

    /// A process is launched.
    pub(super) fn take_off(
        &mut self,
        purpose: Purpose,
        slot: Option<SlotId>,
        now_s: f64,
    ) -> LaunchId {
        let id = LaunchId(self.next_launch);
        self.next_launch += 1;
        let flight = Flight {
            purpose,
            slot,
            is_ready: false,
            result: None,
            fault: None,
            leg_began_s: now_s,
        };
        self.flights.insert(id, flight);
        if let Purpose::Leg { trial, .. } = purpose
            && let Some(seat) = self.seats.get_mut(&trial)
        {
            seat.launch = Some(id);
        }
        id
    }

    /// A process is gone. `None` for one that is not known.
    pub(super) fn land(&mut self, id: LaunchId) -> Option<Flight> {
        let flight = self.flights.remove(&id)?;
        if let Purpose::Leg { trial, .. } = flight.purpose
            && let Some(seat) = self.seats.get_mut(&trial)
            && seat.launch == Some(id)
        {
            seat.launch = None;
        }
        Some(flight)
    }

    /// The process of a trial, while it has one.
    pub(super) fn launch_of(&self, trial: TrialId) -> Option<LaunchId> {
        self.seats.get(&trial)?.launch
    }

    /// Slots that are held.
    pub(super) fn n_busy(&self) -> usize {
        self.flights
            .values()
            .filter(|flight| flight.slot.is_some())
            .count()
    }
}
