//! Metrics of predicted classes, all from one weighted confusion matrix.

/// How often (by weight) a true class was predicted as which.
pub struct Confusion {
    n_classes: usize,
    /// Row-major: `[true class][predicted class]`.
    cells: Vec<f64>,
}

impl Confusion {
    /// Counts pairs of true and predicted class.
    pub fn new(
        classes: &[u32],
        predicted: &[u32],
        n_classes: usize,
        weights: Option<&[f32]>,
    ) -> Self {
        let mut cells = vec![0.0; n_classes * n_classes];
        for (row, (&truth, &guess)) in classes.iter().zip(predicted).enumerate() {
            cells[truth as usize * n_classes + guess as usize] +=
                weights.map_or(1.0, |w| f64::from(w[row]));
        }
        Self { n_classes, cells }
    }

    fn hits(&self, class: usize) -> f64 {
        self.cells[class * self.n_classes + class]
    }

    fn of_truth(&self, class: usize) -> f64 {
        self.cells[class * self.n_classes..(class + 1) * self.n_classes]
            .iter()
            .sum()
    }

    fn of_guess(&self, class: usize) -> f64 {
        self.cells.iter().skip(class).step_by(self.n_classes).sum()
    }

    fn total(&self) -> f64 {
        self.cells.iter().sum()
    }

    /// Share of rows whose class is right. NaN without rows.
    pub fn accuracy(&self) -> f64 {
        (0..self.n_classes).map(|c| self.hits(c)).sum::<f64>() / self.total()
    }

    /// Mean of recall over the classes that occur. NaN without rows.
    pub fn balanced_accuracy(&self) -> f64 {
        let recalls: Vec<f64> = (0..self.n_classes)
            .filter(|&c| self.of_truth(c) > 0.0)
            .map(|c| self.hits(c) / self.of_truth(c))
            .collect();
        mean(&recalls)
    }

    /// Precision: of the positive class (index 1) for two classes, else the mean over the classes that
    /// occur or are predicted; 0 for one that is never predicted. NaN without rows.
    pub fn precision(&self) -> f64 {
        self.of_each(|c| ratio(self.hits(c), self.of_guess(c)))
    }

    /// Recall, averaged as precision.
    pub fn recall(&self) -> f64 {
        self.of_each(|c| ratio(self.hits(c), self.of_truth(c)))
    }

    /// F-beta: the weighted harmonic mean of precision and recall, averaged as precision.
    pub fn f_beta(&self, beta: f64) -> f64 {
        let square = beta * beta;
        self.of_each(|c| {
            ratio(
                (1.0 + square) * self.hits(c),
                square * self.of_truth(c) + self.of_guess(c),
            )
        })
    }

    fn of_each(&self, of: impl Fn(usize) -> f64) -> f64 {
        if self.total() <= 0.0 {
            return f64::NAN;
        }
        if self.n_classes == 2 {
            return of(1);
        }
        let each: Vec<f64> = (0..self.n_classes)
            .filter(|&c| self.of_truth(c) + self.of_guess(c) > 0.0)
            .map(of)
            .collect();
        mean(&each)
    }

    /// Matthews correlation coefficient (Gorodkin's R_K for more classes); 0 when either side is
    /// constant. NaN without rows.
    pub fn mcc(&self) -> f64 {
        let total = self.total();
        if total <= 0.0 {
            return f64::NAN;
        }
        let hits: f64 = (0..self.n_classes).map(|c| self.hits(c)).sum();
        let dot = |a: fn(&Self, usize) -> f64, b: fn(&Self, usize) -> f64| -> f64 {
            (0..self.n_classes).map(|c| a(self, c) * b(self, c)).sum()
        };
        let cov_both = hits * total - dot(Self::of_truth, Self::of_guess);
        let cov_truth = total * total - dot(Self::of_truth, Self::of_truth);
        let cov_guess = total * total - dot(Self::of_guess, Self::of_guess);
        let bottom = cov_truth * cov_guess;
        if bottom > 0.0 {
            cov_both / bottom.sqrt()
        } else {
            0.0
        }
    }
}

/// 0 where there is nothing to divide by, as scikit-learn's `zero_division=0`.
fn ratio(top: f64, bottom: f64) -> f64 {
    if bottom > 0.0 { top / bottom } else { 0.0 }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
