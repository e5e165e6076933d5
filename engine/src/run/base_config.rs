//! Proposes the base config, or takes the one that is given; either way it is written, and read again
//! before it is used, so that an edited one goes the same way.

use std::fs;
use std::path::{Path, PathBuf};

use results::Entry;
use search::config::Config;

use super::stage::Stage;
use crate::autoconfig::propose;
use crate::error::{Error, Result};
use crate::look::Seen;
use crate::output::{News, Phase};
use crate::run_plan::RunPlan;

/// Reads the config that the plan names, if it names one.
pub(super) fn given(stage: &Stage<'_>) -> Result<Option<(Config, String)>> {
    let Some(path) = &stage.plan.config else {
        return Ok(None);
    };
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    let (config, warnings) = Config::parse(&text, &path.display().to_string())?;
    for warning in warnings {
        stage.tell(&News::Warning(warning.to_string()));
    }
    Ok(Some((config, text)))
}

/// Writes `config.yaml` and reads it back. Returns it with its path.
pub(super) async fn settle(
    stage: &mut Stage<'_>,
    given: Option<(Config, String)>,
    seen: &Seen,
) -> Result<(Config, PathBuf)> {
    stage.enter(Phase::Propose).await?;
    let yaml = match given {
        Some((config, text)) => with_metric(config, text, stage.plan)?,
        None => {
            let proposal = propose(&seen.profile, &seen.inference, &stage.plan.wishes())?;
            let entries = proposal.reasons.iter().map(|reason| Entry::Reasoned {
                path: reason.path.clone(),
                value: reason.value.clone(),
                why: reason.why.clone(),
            });
            stage.write(entries.collect()).await?;
            for reason in &proposal.reasons {
                stage.tell(&News::Reason {
                    what: format!("{}: {}", reason.path, reason.value),
                    why: reason.why.clone(),
                });
            }
            proposal.to_yaml()
        }
    };
    let path = stage.folder.join("config.yaml");
    fs::write(&path, yaml).map_err(Error::file("write", &path))?;
    Ok((read(&path)?, path))
}

/// Reads a config of our own making.
pub(super) fn read(path: &Path) -> Result<Config> {
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    Ok(Config::parse(&text, &path.display().to_string())?.0)
}

/// `--metric` beside `--config`: the command line has the last word.
fn with_metric(mut config: Config, text: String, plan: &RunPlan) -> Result<String> {
    let Some(metric) = &plan.metric else {
        return Ok(text);
    };
    if config.get("hyperopt").is_none() {
        return Ok(text);
    }
    config.set("hyperopt.metric", metric.as_str().into())?;
    Ok(config.to_yaml(&search::config::Comments::new()))
}
