//! Simulated regret: what each scheduler's choice is worth after so much time, beside no scheduler at all and beside
//! one epoch for all, then the best in full.
//!
//! `regret [--bench NAME] [--slots N] [--seeds N] [--sampler NAME]`: without a choice all benchmarks (LC-1 with three
//! levels of noise, LC-1x, LC-2), on 1, 4 and 8 slots, 100 seeds, random samples. Prints means and standard errors, the
//! mean rank of each method, and how far the reference means lie from what was found.

mod bench;
mod method;
mod reference;
mod table;

use std::io::{self, Write};
use std::process::ExitCode;

use bench::Bench;
use method::Method;
use table::Column;

/// When regret is looked at, in seconds of an epoch each.
pub(crate) const TIMES: [u32; 5] = [81, 162, 405, 810, 1620];

/// What is simulated.
struct Choice {
    benches: Vec<Bench>,
    slots: Vec<u32>,
    n_seeds: u64,
    sampler: String,
}

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    let result = choice(std::env::args().skip(1))
        .and_then(|choice| report(&mut out, &choice).map_err(|error| error.to_string()));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            // Nothing is left to do when not even this can be written.
            let _ = writeln!(io::stderr(), "error: {what}");
            ExitCode::from(2)
        }
    }
}

fn choice(mut args: impl Iterator<Item = String>) -> Result<Choice, String> {
    let mut choice = Choice {
        benches: Bench::ALL.to_vec(),
        slots: vec![1, 4, 8],
        n_seeds: 100,
        sampler: "random".to_owned(),
    };
    while let Some(key) = args.next() {
        let value = args.next().ok_or(format!("{key} needs a value"))?;
        let number = || value.parse::<u32>().ok().filter(|n| *n > 0);
        match key.as_str() {
            "--bench" => {
                let of_name = |bench: &Bench| bench.name() == value;
                let bench = Bench::ALL.into_iter().find(of_name);
                choice.benches = vec![bench.ok_or(format!("no benchmark is called {value}"))?];
            }
            "--slots" => choice.slots = vec![number().ok_or(format!("{value} slots"))?],
            "--seeds" => choice.n_seeds = number().ok_or(format!("{value} seeds"))?.into(),
            "--sampler" => {
                bench::sampler(&value, 0)?;
                choice.sampler = value;
            }
            _ => return Err(format!("no option is called {key}")),
        }
    }
    Ok(choice)
}

fn report(out: &mut impl Write, choice: &Choice) -> io::Result<()> {
    let methods = Method::all();
    let mut columns: Vec<Column> = Vec::new();
    for bench in &choice.benches {
        for slots in &choice.slots {
            let title = format!("{}, {slots} slots", bench.name());
            let of = |method: &Method| -> Vec<Vec<f64>> {
                let seeds = 0..choice.n_seeds;
                seeds
                    .map(|seed| method.regrets(*bench, *slots, &choice.sampler, seed))
                    .collect()
            };
            let found: Vec<Vec<Vec<f64>>> = methods.iter().map(of).collect();
            table::write(out, &title, &methods, &found)?;
            if *slots == reference::SLOTS {
                reference::compare(out, *bench, &methods, &found)?;
            }
            columns.extend(table::columns(&title, &found));
            out.flush()?;
        }
    }
    table::ranks(out, &methods, &columns)
}
