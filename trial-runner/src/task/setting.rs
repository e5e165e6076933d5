//! Performs a task.

use schedulers::protocol::{Task, TaskSpec, TrainTask, TrialMessage};
use search::config::model::Model;
use tch::Device;

use super::learner::Learner;
use super::linear::LinearLearner;
use super::network::NetworkLearner;
use super::{config, evaluate, legs, probe};
use crate::error::{Error, Result};
use crate::session::{Held, Link, Stopwatch};

/// What a task finds around it.
pub struct Setting<'a> {
    /// To the engine.
    pub link: &'a Link,
    /// What is open already.
    pub held: &'a Held,
    /// Started when the process was.
    pub clock: Stopwatch,
    /// Where tensors lie.
    pub device: Device,
}

/// Performs the task of `spec`.
pub fn run(spec: &TaskSpec, setting: &Setting<'_>) -> Result<()> {
    match &spec.task {
        Task::Train(task) => train(task, setting),
        Task::Evaluate(task) => evaluate::run(task, setting),
        Task::Probe(task) => match config::read(&task.config)?.1 {
            Model::Network(network) => probe::run(
                task,
                &network,
                &*setting.held.open(&task.prepared)?,
                setting,
            ),
            Model::Linear(_) => Err(Error::Usage(
                "a linear model is fitted at once: there is no epoch to time".to_owned(),
            )),
        },
    }
}

fn train(task: &TrainTask, setting: &Setting<'_>) -> Result<()> {
    let (text, model) = config::read(&task.config)?;
    let prepared = setting.held.open(&task.prepared)?;
    let mut learner: Box<dyn Learner + '_> = match &model {
        Model::Network(network) => Box::new(NetworkLearner::new(
            network,
            &text,
            task,
            &prepared,
            setting.device,
        )?),
        Model::Linear(linear) => Box::new(LinearLearner::new(linear, &text, task, &prepared)?),
    };
    let (n_params, n_rows, setup_s) = (
        learner.n_params(),
        learner.n_rows(),
        setting.clock.seconds(),
    );
    setting.link.send(&TrialMessage::Started {
        n_params,
        n_rows,
        setup_s,
    });
    legs::run(&mut *learner, task, setting.link)
}
