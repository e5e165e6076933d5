//! Decodes a source into a table: once, streamed, in bounded memory.
//!
//! A pass over the file reads every column as numbers while that goes, else as text. Where a column turns
//! to words after numbers were written, or is numbers but for a few words, a second pass reads that column
//! alone in the right way. What a column becomes depends on all its values, never on where blocks end.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::build::Reading;
use super::manifest::{ColumnFile, FILE, Manifest, VERSION};
use super::open::Table;
use super::write::{ColumnWriter, Outcome};
use super::{text, typed};
use crate::finding::What;
use crate::source::{Format, Source};
use crate::{Error, Finding, Kind, Result};

/// How to decode a source.
#[derive(Debug, Clone)]
pub struct IngestOptions {
    /// Threads that decode; at least one.
    pub threads: usize,
    /// Kinds that the caller asks for: a `number` column reads what is no number as missing (and says so);
    /// a `text` or `date` column keeps its text as written. Names of no column are ignored.
    pub types: BTreeMap<String, Kind>,
    /// Keep about one row in this many, drawn evenly over the whole file; 0 and 1 keep every row.
    pub one_in: u32,
    /// Bytes decoded at once by a thread, at most 64 MB. The table does not depend on it.
    pub block_bytes: usize,
}

impl IngestOptions {
    /// Every row, no type asked for, blocks of 8 MB.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        Self {
            threads,
            types: BTreeMap::new(),
            one_in: 1,
            block_bytes: 8 << 20,
        }
    }

    /// How the column of that name is read.
    pub(super) fn reading(&self, name: &str) -> Reading {
        match self.types.get(name) {
            Some(Kind::Number) => Reading::Number,
            Some(Kind::Text | Kind::Date) => Reading::Text,
            Some(Kind::Category | Kind::Binary) | None => Reading::Auto,
        }
    }
}

/// How far decoding has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the file consumed.
    pub bytes: u64,
    /// Bytes of the file.
    pub of: u64,
    /// Rows written.
    pub rows: u64,
}

/// What every reader needs.
pub(super) struct Job<'a> {
    pub(super) source: &'a Source,
    pub(super) dir: &'a Path,
    pub(super) options: &'a IngestOptions,
    pub(super) progress: &'a mut dyn FnMut(Progress),
}

/// What every reader gives back.
pub(super) struct Read {
    pub(super) n_rows: u64,
    pub(super) n_left_out: u64,
    pub(super) columns: Vec<ColumnFile>,
    pub(super) findings: Vec<Finding>,
}

impl Table {
    /// Decodes `source` into the folder `dir`, which appears whole or not at all. A folder that already
    /// holds the same source decoded with the same options is opened instead, with its findings.
    ///
    /// # Errors
    /// Every fault of the data that makes it unreadable, with its place; a disk that cannot be written.
    pub fn ingest(
        source: &Source,
        dir: &Path,
        options: &IngestOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(Self, Vec<Finding>)> {
        let key = key(source, options);
        if let Ok(manifest) = Manifest::read(dir)
            && manifest.key == key
            && let Ok(table) = Self::map(dir, &manifest)
        {
            return Ok((table, manifest.findings));
        }
        let part = Part::create(dir)?;
        let mut job = Job {
            source,
            dir: &part.dir,
            options,
            progress,
        };
        let read = match source.format {
            Format::Csv | Format::JsonLines => text::read(&mut job)?,
            Format::Parquet | Format::Ipc => typed::read(&mut job)?,
        };
        if read.n_rows == 0 {
            if source.format == Format::Csv && ends_lines_with_cr(source) {
                return Err(Error::NotATable {
                    path: source.path.clone(),
                    what: "text whose lines end in a carriage return alone",
                    hint: "write its lines with line feeds: tr '\\r' '\\n' < FILE > NEW.csv",
                });
            }
            let what = if read.columns.is_empty() {
                "is empty"
            } else {
                "has a header but no rows"
            };
            return Err(Error::Empty {
                path: source.path.clone(),
                what,
            });
        }
        let findings = findings(&read);
        let manifest = Manifest {
            version: VERSION,
            key,
            n_rows: read.n_rows,
            columns: read.columns,
            findings,
        };
        manifest.write(&part.dir)?;
        part.rename()?;
        Ok((Self::map(dir, &manifest)?, manifest.findings))
    }
}

/// Whether the beginning of a text has carriage returns and no line feed, as very old programs write lines.
fn ends_lines_with_cr(source: &Source) -> bool {
    const LOOKED_AT: u64 = 64 << 10;
    let mut head = Vec::new();
    let read =
        fs::File::open(&source.path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut head));
    read.is_ok() && head.contains(&b'\r') && !head.contains(&b'\n')
}

/// What a table was made from.
fn key(source: &Source, options: &IngestOptions) -> String {
    format!(
        "{} {:?} {:?}",
        source.fingerprint, options.types, options.one_in
    )
}

/// A folder that is being written; removed again unless it is renamed.
struct Part {
    dir: PathBuf,
    whole: PathBuf,
}

impl Part {
    fn create(whole: &Path) -> Result<Self> {
        let mut name = whole.file_name().unwrap_or_default().to_owned();
        name.push(format!(".part-{}", std::process::id()));
        let part = Self {
            dir: whole.with_file_name(name),
            whole: whole.to_owned(),
        };
        part.sweep();
        fs::create_dir_all(&part.dir).map_err(Error::io("create", &part.dir))?;
        Ok(part)
    }

    /// Removes what killed processes left behind.
    fn sweep(&self) {
        let Some(folder) = self.whole.parent() else {
            return;
        };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some((_, process)) = name.to_str().and_then(|name| name.rsplit_once(".part-"))
            else {
                continue;
            };
            if entry.path() == self.dir || !Path::new("/proc").join(process).exists() {
                // Another process may be sweeping too.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    fn rename(self) -> Result<()> {
        if self.whole.join(FILE).exists() || self.whole.exists() {
            fs::remove_dir_all(&self.whole).map_err(Error::io("write", &self.whole))?;
        }
        fs::rename(&self.dir, &self.whole).map_err(Error::io("write", &self.whole))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // After the rename there is nothing to remove.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// What reading has shown, in words.
fn findings(read: &Read) -> Vec<Finding> {
    let mut findings = read.findings.clone();
    if read.n_left_out > 0 {
        let (kept, all) = (read.n_rows, read.n_rows + read.n_left_out);
        findings.push(Finding::warning(
            What::Sampled,
            None,
            format!("{kept} of {all} rows are used, drawn evenly over the file"),
        ));
    }
    for column in read.columns.iter().filter(|column| column.n_unread > 0) {
        let words = match column.unread.as_slice() {
            [] => "that are no numbers".to_owned(),
            words => format!(
                "({})",
                words
                    .iter()
                    .map(|word| format!("\"{word}\""))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        };
        let text = format!(
            "{} values {words} in a column of numbers are read as missing",
            column.n_unread
        );
        findings.push(Finding::warning(What::NotANumber, Some(&column.name), text));
    }
    findings
}

/// One pass over the file: reads each column as told into its writer.
pub(super) trait Pass {
    /// Fills `writers`; gives rows kept and rows left out.
    fn run(
        &mut self,
        readings: &[Reading],
        writers: &mut [ColumnWriter],
        job: &mut Job<'_>,
    ) -> Result<(u64, u64)>;
}

/// Passes over the file until every column is on disk: one, or two where a column needs another reading.
pub(super) fn passes(
    names: &[String],
    job: &mut Job<'_>,
    pass: &mut dyn Pass,
) -> Result<(u64, u64, Vec<ColumnFile>)> {
    let mut readings: Vec<Reading> = names.iter().map(|name| job.options.reading(name)).collect();
    let mut files: Vec<Option<ColumnFile>> = vec![None; names.len()];
    loop {
        let mut writers: Vec<ColumnWriter> = readings
            .iter()
            .enumerate()
            .map(|(index, &reading)| ColumnWriter::new(job.dir, index, reading))
            .collect();
        let (n_rows, n_left_out) = pass.run(&readings, &mut writers, job)?;
        for (index, writer) in writers.into_iter().enumerate() {
            if readings[index] == Reading::Skip {
                continue;
            }
            readings[index] = match writer.finish(&names[index])? {
                Outcome::Done(file) => {
                    files[index] = Some(file);
                    Reading::Skip
                }
                Outcome::Again(reading) => reading,
            };
        }
        if readings.iter().all(|&reading| reading == Reading::Skip) {
            let columns = files
                .into_iter()
                .map(|file| file.expect("a skipped column is done"))
                .collect();
            return Ok((n_rows, n_left_out, columns));
        }
    }
}
