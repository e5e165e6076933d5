//! Two classes: one logit, weighted cross entropy.

use super::Targets;

/// The head of a binary output.
#[derive(Debug, Clone)]
pub struct Binary {
    /// Weight of the loss of positive rows.
    pub positive_weight: f32,
    /// Share of the target that is spread over both classes.
    pub label_smoothing: f32,
    /// Probability above which the positive class is predicted.
    pub threshold: f32,
}

impl Binary {
    /// The mean loss of a batch of logits; overwrites them by its gradient.
    pub fn loss(&self, logits: &mut [f32], targets: &Targets) -> f64 {
        let total = targets.total_weight();
        let mut sum = 0.0;
        for (row, (z, &target)) in logits.iter_mut().zip(&targets.values).enumerate() {
            let class_weight = if target > 0.5 {
                self.positive_weight
            } else {
                1.0
            };
            let weight = targets.weight(row) * class_weight;
            let target = target.mul_add(1.0 - self.label_smoothing, 0.5 * self.label_smoothing);
            // -t ln(p) - (1 - t) ln(1 - p) = ln(1 + e^z) - t z, and ln(1 + e^z) = max(z, 0) + ln(1 + e^-|z|).
            let tail = (-z.abs()).exp();
            sum += f64::from(weight) * f64::from(z.max(0.0) + tail.ln_1p() - target * *z);
            let probability = if *z >= 0.0 {
                1.0 / (1.0 + tail)
            } else {
                tail / (1.0 + tail)
            };
            *z = weight * (probability - target) / total;
        }
        sum / f64::from(total)
    }

    /// The probability of the positive class.
    pub fn probability(logit: f32) -> f32 {
        1.0 / (1.0 + (-logit).exp())
    }
}
