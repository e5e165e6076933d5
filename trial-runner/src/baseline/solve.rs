//! Symmetric positive definite systems, by Cholesky's decomposition.

/// The lower factor of a matrix, row-major.
pub(super) struct Cholesky {
    n: usize,
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors the `n` x `n` matrix whose lower half is in `matrix`, row-major. A pivot that rounding has made
    /// too small is raised to a trifle of the diagonal, which acts as a tiny penalty on that direction.
    pub(super) fn new(mut matrix: Vec<f64>, n: usize) -> Self {
        let largest = (0..n)
            .map(|i| matrix[i * n + i])
            .fold(f64::MIN_POSITIVE, f64::max);
        let least = largest * 1e-12;
        for i in 0..n {
            let (above, row) = matrix.split_at_mut(i * n);
            let row = &mut row[..n];
            for j in 0..i {
                let upper = &above[j * n..j * n + n];
                row[j] = (row[j] - dot(&row[..j], &upper[..j])) / upper[j];
            }
            row[i] = (row[i] - dot(&row[..i], &row[..i])).max(least).sqrt();
        }
        Self { n, lower: matrix }
    }

    /// Solves for `width` right-hand sides at once; `sides` is `n` x `width`, row-major, and becomes the solution.
    pub(super) fn solve(&self, sides: &mut [f64], width: usize) {
        let n = self.n;
        for i in 0..n {
            let (above, row) = sides.split_at_mut(i * width);
            let row = &mut row[..width];
            for (j, done) in above.chunks_exact(width).enumerate() {
                subtract(row, self.lower[i * n + j], done);
            }
            divide(row, self.lower[i * n + i]);
        }
        for i in (0..n).rev() {
            let (above, row) = sides.split_at_mut(i * width);
            let row = &mut row[..width];
            divide(row, self.lower[i * n + i]);
            for (j, open) in above.chunks_exact_mut(width).enumerate() {
                subtract(open, self.lower[i * n + j], row);
            }
        }
    }
}

fn subtract(from: &mut [f64], factor: f64, other: &[f64]) {
    if factor != 0.0 {
        from.iter_mut()
            .zip(other)
            .for_each(|(a, b)| *a -= factor * b);
    }
}

fn divide(row: &mut [f64], by: f64) {
    row.iter_mut().for_each(|a| *a /= by);
}

/// The scalar product, in eight running sums so that the compiler may use vector registers.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut whole_a, mut whole_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let mut sums = [0.0; 8];
    for (a, b) in whole_a.by_ref().zip(whole_b.by_ref()) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    let rest: f64 = whole_a
        .remainder()
        .iter()
        .zip(whole_b.remainder())
        .map(|(a, b)| a * b)
        .sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved_for_several_sides() {
        // A = [[4, 2, .4], [2, 5, 1], [.4, 1, 3]]; the upper half is never read.
        let lower = vec![4.0, 9.0, 9.0, 2.0, 5.0, 9.0, 0.4, 1.0, 3.0];
        let (x, y) = ([1.0, -2.0, 3.0], [0.5, 0.25, -1.0]);
        let a = [[4.0, 2.0, 0.4], [2.0, 5.0, 1.0], [0.4, 1.0, 3.0]];
        let mut sides: Vec<f64> = a
            .iter()
            .flat_map(|row| [dot(row, &x), dot(row, &y)])
            .collect();
        Cholesky::new(lower, 3).solve(&mut sides, 2);
        for i in 0..3 {
            assert!(
                (sides[2 * i] - x[i]).abs() < 1e-12 && (sides[2 * i + 1] - y[i]).abs() < 1e-12,
                "{sides:?}"
            );
        }
    }

    #[test]
    fn a_singular_system_has_a_finite_solution() {
        let mut sides = vec![2.0, 2.0];
        Cholesky::new(vec![1.0, 0.0, 1.0, 1.0], 2).solve(&mut sides, 1);
        assert!(
            sides.iter().all(|x| x.is_finite()) && (sides[0] + sides[1] - 2.0).abs() < 1e-6,
            "{sides:?}"
        );
    }

    #[test]
    fn products_of_any_length_are_whole() {
        for n in [0, 1, 7, 8, 19] {
            let a: Vec<f64> = (0..n).map(f64::from).collect();
            let expected: f64 = a.iter().map(|x| x * x).sum();
            assert!((dot(&a, &a) - expected).abs() < 1e-9, "{n}");
        }
    }
}
