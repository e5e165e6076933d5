//! How the machine is cut into slots.

use crate::error::{Error, Result};
use crate::hardware::{Gpu, Hardware};
use crate::run_plan::Slot;

/// The most slots laid out without being asked to.
const MOST: usize = 64;
/// Memory a trial is expected to need of its own; what it shares with the launcher is not counted.
const TRIAL_BYTES: u64 = 400 << 20;
/// Networks of the size searched here gain nothing from more threads.
const MOST_THREADS: usize = 8;

/// Lays out `wanted` slots, or as many as the machine bears: one a GPU where GPUs are used, else one a core.
///
/// Each slot has cores of its own as long as there are enough, all slots equally many, so that a trial
/// trains the same on each. `turn` rotates the cores used, so that two runs under a quota on one large
/// machine do not fall on the same ones.
pub fn lay_out(
    hardware: &Hardware,
    gpus: &[Gpu],
    wanted: Option<usize>,
    turn: usize,
) -> Result<Vec<Slot>> {
    let n_cores = hardware.n_cores();
    let by_memory = usize::try_from(hardware.memory_available_bytes / TRIAL_BYTES).unwrap_or(MOST);
    let n_slots = match wanted {
        Some(0) => {
            return Err(Error::usage(
                "--slots 0 leaves no place for a trial",
                "give at least 1",
            ));
        }
        Some(n) if n > MOST.max(4 * n_cores) => {
            return Err(Error::usage(
                format!("{n} trials at once are far too many for the {n_cores} cores here"),
                format!(
                    "give at most {} as --slots, or as max_concurrent_trials of the config",
                    MOST.max(4 * n_cores)
                ),
            ));
        }
        Some(n) => n,
        None if gpus.is_empty() => n_cores.min(by_memory).clamp(1, MOST),
        None => gpus.len(),
    };
    let n_threads = (n_cores / n_slots).clamp(1, MOST_THREADS);
    // Under a quota any core may be used; otherwise there are exactly as many as counted.
    let all = &hardware.cpus;
    let turn = if all.len() > n_cores { turn } else { 0 };
    let core = |at: usize| all[(turn + at % n_cores) % all.len()];
    Ok((0..n_slots)
        .map(|slot| Slot {
            cpus: (0..n_threads)
                .map(|thread| core(slot * n_threads + thread))
                .collect(),
            gpu: (!gpus.is_empty()).then(|| gpus[slot % gpus.len()].uuid.clone()),
        })
        .collect())
}

/// The GPUs that `--gpus` names: `all`, `none`, or numbers and unique names with commas between.
pub fn choose_gpus(hardware: &Hardware, wanted: Option<&str>) -> Result<Vec<Gpu>> {
    match wanted.map(str::trim) {
        None | Some("all") => Ok(hardware.gpus.clone()),
        Some("none" | "") => Ok(Vec::new()),
        Some(list) => list
            .split(',')
            .map(|name| gpu(hardware, name.trim()))
            .collect(),
    }
}

fn gpu(hardware: &Hardware, name: &str) -> Result<Gpu> {
    let found = hardware
        .gpus
        .iter()
        .find(|gpu| gpu.index.to_string() == name || gpu.uuid == name);
    found.cloned().ok_or_else(|| {
        let there: Vec<String> = hardware
            .gpus
            .iter()
            .map(|gpu| gpu.index.to_string())
            .collect();
        let there = if there.is_empty() {
            "this machine has none that can be used".to_owned()
        } else {
            format!("there are {}", there.join(", "))
        };
        Error::usage(
            format!("no GPU \"{name}\": {there}"),
            "`autotune doctor` shows what was found; --gpus none trains on the CPU",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::GpuSearch;

    fn machine(n_cpus: u32, quota: Option<f64>, memory_gb: u64, n_gpus: u32) -> Hardware {
        let gpu = |index: u32| Gpu {
            index,
            uuid: format!("GPU-{index}"),
            name: "H200".to_owned(),
            memory_bytes: 1 << 37,
            memory_free_bytes: 1 << 37,
        };
        Hardware {
            cpus: (0..n_cpus).collect(),
            cpu_quota: quota,
            memory_bytes: memory_gb << 30,
            memory_available_bytes: memory_gb << 30,
            gpus: (0..n_gpus).map(gpu).collect(),
            gpu_search: GpuSearch::Found,
        }
    }

    /// Slots as "cpu,cpu/gpu" words.
    fn check(hardware: &Hardware, wanted: Option<usize>, turn: usize, expected: &str) {
        let slots = lay_out(hardware, &hardware.gpus, wanted, turn).unwrap();
        let words: Vec<String> = slots
            .iter()
            .map(|slot| {
                let cpus: Vec<String> = slot.cpus.iter().map(u32::to_string).collect();
                slot.gpu
                    .as_ref()
                    .map_or_else(|| cpus.join(","), |gpu| format!("{}/{gpu}", cpus.join(",")))
            })
            .collect();
        assert_eq!(words.join(" "), expected, "{hardware:?} {wanted:?}");
    }

    #[test]
    fn slots_share_the_machine_evenly() {
        check(&machine(2, None, 20, 0), None, 0, "0 1");
        check(&machine(4, None, 20, 0), Some(2), 0, "0,1 2,3");
        check(&machine(5, None, 20, 0), Some(2), 0, "0,1 2,3");
        check(&machine(2, None, 20, 0), Some(3), 0, "0 1 0");
        check(&machine(4, None, 1, 0), None, 0, "0,1 2,3");
        check(&machine(1, None, 0, 0), None, 0, "0");
        check(
            &machine(16, None, 64, 2),
            None,
            0,
            "0,1,2,3,4,5,6,7/GPU-0 8,9,10,11,12,13,14,15/GPU-1",
        );
        check(&machine(4, None, 64, 1), Some(2), 0, "0,1/GPU-0 2,3/GPU-0");
    }

    #[test]
    fn under_a_quota_the_cores_of_a_turn_are_used() {
        check(&machine(8, Some(2.5), 20, 0), None, 7, "7 0");
        check(&machine(8, None, 20, 0), Some(4), 7, "0,1 2,3 4,5 6,7");
    }

    #[test]
    fn a_number_of_slots_that_makes_no_sense_is_refused() {
        for n in [0, 1000] {
            assert_eq!(
                lay_out(&machine(2, None, 20, 0), &[], Some(n), 0)
                    .unwrap_err()
                    .exit(),
                crate::Exit::Usage
            );
        }
    }

    #[test]
    fn gpus_are_named_by_number_or_unique_name() {
        let hardware = machine(2, None, 20, 3);
        let names = |wanted| {
            choose_gpus(&hardware, wanted)
                .map(|gpus| gpus.iter().map(|gpu| gpu.index).collect::<Vec<_>>())
        };
        assert_eq!(names(None).unwrap(), [0, 1, 2]);
        assert_eq!(names(Some("none")).unwrap(), [0u32; 0]);
        assert_eq!(names(Some("2, GPU-0")).unwrap(), [2, 0]);
        let error = names(Some("7")).unwrap_err();
        assert_eq!(error.to_string(), "no GPU \"7\": there are 0, 1, 2");
        assert!(
            choose_gpus(&machine(2, None, 20, 0), Some("0"))
                .unwrap_err()
                .to_string()
                .contains("has none")
        );
    }
}
