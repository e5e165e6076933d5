//! The measured machine as one value.

use serde::{Deserialize, Serialize};

use super::{Gpu, GpuSearch, cgroup::Cgroup, cpu, gpu, memory};

/// What this process may use; measured once, at the start of a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hardware {
    /// The logical CPUs of the affinity mask, ascending.
    pub cpus: Vec<u32>,
    /// The CPU time limit of the cgroup, in cores; none when unlimited.
    pub cpu_quota: Option<f64>,
    /// Memory this process may use: the machine's, or the cgroup's limit when that is lower.
    pub memory_bytes: u64,
    /// Memory free for use now, within the same limit.
    pub memory_available_bytes: u64,
    /// The GPUs found.
    pub gpus: Vec<Gpu>,
    /// How the search for GPUs ended.
    pub gpu_search: GpuSearch,
}

impl Hardware {
    /// Measures this machine, GPUs included; loading NVML costs some milliseconds where it exists.
    pub fn measure() -> Self {
        let cgroup = Cgroup::of_this_process();
        let memory = memory::measure(&cgroup);
        let (gpus, gpu_search) = gpu::find();
        Self {
            cpus: cpu::affinity(),
            cpu_quota: cgroup.cpu_quota(),
            memory_bytes: memory.total,
            memory_available_bytes: memory.available,
            gpus,
            gpu_search,
        }
    }

    /// Whole cores to plan with: the affinity mask, cut by the quota, at least one.
    pub fn n_cores(&self) -> usize {
        let by_quota = self.cpu_quota.map_or(usize::MAX, |quota| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a small positive number of cores"
            )]
            let whole = quota.floor().max(1.0) as usize;
            whole
        });
        self.cpus.len().clamp(1, by_quota)
    }
}
