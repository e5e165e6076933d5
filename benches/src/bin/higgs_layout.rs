//! A seeded table in the layout of Higgs (29 columns of `%.18e`, no header), read, profiled and prepared: time and
//! peak memory.
//!
//! `higgs_layout [ROWS] [--dir DIR] [--threads N]`: writes `DIR/higgs-ROWS.csv` once (739 bytes a row, about
//! 739 MB for 1,000,000 rows), then decodes it into a table, profiles it, infers its types and writes the arrays
//! that trials map. The peak is that of the process, which has done nothing else.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use datasets::encode::{InputKind, InputPlan, RowFill, TargetKind, TargetPlan};
use datasets::infer::{InferOptions, infer};
use datasets::profile::{ProfileOptions, profile};
use datasets::source::Source;
use datasets::split::{Shares, SplitSpec};
use datasets::store::{self, Recipe, Sample, Tables};
use datasets::table::{IngestOptions, Table};

/// Columns beside the label.
const INPUTS: usize = 28;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "higgs_layout: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (mut rows, mut dir, mut threads) =
        (1_000_000, std::env::temp_dir().join("autotune-benches"), 2);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
        match argument.as_str() {
            "--dir" => dir = PathBuf::from(value()?),
            "--threads" => threads = value()?.parse()?,
            count => rows = count.parse()?,
        }
    }
    let mut out = io::stdout().lock();
    let file = file(&dir, rows)?;
    let bytes = fs::metadata(&file)?.len();
    writeln!(
        out,
        "{}: {rows} rows, {:.0} MB",
        file.display(),
        bytes as f64 / 1e6
    )?;
    let table_dir = dir.join(format!("table-{rows}"));
    if table_dir.exists() {
        fs::remove_dir_all(&table_dir)?;
    }

    let entry = datasets::registry::find("higgs").ok_or("higgs is in the registry")?;
    let start = now();
    let source = Source::open(&file, &entry.read_options())?;
    let (table, _) = Table::ingest(
        &source,
        &table_dir,
        &IngestOptions::new(threads),
        &mut |_| {},
    )?;
    let read = now();
    let seen = profile(&table, &ProfileOptions { threads });
    let profiled = now();
    let options = InferOptions {
        target: Some(entry.target.to_owned()),
        ..InferOptions::default()
    };
    let inference = infer(&seen, &table, &options)?;
    let inferred = now();
    let before = peak_bytes()?;
    prepare(
        &table,
        entry.target,
        &dir.join(format!("prepared-{rows}")),
        threads,
    )?;
    let prepared = now();

    writeln!(out, "read      {:6.2} s", (read - start).as_secs_f64())?;
    writeln!(out, "profile   {:6.2} s", (profiled - read).as_secs_f64())?;
    writeln!(
        out,
        "infer     {:6.2} s   {} inputs",
        (inferred - profiled).as_secs_f64(),
        inference.inputs().count()
    )?;
    writeln!(
        out,
        "prepare   {:6.2} s   peak before it {:.0} MB",
        (prepared - inferred).as_secs_f64(),
        before as f64 / 1e6
    )?;
    writeln!(
        out,
        "together  {:6.2} s   peak {:.0} MB",
        (prepared - start).as_secs_f64(),
        peak_bytes()? as f64 / 1e6
    )?;
    fs::remove_dir_all(&table_dir)?;
    Ok(())
}

/// Stratified parts and the arrays of all columns but the target.
fn prepare(
    table: &Table,
    target: &str,
    dir: &Path,
    threads: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let inputs = table
        .columns()
        .iter()
        .map(|column| column.name())
        .filter(|name| *name != target);
    let input = |name: &str| InputPlan {
        name: name.into(),
        column: name.into(),
        missing: RowFill::Keep,
        kind: InputKind::Number,
    };
    let recipe = Recipe {
        inputs: inputs.map(input).collect(),
        target: TargetPlan {
            name: target.into(),
            column: target.into(),
            kind: TargetKind::Binary,
            true_label: None,
        },
        weight: None,
        sample: Sample::All,
        split: SplitSpec::Stratify {
            column: target.into(),
            shares: Shares::new([0.7, 0.1, 0.2])?,
        },
        seed: 1,
    };
    let tables = Tables {
        main: table,
        validation: None,
        test: None,
    };
    store::build(
        tables,
        &recipe,
        &recipe.key(&[&table.key()?]),
        dir,
        threads,
        &mut |_| {},
    )?;
    fs::remove_dir_all(dir)?;
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn now() -> Instant {
    Instant::now()
}

/// The most memory this process has held so far.
fn peak_bytes() -> Result<u64, Box<dyn std::error::Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .ok_or("no VmHWM in /proc/self/status")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
}

/// The table's file, written unless it is there.
fn file(dir: &Path, rows: u64) -> io::Result<PathBuf> {
    let path = dir.join(format!("higgs-{rows}.csv"));
    if path.exists() {
        return Ok(path);
    }
    fs::create_dir_all(dir)?;
    let part = path.with_extension("part");
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&part)?);
    let mut stream = Stream(2014);
    for _ in 0..rows {
        write_row(&mut out, &mut stream)?;
    }
    out.into_inner()?.sync_all()?;
    fs::rename(part, &path)?;
    Ok(path)
}

/// One row: the label, then inputs of which every fourth leans on it and four are rounded as b-tags are.
fn write_row(out: &mut impl Write, stream: &mut Stream) -> io::Result<()> {
    let label = if stream.unit() < 0.53 { 1.0 } else { 0.0 };
    write_number(out, label)?;
    for input in 0..INPUTS {
        let noise = (0..4).map(|_| stream.unit()).sum::<f64>() - 2.0;
        let lean = if input % 4 == 0 { 0.4 * label } else { 0.0 };
        let value = if input % 7 == 5 {
            (noise + lean).round() * 1.086_538_434_028_625_5
        } else {
            noise + lean
        };
        out.write_all(b",")?;
        // The original holds single precision, written out in full.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "single precision is what the layout holds"
        )]
        write_number(out, f64::from(value as f32))?;
    }
    out.write_all(b"\n")
}

/// A number as C's `%.18e` writes it: the exponent has a sign and two digits.
fn write_number(out: &mut impl Write, value: f64) -> io::Result<()> {
    let text = format!("{value:.18e}");
    let (digits, exponent) = text.split_once('e').ok_or(io::ErrorKind::InvalidData)?;
    let exponent: i32 = exponent.parse().map_err(io::Error::other)?;
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(out, "{digits}e{sign}{:02}", exponent.abs())
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, seeded, the same everywhere.
struct Stream(u64);

impl Stream {
    /// The next number in [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
