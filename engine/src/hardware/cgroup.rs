//! Limits set by control groups, versions 1 and 2.
//!
//! A container sees the machine in `/proc`, and its own limits only here. Every group from the
//! process's own up to the root counts; the tightest wins.

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of this process's groups, innermost first.
#[derive(Debug, Default)]
pub(super) struct Cgroup {
    cpu: Vec<PathBuf>,
    memory: Vec<PathBuf>,
}

/// A limit above this is version 1's way of saying "none".
const NO_LIMIT: u64 = 1 << 60;

impl Cgroup {
    /// The groups of this process; empty where there are none.
    pub(super) fn of_this_process() -> Self {
        let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::from_proc(&text, Path::new("/sys/fs/cgroup"))
    }

    /// Reads the lines of `/proc/self/cgroup`, `id:controllers:path`; version 2 has no controllers.
    fn from_proc(text: &str, mount: &Path) -> Self {
        let mut groups = Self::default();
        for line in text.lines() {
            let mut parts = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
                continue;
            };
            if controllers.is_empty() {
                groups.cpu.extend(chain(mount, path));
                groups.memory.extend(chain(mount, path));
            }
            for controller in controllers.split(',') {
                match controller {
                    "cpu" => groups.cpu.extend(
                        chain(&mount.join(controllers), path)
                            .chain(chain(&mount.join("cpu"), path)),
                    ),
                    "memory" => groups.memory.extend(chain(&mount.join("memory"), path)),
                    _ => {}
                }
            }
        }
        groups
    }

    /// The CPU time limit in cores.
    pub(super) fn cpu_quota(&self) -> Option<f64> {
        self.cpu
            .iter()
            .filter_map(|folder| quota_v2(folder).or_else(|| quota_v1(folder)))
            .min_by(f64::total_cmp)
    }

    /// The memory limit in bytes, and the bytes in use that count towards it.
    pub(super) fn memory(&self) -> Option<(u64, u64)> {
        self.memory
            .iter()
            .filter_map(|folder| {
                let limit = number(&folder.join("memory.max"))
                    .or_else(|| number(&folder.join("memory.limit_in_bytes")))?;
                let used = number(&folder.join("memory.current"))
                    .or_else(|| number(&folder.join("memory.usage_in_bytes")))
                    .unwrap_or(0);
                // Pages of files the kernel gives back when asked do not count as used.
                Some((limit, used.saturating_sub(reclaimable(folder))))
            })
            .filter(|(limit, _)| *limit < NO_LIMIT)
            .min_by_key(|(limit, used)| limit.saturating_sub(*used))
    }
}

/// A group's folder and those above it, up to the mount.
fn chain(mount: &Path, group: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let mount = mount.to_owned();
    let group = PathBuf::from(group.trim_start_matches('/'));
    let parts: Vec<PathBuf> = group.ancestors().map(|part| mount.join(part)).collect();
    parts.into_iter()
}

/// `cpu.max`: "200000 100000" or "max 100000".
fn quota_v2(folder: &Path) -> Option<f64> {
    let text = fs::read_to_string(folder.join("cpu.max")).ok()?;
    let mut words = text.split_whitespace().map(str::parse::<f64>);
    match (words.next(), words.next()) {
        (Some(Ok(quota)), Some(Ok(period))) if period > 0.0 => Some(quota / period),
        _ => None,
    }
}

fn quota_v1(folder: &Path) -> Option<f64> {
    let read = |name: &str| {
        fs::read_to_string(folder.join(name))
            .ok()?
            .trim()
            .parse::<f64>()
            .ok()
    };
    let (quota, period) = (read("cpu.cfs_quota_us")?, read("cpu.cfs_period_us")?);
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn reclaimable(folder: &Path) -> u64 {
    let text = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("inactive_file "));
    line.and_then(|bytes| bytes.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a tree of files and asks it for its limits.
    fn check(proc: &str, files: &[(&str, &str)], quota: Option<f64>, memory: Option<(u64, u64)>) {
        let mount = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = mount.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let groups = Cgroup::from_proc(proc, mount.path());
        assert_eq!(groups.cpu_quota(), quota, "quota of {files:?}");
        assert_eq!(groups.memory(), memory, "memory of {files:?}");
    }

    #[test]
    fn the_tightest_group_on_the_way_up_wins() {
        let files = [
            ("a/b/cpu.max", "max 100000\n"),
            ("a/cpu.max", "250000 100000\n"),
            ("a/b/memory.max", "max\n"),
            ("a/memory.max", "4000\n"),
            ("a/memory.current", "1500\n"),
            ("a/memory.stat", "anon 900\ninactive_file 500\n"),
            ("memory.max", "9000\n"),
        ];
        check("0::/a/b\n", &files, Some(2.5), Some((4000, 1000)));
    }

    #[test]
    fn version_1_is_read_with_its_own_names() {
        let files = [
            ("cpu,cpuacct/x/cpu.cfs_quota_us", "150000\n"),
            ("cpu,cpuacct/x/cpu.cfs_period_us", "100000\n"),
            ("memory/x/memory.limit_in_bytes", "800\n"),
            ("memory/x/memory.usage_in_bytes", "300\n"),
        ];
        check(
            "5:cpu,cpuacct:/x\n4:memory:/x\n",
            &files,
            Some(1.5),
            Some((800, 300)),
        );
    }

    #[test]
    fn no_limit_is_none_in_either_version() {
        check(
            "0::/\n",
            &[("cpu.max", "max 100000\n"), ("memory.max", "max\n")],
            None,
            None,
        );
        let huge = [
            ("cpu/cpu.cfs_quota_us", "-1\n"),
            ("cpu/cpu.cfs_period_us", "100000\n"),
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ];
        check("1:cpu:/\n2:memory:/\n", &huge, None, None);
        check("", &[], None, None);
    }
}
