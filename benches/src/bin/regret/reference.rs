//! Reference means of LC-1 (100 seeds) and LC-2 (40 seeds) of an independent simulation, and how far what was found
//! lies from them.

use std::io::{self, Write};

use crate::TIMES;
use crate::bench::Bench;
use crate::method::Method;
use crate::table::{at, mean};

/// Slots that the table is of.
pub(crate) const SLOTS: u32 = 4;

/// Standard errors that a mean may be away.
const ALLOWED: f64 = 2.0;

/// The table has a mean of so many seeds for LC-2, of a hundred elsewhere.
const LC2_SEEDS: usize = 40;

/// Half of the last digit that is printed.
const ROUNDING: f64 = 0.000_05;

/// Means by benchmark, method and time; not a number where nothing is printed.
const TABLE: &[(Bench, &str, [f64; 5])] = &[
    (
        Bench::Lc1,
        "random",
        [0.1080, 0.0639, 0.0314, 0.0164, 0.0099],
    ),
    (
        Bench::Lc1,
        "promotion",
        [0.0113, 0.0086, 0.0043, 0.0024, 0.0014],
    ),
    (
        Bench::Lc1,
        "stopping",
        [0.0376, 0.0105, 0.0045, 0.0024, 0.0014],
    ),
    (
        Bench::Lc1Noisy,
        "random",
        [0.1105, 0.0656, 0.0354, 0.0234, 0.0186],
    ),
    (
        Bench::Lc1Noisy,
        "promotion",
        [0.0166, 0.0140, 0.0092, 0.0080, 0.0070],
    ),
    (
        Bench::Lc1Noisy,
        "stopping",
        [0.0373, 0.0173, 0.0095, 0.0081, 0.0068],
    ),
    (
        Bench::Lc1Noisier,
        "random",
        [0.1209, 0.0783, 0.0566, 0.0349, 0.0309],
    ),
    (
        Bench::Lc1Noisier,
        "promotion",
        [0.0257, 0.0240, 0.0157, 0.0140, 0.0129],
    ),
    (
        Bench::Lc1Noisier,
        "stopping",
        [0.0389, 0.0252, 0.0153, 0.0149, 0.0126],
    ),
    (
        Bench::Lc2,
        "random",
        [0.1240, f64::NAN, 0.0418, f64::NAN, 0.0214],
    ),
    (
        Bench::Lc2,
        "promotion",
        [0.0840, f64::NAN, 0.0522, f64::NAN, 0.0270],
    ),
    (
        Bench::Lc2,
        "stopping",
        [0.1182, f64::NAN, 0.0547, f64::NAN, 0.0301],
    ),
];

/// Says of each reference mean how many of our standard errors it is away.
pub(crate) fn compare(
    out: &mut impl Write,
    bench: Bench,
    methods: &[Method],
    found: &[Vec<Vec<f64>>],
) -> io::Result<()> {
    let rows = TABLE.iter().filter(|(of, _, _)| *of == bench);
    for (_, name, reference) in rows {
        let Some(seeds) = methods
            .iter()
            .zip(found)
            .find(|(method, _)| method.name == *name)
            .map(|(_, seeds)| seeds)
        else {
            continue;
        };
        write!(out, "reference, {name}:")?;
        for (t, expected) in reference.iter().enumerate().filter(|(_, x)| x.is_finite()) {
            let mut seeds = at(seeds, t);
            if bench == Bench::Lc2 {
                seeds.truncate(LC2_SEEDS);
            }
            let (mean, error) = mean(&seeds);
            let away = ((mean - expected).abs() - ROUNDING).max(0.0) / error;
            let word = if away <= ALLOWED { "" } else { " TOO FAR" };
            write!(
                out,
                " {} at {} is {away:.1} errors away{word};",
                expected, TIMES[t]
            )?;
        }
        writeln!(out)?;
    }
    writeln!(out)
}
