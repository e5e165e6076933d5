//! The rules of the house, held by a test: layers, homes of heavy libraries, licences, headers, sizes.
//!
//! Reads the sources and manifests only. Each rule names the file that breaks it and what to do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Our crates, and which of ours each may depend on (`[dependencies]`; tests may look anywhere).
const LAYERS: &[(&str, &[&str])] = &[
    ("datasets", &[]),
    ("search", &[]),
    ("schedulers", &[]),
    ("results", &["search", "schedulers"]),
    ("trial-runner", &["datasets", "search", "schedulers"]),
    ("engine", &["datasets", "search", "schedulers", "results"]),
    ("tests", &[]),
    ("benches", &["datasets", "search", "schedulers", "results"]),
];

/// Heavy libraries, each with the crates that may name it.
const HOMES: &[(&str, &[&str])] = &[
    ("polars", &["datasets"]),
    ("polars-arrow", &["datasets"]),
    ("polars-buffer", &["datasets"]),
    ("polars-parquet", &["datasets"]),
    ("saphyr-parser", &["search"]),
    ("statrs", &["search"]),
    ("rand", &["search"]),
    ("rand_chacha", &["search"]),
    ("sobol_burley", &["search"]),
    ("sqlx", &["results"]),
    ("tch", &["trial-runner"]),
    ("safetensors", &["trial-runner"]),
    ("libloading", &["trial-runner"]),
    ("tokio", &["results", "engine", "benches"]),
    ("clap", &["engine"]),
    ("indicatif", &["engine"]),
    ("ureq", &["engine"]),
    ("nvml-wrapper", &["engine"]),
    ("encoding_rs", &["datasets"]),
    ("chrono", &["datasets"]),
];

/// Licences that a dependency may come under, as SPDX identifiers.
const LICENCES: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "MPL-2.0",
    "CC0-1.0",
    "0BSD",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
    "Unlicense",
    "MIT-0",
];

/// Lines of a source file without its inline tests. Over it, a file holds two nouns.
const MAX_LINES: usize = 700;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the workspace")
        .to_path_buf()
}

/// Every Rust file of the workspace, with its text.
fn sources() -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, out: &mut Vec<(PathBuf, String)>) {
        let mut entries: Vec<_> = fs::read_dir(dir)
            .expect("readable folder")
            .map(|e| e.expect("entry").path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("utf-8 source");
                out.push((path, text));
            }
        }
    }
    let mut out = Vec::new();
    for (name, _) in LAYERS {
        walk(&root().join(name), &mut out);
    }
    assert!(out.len() > 20, "the sources are found");
    out
}

/// The names under `[dependencies]` of a crate's manifest.
fn dependencies(name: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join(name).join("Cargo.toml")).expect("manifest");
    let mut section = "";
    let mut names = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section.ends_with("dependencies]")
            && !section.contains("dev-")
            && let Some(dep) = line
                .split(['.', '=', ' '])
                .next()
                .filter(|d| !d.is_empty() && !d.starts_with('#'))
        {
            names.insert(dep.to_owned());
        }
    }
    names
}

fn report(rule: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{rule}:\n  {}", faults.join("\n  "));
}

#[test]
fn a_crate_depends_only_on_the_layers_below_it() {
    let ours: BTreeSet<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    let mut faults = Vec::new();
    for (name, allowed) in LAYERS {
        for dep in dependencies(name) {
            if ours.contains(dep.as_str()) && !allowed.contains(&dep.as_str()) {
                faults.push(format!("{name} depends on {dep}; it may use {allowed:?}"));
            }
        }
    }
    report("layers", &faults);
}

#[test]
fn a_heavy_library_has_one_home() {
    let mut faults = Vec::new();
    for (name, _) in LAYERS {
        let deps = dependencies(name);
        for (library, homes) in HOMES {
            if deps.contains(*library) && !homes.contains(name) {
                faults.push(format!("{name} names {library}; its home is {homes:?}"));
            }
        }
    }
    report("homes", &faults);
}

/// What a line defines, if it begins something that no table of contents holds.
fn item(line: &str) -> Option<&str> {
    line.split([' ', '<'])
        .find(|word| !(word.starts_with("pub") || ["async", "const", "unsafe"].contains(word)))
        .filter(|word| ["fn", "struct", "enum", "impl", "trait"].contains(word))
}

#[test]
fn items_are_known_by_their_first_words() {
    for (line, expected) in [
        ("pub struct Reader {", Some("struct")),
        ("impl<T> Reader<T> {", Some("impl")),
        ("pub(crate) async fn open() {", Some("fn")),
        ("trait Scheduler {", Some("trait")),
        ("enum Event {", Some("enum")),
        ("pub const VERSION: u32 = 1;", None),
        ("pub use reader::Reader;", None),
        ("//! impl", None),
        ("    fn inner() {}", None),
    ] {
        assert_eq!(item(line), expected, "{line}");
    }
}

#[test]
fn every_file_says_what_it_is_and_stays_small() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        let shown = path
            .strip_prefix(root())
            .unwrap_or(&path)
            .display()
            .to_string();
        if !text.starts_with("//!") {
            faults.push(format!("{shown} does not open with `//!`"));
        }
        let code = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or("")
            .lines()
            .count();
        let is_test = shown.ends_with("tests.rs") || shown.contains("/tests/");
        if code > MAX_LINES && !is_test {
            faults.push(format!(
                "{shown} has {code} lines without its tests; split it under {MAX_LINES}"
            ));
        }
        if shown.ends_with("/mod.rs")
            && !is_test
            && let Some(item) = text.lines().find_map(item)
        {
            faults.push(format!(
                "{shown} holds `{item}`; `mod.rs` is a table of contents"
            ));
        }
    }
    report("files", &faults);
}

#[test]
fn nothing_is_left_unfinished_or_switched_off() {
    // Built from parts, so that this file does not find itself.
    let words = [
        ["to", "do!("].concat(),
        ["un", "implemented!("].concat(),
        ["#[", "ignore"].concat(),
        ["FIX", "ME"].concat(),
    ];
    let mut faults = Vec::new();
    for (path, text) in sources() {
        for (n, line) in text.lines().enumerate() {
            if let Some(word) = words.iter().find(|w| line.contains(w.as_str())) {
                faults.push(format!("{}:{}: {word}", path.display(), n + 1));
            }
        }
    }
    report("unfinished", &faults);
}

#[test]
fn no_junk_drawers() {
    let faults: Vec<String> = sources()
        .iter()
        .filter(|(path, _)| {
            let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
            ["utils", "util", "common", "helpers", "misc"].contains(&stem)
        })
        .map(|(path, _)| {
            format!(
                "{} has no owner; put what it holds beside its user",
                path.display()
            )
        })
        .collect();
    report("names", &faults);
}

#[test]
fn every_dependency_comes_under_a_known_licence() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    // What other systems would need is not on this machine.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let out = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", &platform])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(
        out.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let mut unknown: BTreeMap<String, String> = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().unwrap_or("?").to_owned();
        let licence = package["license"]
            .as_str()
            .unwrap_or("none stated")
            .to_owned();
        if !is_known(&licence) {
            unknown.insert(name, licence);
        }
    }
    let faults: Vec<String> = unknown
        .iter()
        .map(|(name, licence)| format!("{name}: {licence}"))
        .collect();
    report("licences", &faults);
}

/// Whether one alternative of an SPDX expression uses known licences alone.
fn is_known(expression: &str) -> bool {
    let flat = expression.replace(['(', ')'], " ").replace('/', " OR ");
    flat.split(" OR ").any(|alternative| {
        alternative
            .split(" AND ")
            .all(|licence| LICENCES.contains(&licence.trim()))
    })
}

#[test]
fn licence_expressions_are_read_by_alternative() {
    assert!(is_known("MIT OR GPL-3.0"));
    assert!(is_known("MIT/Apache-2.0"));
    assert!(!is_known("GPL-3.0"));
    assert!(!is_known("MIT AND GPL-3.0"));
}
