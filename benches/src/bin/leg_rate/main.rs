//! How many real trial legs a second the launcher gives: fork, 16 steps, checkpoint and model on disk, exit;
//! and the same started cold. On a tiny table, so that what is measured is the way and not the training.
//!
//! `leg_rate [--slots 2] [--seconds 10] [--trial PATH]`

mod launcher;
mod table;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use launcher::Launcher;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use table::Bench;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Args {
    slots: u32,
    seconds: u64,
    trial: PathBuf,
}

fn main() -> ExitCode {
    match parse().and_then(|args| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(io::stderr(), "error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Args> {
    let beside = std::env::current_exe()?.with_file_name("autotune-trial");
    let mut args = Args {
        slots: 2,
        seconds: 10,
        trial: beside,
    };
    let mut words = std::env::args_os().skip(1);
    while let Some(word) = words.next() {
        let value: OsString = words.next().ok_or("an option without a value")?;
        let number = || value.to_string_lossy().parse::<u32>();
        match word.to_string_lossy().as_ref() {
            "--slots" => args.slots = number()?.max(1),
            "--seconds" => args.seconds = u64::from(number()?.max(1)),
            "--trial" => args.trial = value.into(),
            other => {
                return Err(format!(
                    "unknown option {other}; there are --slots, --seconds, --trial"
                )
                .into());
            }
        }
    }
    Ok(args)
}

fn run(args: &Args) -> Result<()> {
    let bench = Bench::prepare()?;
    let time = Duration::from_secs(args.seconds);
    let forked = forked(args, &bench, time)?;
    let cold = cold(args, &bench, time)?;
    let mut out = io::stdout();
    writeln!(
        out,
        "{} slots, a leg is {} steps of {} rows",
        args.slots,
        table::STEPS,
        table::BATCH
    )?;
    for (way, Rate { legs_per_s, cpu_ms }) in [("forked", forked), ("cold", cold)] {
        writeln!(
            out,
            "{way:>6}: {legs_per_s:6.1} legs/s, {cpu_ms:6.1} ms of processor time each"
        )?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a bench measures")]
fn now() -> Instant {
    Instant::now()
}

/// What was reached.
struct Rate {
    legs_per_s: f64,
    /// Processor time of a leg's process, which a busy machine does not change much.
    cpu_ms: f64,
}

/// Processor time of the legs that are over.
fn cpu_ms() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let ms = |time: nix::sys::time::TimeVal| time.num_microseconds() as f64 / 1000.0;
    Ok(ms(usage.user_time()) + ms(usage.system_time()))
}

/// With every slot busy.
fn forked(args: &Args, bench: &Bench, time: Duration) -> Result<Rate> {
    let mut launcher = Launcher::start(&args.trial)?;
    let mut n_begun = 0;
    let mut begin = |launcher: &mut Launcher, slot: u32| -> Result<launcher::Leg> {
        n_begun += 1;
        launcher.fork(&bench.trial(n_begun, slot)?)
    };
    // One leg a slot that does not count: the launcher opens the data, pages are touched.
    let mut busy = (0..args.slots)
        .map(|slot| Ok((slot, begin(&mut launcher, slot)?)))
        .collect::<Result<Vec<_>>>()?;
    let (mut n_ended, mut start, mut cpu_before) = (0, now(), 0.0);
    while start.elapsed() < time {
        for at in launcher::await_any(busy.iter().map(|(_, leg)| leg))? {
            let (slot, leg) = &mut busy[at];
            if leg.advance()? {
                busy[at] = (*slot, begin(&mut launcher, *slot)?);
                n_ended += 1;
                if n_ended == args.slots {
                    (start, cpu_before) = (now(), cpu_ms()?);
                }
            }
        }
    }
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_ms()? - cpu_before);
    for (_, mut leg) in busy {
        while !leg.advance()? {}
    }
    let n_legs = f64::from(n_ended.saturating_sub(args.slots));
    Ok(Rate {
        legs_per_s: n_legs / seconds,
        cpu_ms: cpu / n_legs,
    })
}

/// The same with a process from scratch for each leg.
fn cold(args: &Args, bench: &Bench, time: Duration) -> Result<Rate> {
    let (start, cpu_before) = (now(), cpu_ms()?);
    let counts = std::thread::scope(|scope| {
        let slot = |slot: u32| {
            scope.spawn(move || {
                cold_slot(&args.trial, bench, slot, || start.elapsed() < time)
                    .map_err(|error| error.to_string())
            })
        };
        let slots: Vec<_> = (0..args.slots).map(slot).collect();
        slots
            .into_iter()
            .map(|slot| {
                slot.join()
                    .map_err(|_| "a thread panicked".to_owned())
                    .and_then(|count| count)
            })
            .collect::<std::result::Result<Vec<u32>, String>>()
    })?;
    let n_legs = f64::from(counts.iter().sum::<u32>());
    Ok(Rate {
        legs_per_s: n_legs / start.elapsed().as_secs_f64(),
        cpu_ms: (cpu_ms()? - cpu_before) / n_legs,
    })
}

fn cold_slot(trial: &Path, bench: &Bench, slot: u32, go_on: impl Fn() -> bool) -> Result<u32> {
    let mut n_ended = 0;
    while go_on() {
        n_ended += 1;
        let dir = bench.trial(1_000_000 + 1000 * slot + n_ended, slot)?;
        let status = Command::new(trial)
            .arg("run")
            .arg(dir.join("spec.json"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        if !status.success() {
            return Err(format!("a cold leg ended with {status}").into());
        }
    }
    Ok(n_ended)
}
