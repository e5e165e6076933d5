//! Two classes: one logit, weighted cross entropy.

use super::Targets;

/// The head of a binary output.
#[derive(Debug, Clone)]
pub struct Binary {
    /// Weight of the loss of positive rows.
    pub positive_weight: f32,
    /// Share of the target that is spread over both classes.
    pub label_smoothing: f32,
    /// What the output is multiplied by to be the logit.
    pub logit_factor: f32,
    /// Probability above which the positive class is predicted.
    pub threshold: f32,
}

impl Binary {
    /// RealMLP is published with one logit a class. Where both start at zero the second is always minus the
    /// first, and their difference twice the first: which is what one logit has to be to train alike.
    pub const OF_TWO_LOGITS: f32 = 2.0;

    /// The mean loss of a batch of outputs; overwrites them by its gradient.
    pub fn loss(&self, outputs: &mut [f32], targets: &Targets) -> f64 {
        let total = targets.total_weight();
        let mut sum = 0.0;
        for (row, (z, &target)) in outputs.iter_mut().zip(&targets.values).enumerate() {
            let logit = self.logit_factor * *z;
            let class_weight = if target > 0.5 {
                self.positive_weight
            } else {
                1.0
            };
            let weight = targets.weight(row) * class_weight;
            let target = target.mul_add(1.0 - self.label_smoothing, 0.5 * self.label_smoothing);
            // -t ln(p) - (1 - t) ln(1 - p) = ln(1 + e^z) - t z, and ln(1 + e^z) = max(z, 0) + ln(1 + e^-|z|).
            let tail = (-logit.abs()).exp();
            sum += f64::from(weight) * f64::from(logit.max(0.0) + tail.ln_1p() - target * logit);
            let probability = if logit >= 0.0 {
                1.0 / (1.0 + tail)
            } else {
                tail / (1.0 + tail)
            };
            *z = self.logit_factor * weight * (probability - target) / total;
        }
        sum / f64::from(total)
    }

    /// The probability of the positive class.
    pub fn probability(&self, output: f32) -> f32 {
        1.0 / (1.0 + (-self.logit_factor * output).exp())
    }
}
