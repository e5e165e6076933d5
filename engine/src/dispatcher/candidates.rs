//! Makes the configs of trials: what the sampler proposes, put into the base config.

use schedulers::{CostClass, TrialId};
use search::sampler::{Observation, Origin, Sampler, Suggestion};
use search::space::Assignment;

/// A config that can be trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Where it comes from: linear, default, sobol, tpe, ...
    pub origin: String,
    /// What the sampler chose.
    pub parameters: Assignment,
    /// The concrete config, YAML.
    pub yaml: String,
    /// Which trials cost about as much an epoch.
    pub class: CostClass,
}

/// Puts an assignment into the base config: the concrete config and its cost class, or what is wrong
/// with it. The batch is halved as often as the number says: memory ran out so often.
pub type Concrete = Box<dyn Fn(&Assignment, u32) -> Result<(String, CostClass), String> + Send>;

/// How often a sampler may propose what no config can be made of before it is taken to be at its end.
const MAX_REFUSED: u32 = 100;

/// Where candidates come from.
pub struct Candidates {
    /// The config of the baseline, YAML; it is trial 0.
    baseline: Option<String>,
    sampler: Box<dyn Sampler>,
    concrete: Concrete,
}

impl Candidates {
    /// Candidates of a sampler over a base config.
    pub fn new(baseline: Option<String>, sampler: Box<dyn Sampler>, concrete: Concrete) -> Self {
        Self {
            baseline,
            sampler,
            concrete,
        }
    }

    /// The baseline, where there is one.
    pub fn baseline(&self) -> Option<Candidate> {
        let yaml = self.baseline.clone()?;
        let origin = "linear".to_owned();
        Some(Candidate {
            origin,
            parameters: Assignment::new(),
            yaml,
            class: CostClass::default(),
        })
    }

    /// The base config as it stands, made concrete: the tuned default.
    pub(super) fn default_config(&self) -> Result<String, String> {
        (self.concrete)(&Assignment::new(), 0).map(|(yaml, _)| yaml)
    }

    /// The next candidate, for this trial; `Ok(None)` when there is nothing new, and `Err` with the
    /// last fault when only unusable ones came.
    pub(super) fn ask(&mut self, trial: TrialId) -> Result<Option<Candidate>, String> {
        let mut fault = String::new();
        for _ in 0..MAX_REFUSED {
            let Some(suggestion) = self.sampler.ask(u64::from(trial.0)) else {
                return Ok(None);
            };
            match (self.concrete)(&suggestion.assignment, 0) {
                Ok((yaml, class)) => {
                    let origin = suggestion.origin.to_string();
                    return Ok(Some(Candidate {
                        origin,
                        parameters: suggestion.assignment,
                        yaml,
                        class,
                    }));
                }
                Err(refused) => fault = refused,
            }
        }
        Err(fault)
    }

    /// Takes notice of what was asked for by an earlier process of the run, in the order of asking.
    pub(super) fn recall(&mut self, trial: TrialId, origin: &str, parameters: &Assignment) {
        let Some(origin) = Origin::from_word(origin) else {
            return;
        };
        let suggestion = Suggestion {
            assignment: parameters.clone(),
            origin,
        };
        self.sampler.recall(u64::from(trial.0), &suggestion);
    }

    /// The same config with its batch halved once more.
    pub(super) fn halved(&self, parameters: &Assignment, halvings: u32) -> Result<String, String> {
        (self.concrete)(parameters, halvings).map(|(yaml, _)| yaml)
    }

    /// Tells the sampler how a trial stands.
    pub(super) fn tell(&mut self, observation: &Observation) {
        self.sampler.tell(observation);
    }
}
