//! How many legs a second the whole engine trains on a tiny table, with every slot busy: choosing,
//! journal, fork, 16 steps, checkpoint, judging, exit. The cold start stands beside it.
//!
//! Goal: 20 legs a second on 2 cores, better 30. Runs `autotune` from this program's folder (`make build`).

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use results::{Entry, Reader};

/// Trials of the run; each has one leg.
const TRIALS: u32 = 200;

/// Rows of the table, so that the part that trains (64 %) is 16 batches of 64.
const ROWS: u32 = 1_600;

/// Starts of a cold process that are timed.
const COLD: u32 = 5;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let me = std::env::current_exe()?;
    let programs = me.parent().ok_or("this program is in no folder")?;
    let dir = std::env::temp_dir().join(format!("autotune-trial-rate-{}", std::process::id()));
    fs::create_dir_all(&dir)?;
    let done = measure(programs, &dir);
    fs::remove_dir_all(&dir)?;
    done
}

fn measure(programs: &Path, dir: &Path) -> Result<()> {
    let table = dir.join("table.csv");
    fs::write(&table, rows())?;
    let status = Command::new(programs.join("autotune"))
        .args([
            "run",
            "--target",
            "y",
            "--max-epochs",
            "1",
            "--scheduler",
            "fifo",
            "--quiet",
            "--name",
            "rate",
        ])
        .args(["--max-trials", &TRIALS.to_string(), "--output"])
        .arg(dir)
        .arg("--dataset")
        .arg(&table)
        .env("AUTOTUNE_CACHE", dir.join("cache"))
        .status()?;
    if !status.success() {
        return Err(format!("the run failed: {status}").into());
    }
    let run = dir.join("rate");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (n_legs, took) = runtime.block_on(legs(&run))?;
    let mut out = io::stdout().lock();
    let rate = f64::from(n_legs) / took.as_secs_f64();
    writeln!(
        out,
        "{n_legs} legs in {:.2} s: {rate:.1} legs a second",
        took.as_secs_f64()
    )?;
    let cold = cold_start(programs, &run)?;
    writeln!(
        out,
        "the same leg from a cold start: {:.0} ms each",
        cold.as_secs_f64() * 1e3
    )?;
    Ok(())
}

/// Legs of the search, and the time from the start of the first to the end of the last.
async fn legs(run: &Path) -> Result<(u32, Duration)> {
    let reader = Reader::open(&run.join(results::FILE_NAME)).await?;
    let (mut n_legs, mut first, mut last) = (0, None, Duration::ZERO);
    for event in reader.events(0, u32::MAX).await? {
        if let Entry::LegStarted { trial: 1.., .. } = event.entry {
            first = first.or(Some(event.at));
        } else if let Entry::Exited { trial: 1.., .. } = event.entry {
            (n_legs, last) = (n_legs + 1, event.at);
        }
    }
    Ok((n_legs, last.saturating_sub(first.unwrap_or_default())))
}

/// Trains trial 2 again from its own folder, by hand as it were.
fn cold_start(programs: &Path, run: &Path) -> Result<Duration> {
    let trial = run.join("trials/2");
    let start = now();
    for _ in 0..COLD {
        let _ = fs::remove_dir_all(trial.join("checkpoint"));
        let status = Command::new(programs.join("autotune-trial"))
            .arg("run")
            .arg(trial.join("spec.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        if !status.success() {
            return Err(format!("the cold start failed: {status}").into());
        }
    }
    Ok(start.elapsed() / COLD)
}

/// Two numbers and two classes, from a small generator of our own.
fn rows() -> String {
    let mut state = 1_u32;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    let mut text = String::from("a,b,y\n");
    for _ in 0..ROWS {
        let (a, b, noise) = (draw(), draw(), draw());
        let class = if a + b + noise > 1.5 { "yes" } else { "no" };
        // Writing to a string does not fail.
        let _ = writeln!(text, "{a:.4},{b:.4},{class}");
    }
    text
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}
