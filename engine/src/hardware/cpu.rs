//! The logical CPUs this process may run on.

use nix::sched::{CpuSet, sched_getaffinity};
use nix::unistd::Pid;

/// The CPUs of the affinity mask, ascending; CPU 0 alone where the mask cannot be read.
pub(super) fn affinity() -> Vec<u32> {
    let Ok(mask) = sched_getaffinity(Pid::from_raw(0)) else {
        return vec![0];
    };
    let cpus: Vec<u32> = (0..CpuSet::count())
        .filter(|&cpu| mask.is_set(cpu) == Ok(true))
        .filter_map(|cpu| u32::try_from(cpu).ok())
        .collect();
    if cpus.is_empty() { vec![0] } else { cpus }
}
