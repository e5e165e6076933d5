//! Points in time: their parts as scaled numbers, or as codes of learned vectors.

use datasets::encode::date::PARTS;

use crate::model::arrays::Arrays;
use crate::model::layer::embedding::Bags;

/// A part with its first value and the number of its values.
struct Cycle {
    part: &'static str,
    first: u32,
    n: u32,
}

/// The parts that have a vector for each value, as in Ludwig's `embed`; the year and the time that has
/// passed stay numbers, since new ones are always unseen.
const CYCLES: [Cycle; 5] = [
    Cycle {
        part: "month",
        first: 1,
        n: 12,
    },
    Cycle {
        part: "day",
        first: 1,
        n: 31,
    },
    Cycle {
        part: "weekday",
        first: 0,
        n: 7,
    },
    Cycle {
        part: "hour",
        first: 0,
        n: 24,
    },
    Cycle {
        part: "minute",
        first: 0,
        n: 60,
    },
];

/// How many vectors a time has.
pub const N_VECTORS: usize = CYCLES.len();

/// Codes of all cycles together: their values, and one more each for missing.
pub fn n_codes() -> u32 {
    CYCLES.iter().map(|cycle| cycle.n + 1).sum()
}

/// For each row [`N_VECTORS`] bags of one code each; `at` is where the first part stands.
pub fn fill(at: usize, arrays: &Arrays<'_>, rows: &[u32], bags: &mut Bags) {
    bags.clear();
    let places = CYCLES.map(|cycle| {
        PARTS
            .iter()
            .position(|part| *part == cycle.part)
            .expect("a part of a time")
    });
    for &row in rows {
        let parts = &arrays.numbers_of(row)[at..at + PARTS.len()];
        let mut base = 0;
        for (cycle, place) in CYCLES.iter().zip(places) {
            bags.push(base + code(parts[place], cycle), 1.0);
            bags.end_row();
            base += cycle.n + 1;
        }
    }
}

/// 0 for missing, else 1 and on.
fn code(value: f32, cycle: &Cycle) -> u32 {
    if !value.is_finite() {
        return 0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a small range"
    )]
    let place = (value - cycle.first as f32).clamp(0.0, (cycle.n - 1) as f32) as u32;
    place + 1
}
