//! Any number of classes: a logit each, softmax cross entropy.

use super::Targets;

/// The head of a category output.
#[derive(Debug, Clone)]
pub struct Category {
    /// The number of classes.
    pub n_classes: usize,
    /// Weight of the loss of the rows of each class; empty for all 1.
    pub class_weights: Vec<f32>,
    /// Share of the target that is spread over all classes.
    pub label_smoothing: f32,
}

impl Category {
    /// The mean loss of a batch of logits, weighted as in PyTorch; overwrites them by its gradient.
    pub fn loss(&self, logits: &mut [f32], targets: &Targets) -> f64 {
        let class_weight = |class: usize| self.class_weights.get(class).copied().unwrap_or(1.0);
        let classes: Vec<usize> = targets.values.iter().map(|&target| class(target)).collect();
        let total: f32 = classes
            .iter()
            .enumerate()
            .map(|(row, &c)| targets.weight(row) * class_weight(c))
            .sum();
        let total = if total > 0.0 { total } else { 1.0 };
        let spread = self.label_smoothing / self.n_classes as f32;
        let mut sum = 0.0;
        for (row, (z, &truth)) in logits
            .chunks_exact_mut(self.n_classes)
            .zip(&classes)
            .enumerate()
        {
            // The target of class k is (1 - s) [k = truth] + s / K, each term with the weight of its class.
            let weight_of = |k: usize| {
                let share = if k == truth {
                    1.0 - self.label_smoothing + spread
                } else {
                    spread
                };
                share * class_weight(k) * targets.weight(row) / total
            };
            let all: f32 = (0..self.n_classes).map(weight_of).sum();
            let log_sum = log_sum_exp(z);
            for (k, z) in z.iter_mut().enumerate() {
                let log_probability = *z - log_sum;
                let weight = weight_of(k);
                sum -= f64::from(weight) * f64::from(log_probability);
                *z = log_probability.exp().mul_add(all, -weight);
            }
        }
        sum
    }

    /// Turns rows of logits into probabilities.
    pub fn probabilities(&self, logits: &mut [f32]) {
        for row in logits.chunks_exact_mut(self.n_classes) {
            let log_sum = log_sum_exp(row);
            row.iter_mut().for_each(|z| *z = (*z - log_sum).exp());
        }
    }
}

/// The index of a class, from the array of targets.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "targets of classes are small indices"
)]
fn class(target: f32) -> usize {
    target as usize
}

fn log_sum_exp(row: &[f32]) -> f32 {
    let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    top + row.iter().map(|z| (z - top).exp()).sum::<f32>().ln()
}
