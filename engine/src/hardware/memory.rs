//! Memory of the machine, within the limit of the control group.

use std::fs;

use super::cgroup::Cgroup;

/// Bytes in all and bytes free for use now.
pub(super) struct Memory {
    pub(super) total: u64,
    pub(super) available: u64,
}

/// Reads `/proc/meminfo` and the groups.
pub(super) fn measure(cgroup: &Cgroup) -> Memory {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let machine = Memory {
        total: field(&text, "MemTotal:"),
        available: field(&text, "MemAvailable:"),
    };
    match cgroup.memory() {
        Some((limit, used)) => Memory {
            total: machine.total.min(limit),
            available: machine.available.min(limit.saturating_sub(used)),
        },
        None => machine,
    }
}

/// A field of `/proc/meminfo`, in bytes.
fn field(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib: Option<u64> =
        line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse().ok());
    kib.unwrap_or(0) * 1024
}
