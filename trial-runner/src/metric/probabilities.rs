//! Metrics of probabilities: log loss.

/// Probabilities are clipped this far from 0 and 1, as scikit-learn does for `f32`.
const EPSILON: f64 = f32::EPSILON as f64;

/// Mean negative log likelihood of the true class, in nats. `probabilities` is row-major; a row is
/// divided by its sum. NaN without rows or with a probability that is not finite.
pub fn log_loss(
    classes: &[u32],
    probabilities: &[f32],
    n_classes: usize,
    weights: Option<&[f32]>,
) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, (&class, p)) in classes
        .iter()
        .zip(probabilities.chunks_exact(n_classes))
        .enumerate()
    {
        let weight = weights.map_or(1.0, |w| f64::from(w[row]));
        let clipped = |p: f32| f64::from(p).clamp(EPSILON, 1.0 - EPSILON);
        let row_sum: f64 = p.iter().map(|&p| f64::from(p)).sum();
        sum -= weight * (clipped(p[class as usize]) / row_sum).ln();
        total += weight;
    }
    sum / total
}

/// Log loss of the probability of the positive class.
pub fn binary_log_loss(is_positive: &[bool], probability: &[f32], weights: Option<&[f32]>) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, (&positive, &p)) in is_positive.iter().zip(probability).enumerate() {
        let weight = weights.map_or(1.0, |w| f64::from(w[row]));
        let p = f64::from(p);
        let likelihood = if positive { p } else { 1.0 - p };
        sum -= weight * likelihood.clamp(EPSILON, 1.0 - EPSILON).ln();
        total += weight;
    }
    sum / total
}
