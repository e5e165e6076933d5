//! Order statistics of a sample.

/// The largest sample that order statistics are taken from: at this size the error of a quartile is
/// about 0.1 % of the rows.
pub(super) const MAX_SAMPLE: usize = 1 << 18;

/// Rows to take for a sample: all of them, or every k-th. `rows` is in no order that matters.
pub(super) fn sample(rows: &[u32]) -> impl Iterator<Item = u32> + '_ {
    rows.iter()
        .step_by(rows.len().div_ceil(MAX_SAMPLE).max(1))
        .copied()
}

/// The value at share `q` of sorted, finite values, interpolated between neighbours as numpy does;
/// NaN for none.
pub(super) fn at(sorted: &[f32], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = q.clamp(0.0, 1.0) * last as f64;
    let low = floor(place).min(last);
    let (a, b) = (
        f64::from(sorted[low]),
        f64::from(sorted[(low + 1).min(last)]),
    );
    a + (b - a) * (place - low as f64)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a slice: not negative, below 2^53"
)]
fn floor(place: f64) -> usize {
    place as usize
}

/// The most frequent of sorted values; the smallest of equals, NaN for none.
pub(super) fn mode(sorted: &[f32]) -> f64 {
    let runs = sorted.chunk_by(|a, b| a.total_cmp(b).is_eq());
    runs.rev()
        .max_by_key(|run| run.len())
        .map_or(f64::NAN, |run| f64::from(run[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([1, 2, 4, 8, 16], [0, .1, .25, .5, .9, 1])
        let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
        let expected = [
            (0.0, 1.0),
            (0.1, 1.4),
            (0.25, 2.0),
            (0.5, 4.0),
            (0.9, 12.8),
            (1.0, 16.0),
        ];
        for (q, value) in expected {
            assert!((at(&sorted, q) - value).abs() < 1e-12, "{q}");
        }
        assert!(at(&[], 0.5).is_nan());
    }

    #[test]
    fn the_mode_is_the_smallest_of_the_most_frequent() {
        assert!((mode(&[1.0, 2.0, 2.0, 3.0, 3.0]) - 2.0).abs() < 1e-12);
        assert!(mode(&[]).is_nan());
    }
}
