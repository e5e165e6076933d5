//! `autotune doctor`: what was found on this machine, and what to do about what was not.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::world::{World, cache_dir};
use super::{clean, size, trial_program};
use crate::error::Result;
use crate::exit::Exit;
use crate::hardware::{GpuSearch, Hardware, free_bytes};
use crate::output::Mode;

/// Flags of `doctor`: none of its own.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {}

/// One thing looked at.
struct Check {
    name: &'static str,
    good: bool,
    found: String,
    /// What to do, where something is to be done.
    advice: Option<String>,
}

/// Below this much free disk a run may not find room for its arrays.
const LITTLE_DISK: u64 = 2 << 30;
/// Below this much free memory even one trial may not fit.
const LITTLE_MEMORY: u64 = 1 << 30;

/// Looks at everything; fails when a search could not run.
pub(crate) fn run(_args: &DoctorArgs, world: &mut World) -> Result<Exit> {
    let hardware = Hardware::measure();
    let cache = cache_dir();
    let checks = [
        version(),
        cores(&hardware),
        memory(&hardware),
        gpus(&hardware),
        trial(),
        disk("disk here", Path::new(".")),
        disk("cache", &cache),
    ];
    for check in &checks {
        match world.mode {
            Mode::Json => world.data.json(&object(check)),
            Mode::Human | Mode::Quiet => world.data.line(&text(check)),
        }
    }
    Ok(if checks.iter().all(|check| check.good) {
        Exit::Done
    } else {
        Exit::Environment
    })
}

fn text(check: &Check) -> String {
    let mark = if check.good { "ok" } else { "!!" };
    let advice = check
        .advice
        .as_ref()
        .map_or_else(String::new, |advice| format!("\n{:14}-> {advice}", ""));
    format!("{mark}  {:<9} {}{advice}", check.name, check.found)
}

fn object(check: &Check) -> Value {
    json!({ "check": check.name, "ok": check.good, "found": check.found, "advice": check.advice })
}

fn version() -> Check {
    Check {
        name: "autotune",
        good: true,
        found: format!("version {}", env!("CARGO_PKG_VERSION")),
        advice: None,
    }
}

fn cores(hardware: &Hardware) -> Check {
    let quota = hardware.cpu_quota.map_or_else(String::new, |quota| {
        format!(", limited to {quota:.1} by a control group")
    });
    Check {
        name: "cores",
        good: true,
        found: format!(
            "{} to use, {} in the affinity mask{quota}",
            hardware.n_cores(),
            hardware.cpus.len()
        ),
        advice: None,
    }
}

fn memory(hardware: &Hardware) -> Check {
    let good = hardware.memory_available_bytes >= LITTLE_MEMORY;
    Check {
        name: "memory",
        good,
        found: format!(
            "{} free of {}",
            size::show(hardware.memory_available_bytes),
            size::show(hardware.memory_bytes)
        ),
        advice: (!good).then(|| "close other programs: a search wants at least 1 GB".to_owned()),
    }
}

fn gpus(hardware: &Hardware) -> Check {
    let (found, advice) = match &hardware.gpu_search {
        GpuSearch::Found if hardware.gpus.is_empty() => {
            ("the driver is there, but no GPU".to_owned(), None)
        }
        GpuSearch::Found => {
            let names: Vec<String> = hardware
                .gpus
                .iter()
                .map(|gpu| {
                    format!(
                        "{} {} ({} free of {})",
                        gpu.index,
                        gpu.name,
                        size::show(gpu.memory_free_bytes),
                        size::show(gpu.memory_bytes)
                    )
                })
                .collect();
            (names.join("; "), None)
        }
        GpuSearch::NoDriver => (
            "none: no NVIDIA driver; trials train on the CPU".to_owned(),
            None,
        ),
        GpuSearch::Failed { why } => (
            format!("not usable: {why}"),
            Some(
                "`nvidia-smi` should list the GPUs; trials train on the CPU until it does"
                    .to_owned(),
            ),
        ),
    };
    // A search runs without a GPU as well.
    Check {
        name: "GPUs",
        good: true,
        found,
        advice,
    }
}

fn trial() -> Check {
    let tried = trial_program::find().and_then(|program| {
        let said = trial_program::version(&program)?;
        Ok((program, said))
    });
    match tried {
        Ok((program, said)) => Check {
            name: "libtorch",
            good: true,
            found: format!("loads: {said}, at {}", program.display()),
            advice: None,
        },
        Err(error) => Check {
            name: "libtorch",
            good: false,
            found: error.to_string(),
            advice: Some(error.hint().to_owned()).filter(|hint| !hint.is_empty()),
        },
    }
}

fn disk(name: &'static str, path: &Path) -> Check {
    let (good, found) = match free_bytes(path) {
        Ok(free) => {
            let used = if name == "cache" {
                format!(", {} used by the cache", size::show(clean::size_of(path)))
            } else {
                String::new()
            };
            (
                free >= LITTLE_DISK,
                format!("{} free{used}, at {}", size::show(free), path.display()),
            )
        }
        Err(error) => (
            false,
            format!("{} cannot be looked at: {error}", path.display()),
        ),
    };
    let advice = (!good).then(|| "free some space (`autotune clean`), or choose another disk with --output and AUTOTUNE_CACHE".to_owned());
    Check {
        name,
        good,
        found,
        advice,
    }
}
