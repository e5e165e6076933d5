//! Reads a table and looks at every column: from a local file to a profile and verdicts.
//!
//! In this process for short commands; in a child that can be killed for a run, where the library that
//! decodes could otherwise not be stopped. The child is `autotune __profile SPEC`; it answers on stdout
//! in [`Line`]s.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use datasets::infer::{InferOptions, Inference, infer};
use datasets::profile::{Profile, ProfileOptions, profile};
use datasets::source::{Compression, ReadOptions, Source};
use datasets::table::{IngestOptions, Table};
use datasets::{Finding, Kind, What};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::fetch::Located;
use crate::hardware::check_room;

/// What to look at, and what the user said of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LookSpec {
    /// The local file.
    pub path: PathBuf,
    /// How it is read.
    pub options: ReadOptions,
    /// The folder of everything kept for reuse.
    pub cache: PathBuf,
    /// The target, by name.
    pub target: Option<String>,
    /// Whether a table without a target is an error.
    pub need_target: bool,
    /// Kinds asked for.
    pub types: BTreeMap<String, Kind>,
    /// Columns asked to be left out.
    pub ignore: Vec<String>,
    /// Threads that read.
    pub threads: usize,
    /// Keep about one row in this many; 1 keeps all.
    pub one_in: u32,
}

impl LookSpec {
    /// A look at a located dataset; what the registry knows of it counts unless the user says otherwise.
    pub fn new(located: &Located, cache: &Path, threads: usize) -> Self {
        let entry = located.entry;
        Self {
            path: located.path.clone(),
            options: located.options.clone(),
            cache: cache.to_owned(),
            target: entry.map(|entry| entry.target.to_owned()),
            need_target: false,
            types: BTreeMap::new(),
            ignore: entry
                .map(|entry| entry.ignore.iter().map(|&name| name.to_owned()).collect())
                .unwrap_or_default(),
            threads,
            one_in: 1,
        }
    }

    /// Takes over what the user said.
    #[must_use]
    pub fn with(
        mut self,
        target: Option<&str>,
        types: &BTreeMap<String, Kind>,
        ignore: &[String],
    ) -> Self {
        if let Some(target) = target {
            self.target = Some(target.to_owned());
        }
        self.types = types.clone();
        self.ignore
            .retain(|name| !types.contains_key(name) && target != Some(name));
        self.ignore
            .extend(ignore.iter().filter(|name| !name.is_empty()).cloned());
        self
    }

    /// The folder of the decoded table: one for each content and way of reading, so that no run replaces the table of another.
    fn table_dir(&self, source: &Source) -> PathBuf {
        let how = format!("{:?} {:?}", self.types, self.one_in);
        let how: String = Sha256::digest(how)
            .iter()
            .take(4)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.cache
            .join("read")
            .join(format!("{}-{how}", source.fingerprint))
    }
}

/// What was seen.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Seen {
    /// The fingerprint of the source.
    pub fingerprint: String,
    /// The size of the file.
    pub size_bytes: u64,
    /// The folder of the decoded table.
    pub table_dir: PathBuf,
    /// The profile.
    pub profile: Profile,
    /// The verdicts.
    pub inference: Inference,
    /// What was odd in reading, in the columns, and in the verdicts, in this order.
    pub findings: Vec<Finding>,
}

/// About as much as a table takes when it is decoded: a text takes no more than it did, and compressed texts
/// of tables are three to ten times as long when they are unpacked.
fn decoded_bytes(source: &Source, one_in: u32) -> u64 {
    let text = match source.compression {
        Compression::None => source.size_bytes,
        Compression::Gzip => source.size_bytes.saturating_mul(3),
    };
    text / u64::from(one_in.max(1))
}

/// Looks, in this process. `progress` hears of bytes read and bytes in all.
pub fn look(spec: &LookSpec, progress: &mut dyn FnMut(u64, u64)) -> Result<Seen> {
    if let Some(target) = spec
        .target
        .as_ref()
        .filter(|name| spec.ignore.contains(name))
    {
        return Err(target_left_out(target));
    }
    let source = Source::open(&spec.path, &spec.options)?;
    let table_dir = spec.table_dir(&source);
    if !table_dir.exists() {
        check_room(
            &spec.cache,
            decoded_bytes(&source, spec.one_in),
            "the decoded table",
        )?;
    }
    let options = IngestOptions {
        types: spec.types.clone(),
        one_in: spec.one_in,
        ..IngestOptions::new(spec.threads)
    };
    let (table, mut findings) = Table::ingest(&source, &table_dir, &options, &mut |at| {
        progress(at.bytes, at.of)
    })?;
    let profile = profile(
        &table,
        &ProfileOptions {
            threads: spec.threads,
        },
    );
    let wishes = InferOptions {
        target: spec.target.clone(),
        need_target: spec.need_target,
        types: spec.types.clone(),
        ignore: wishes_to_ignore(spec, &findings),
    };
    check_target(spec, &findings)?;
    let inference =
        infer(&profile, &table, &wishes).map_err(|error| naming_file(error, &spec.path))?;
    findings.extend(profile.findings.iter().cloned());
    findings.extend(inference.findings.iter().cloned());
    Ok(Seen {
        fingerprint: source.fingerprint,
        size_bytes: source.size_bytes,
        table_dir,
        profile,
        inference,
        findings,
    })
}

/// A column cannot be both.
pub(crate) fn target_left_out(target: &str) -> Error {
    Error::usage(
        format!("{target} is the target and cannot be left out"),
        "take it from --ignore, or name another --target",
    )
}

/// The columns that `findings` tell of as `what`.
fn told_as(findings: &[Finding], what: What) -> impl Iterator<Item = &str> {
    let told = findings.iter().filter(move |finding| finding.what == what);
    told.filter_map(|finding| finding.column.as_deref())
}

/// The columns to leave out; those that could not be read are out already.
fn wishes_to_ignore(spec: &LookSpec, findings: &[Finding]) -> Vec<String> {
    let is_out = |name: &String| told_as(findings, What::Unreadable).any(|column| column == name);
    spec.ignore
        .iter()
        .filter(|name| !is_out(name))
        .cloned()
        .collect()
}

/// A target must be one column, and one that can be read.
fn check_target(spec: &LookSpec, findings: &[Finding]) -> Result<()> {
    let Some(target) = &spec.target else {
        return Ok(());
    };
    let file = spec.path.display();
    // The later column of a name is called NAME.1, NAME.2, ...
    let is_later = |name: &str| {
        let end = name
            .strip_prefix(target.as_str())
            .and_then(|end| end.strip_prefix('.'));
        end.is_some_and(|end| end.parse::<u32>().is_ok())
    };
    if let Some(later) = told_as(findings, What::DuplicateName).find(|name| is_later(name)) {
        return Err(Error::usage(
            format!("the target {target} is two columns of {file}: both have that name"),
            format!("rename one of them in the file; --target {later} means the later one"),
        ));
    }
    if told_as(findings, What::Unreadable).any(|column| column == target) {
        return Err(Error::data(
            format!("the target {target} of {file} is of a type that no model reads"),
            "choose another column with --target, or write it as numbers or texts",
        ));
    }
    Ok(())
}

/// An unknown column says of which file: a run may read three.
fn naming_file(error: datasets::Error, path: &Path) -> Error {
    let hint = error.hint().unwrap_or_default();
    let what = format!("{}: {error}", path.display());
    if matches!(error, datasets::Error::UnknownColumn { .. }) {
        Error::usage(what, hint)
    } else {
        error.into()
    }
}

/// One line of the child.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// How far reading has come, in bytes.
    Progress {
        /// Read.
        done: u64,
        /// In all.
        of: u64,
    },
    /// The result; the last line.
    Seen(Box<Seen>),
    /// There is none; the last line.
    Failed {
        /// The exit code of the error's class.
        exit: u8,
        /// What is wrong, and where.
        what: String,
        /// What to do.
        hint: String,
    },
}

impl Line {
    /// Reads a line of the child.
    pub fn read(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| {
            Error::bug(format!(
                "the process that reads the table said what cannot be understood: {error}"
            ))
        })
    }

    /// The line of an error.
    pub(crate) fn failed(error: &Error) -> Self {
        Self::Failed {
            exit: error.exit().code(),
            what: error.to_string(),
            hint: error.hint().to_owned(),
        }
    }

    /// The error of a `Failed` line.
    pub fn error(exit: u8, what: String, hint: String) -> Error {
        match exit {
            2 => Error::usage(what, hint),
            3 => Error::data(what, hint),
            4 => Error::environment(what, hint),
            _ => Error::bug(what),
        }
    }
}

/// The child that looks, not yet started; `spec_file` is written here, and stdout is piped.
pub fn child(spec: &LookSpec, spec_file: &Path) -> Result<Command> {
    let program = std::env::current_exe().map_err(Error::file("find", Path::new("autotune")))?;
    let text = serde_json::to_vec(spec)
        .map_err(|error| Error::bug(format!("a look cannot be written down: {error}")))?;
    std::fs::write(spec_file, text).map_err(Error::file("write", spec_file))?;
    let mut command = Command::new(program);
    command
        .arg("__profile")
        .arg(spec_file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;

    fn refused(header: &str, target: &str, ignore: &[&str]) -> Error {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.csv");
        let rows: String = (0..40)
            .map(|i| format!("{i},{},{}\n", i % 7, i % 2))
            .collect();
        std::fs::write(&path, format!("{header}\n{rows}")).unwrap();
        let spec = LookSpec {
            path,
            options: ReadOptions::default(),
            cache: dir.path().join("cache"),
            target: Some(target.to_owned()),
            need_target: true,
            types: BTreeMap::new(),
            ignore: ignore.iter().map(|&name| name.to_owned()).collect(),
            threads: 1,
            one_in: 1,
        };
        look(&spec, &mut |_, _| {}).unwrap_err()
    }

    #[test]
    fn a_target_is_one_column_that_is_there_and_not_left_out() {
        for (header, target, ignore, expected) in [
            (
                "a,b,y",
                "y",
                &["y"][..],
                "y is the target and cannot be left out",
            ),
            ("a,y,y", "y", &[], "the target y is two columns of"),
            ("a,b,y", "z", &[], "t.csv: no column \"z\""),
            ("a,b,y", "y", &["z"], "t.csv: no column \"z\""),
        ] {
            let error = refused(header, target, ignore);
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(error.exit(), Exit::Usage, "{error}");
        }
    }
}
