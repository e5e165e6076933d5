//! Confines a process to its slot: cores, threads, memory, GPU.

use std::fs;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::Pid;
use schedulers::protocol::TaskSpec;
use tch::Device;

use crate::error::{Error, Result};
use crate::sys::{OneThread, load_library, set_env};

/// When memory runs out, the kernel ends a trial before the engine.
const OOM_SCORE: &str = "500";

/// libtorch's CUDA part. The program is linked against the CPU part alone.
const CUDA_LIBRARY: &str = "libtorch_cuda.so";

/// Applies the slot of `spec` to this process, which must still have one thread: threads
/// started later inherit it. Returns where its tensors lie.
pub fn confine(spec: &TaskSpec) -> Result<Device> {
    let alone = OneThread::check().map_err(Error::system("cannot set up the slot"))?;
    // Refused in some containers; the trial is none the worse for it.
    drop(fs::write("/proc/self/oom_score_adj", OOM_SCORE));
    if !spec.cpus.is_empty() {
        let mut cpus = CpuSet::new();
        for &cpu in &spec.cpus {
            cpus.set(cpu as usize)
                .map_err(Error::system("cannot use a core of the slot"))?;
        }
        sched_setaffinity(Pid::from_raw(0), &cpus).map_err(Error::system(
            "cannot bind the trial to the cores of its slot",
        ))?;
    }
    if let Some(bytes) = spec.memory_limit_bytes {
        // Private memory, not address space: the prepared arrays and libtorch's code are
        // mapped and shared, and would count there once for each trial.
        setrlimit(Resource::RLIMIT_DATA, bytes, bytes)
            .map_err(Error::system("cannot set the memory limit of the slot"))?;
    }
    set_env(
        &alone,
        "CUDA_VISIBLE_DEVICES",
        spec.gpu.as_deref().unwrap_or_default(),
    );
    tch::set_num_threads(i32::try_from(spec.threads.max(1)).unwrap_or(i32::MAX));
    if spec.gpu.is_none() {
        return Ok(Device::Cpu);
    }
    load_library(CUDA_LIBRARY).map_err(|e| {
        Error::Environment(format!(
            "the slot has a GPU, but {CUDA_LIBRARY} cannot be loaded: {e}"
        ))
    })?;
    if !tch::Cuda::is_available() {
        return Err(Error::Environment(
            "the slot has a GPU, but libtorch finds no CUDA device".to_owned(),
        ));
    }
    Ok(Device::Cuda(0))
}
