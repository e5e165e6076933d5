//! Metrics of predicted numbers. Each takes the truth, the predictions and optional weights.

/// The weighted mean of a loss over rows. NaN without rows.
fn mean(
    truth: &[f64],
    predicted: &[f64],
    weights: Option<&[f32]>,
    loss: impl Fn(f64, f64) -> f64,
) -> f64 {
    assert_eq!(truth.len(), predicted.len(), "one prediction a row");
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, (&y, &p)) in truth.iter().zip(predicted).enumerate() {
        let weight = weights.map_or(1.0, |w| f64::from(w[row]));
        sum += weight * loss(y, p);
        total += weight;
    }
    sum / total
}

/// Mean squared error.
pub fn mean_squared_error(truth: &[f64], predicted: &[f64], weights: Option<&[f32]>) -> f64 {
    mean(truth, predicted, weights, |y, p| (y - p) * (y - p))
}

/// Root of the mean squared error.
pub fn root_mean_squared_error(truth: &[f64], predicted: &[f64], weights: Option<&[f32]>) -> f64 {
    mean_squared_error(truth, predicted, weights).sqrt()
}

/// Mean absolute error.
pub fn mean_absolute_error(truth: &[f64], predicted: &[f64], weights: Option<&[f32]>) -> f64 {
    mean(truth, predicted, weights, |y, p| (y - p).abs())
}

/// Root of the mean squared difference of ln(1 + x). Values below 0, for which scikit-learn has no
/// answer, count as 0.
pub fn root_mean_squared_log_error(
    truth: &[f64],
    predicted: &[f64],
    weights: Option<&[f32]>,
) -> f64 {
    let log = |x: f64| x.max(0.0).ln_1p();
    mean(truth, predicted, weights, |y, p| (log(y) - log(p)).powi(2)).sqrt()
}

/// Mean of the absolute error over the absolute truth, the latter at least the machine epsilon,
/// as scikit-learn has it: huge where the truth is 0.
pub fn mean_absolute_percentage_error(
    truth: &[f64],
    predicted: &[f64],
    weights: Option<&[f32]>,
) -> f64 {
    mean(truth, predicted, weights, |y, p| {
        (y - p).abs() / y.abs().max(f64::EPSILON)
    })
}

/// Share of the variance that is explained. For a constant truth 1 when all is right, else 0, as
/// scikit-learn has it. NaN with fewer than two rows.
pub fn r2(truth: &[f64], predicted: &[f64], weights: Option<&[f32]>) -> f64 {
    if truth.len() < 2 {
        return f64::NAN;
    }
    let centre = mean(truth, predicted, weights, |y, _| y);
    let residual = mean_squared_error(truth, predicted, weights);
    let variance = mean(truth, predicted, weights, |y, _| {
        (y - centre) * (y - centre)
    });
    if residual.is_nan() {
        f64::NAN
    } else if variance > 0.0 {
        1.0 - residual / variance
    } else if residual > 0.0 {
        0.0
    } else {
        1.0
    }
}

/// Mean pinball loss of the prediction of a quantile, which lies in (0, 1).
pub fn pinball(truth: &[f64], predicted: &[f64], weights: Option<&[f32]>, quantile: f64) -> f64 {
    mean(truth, predicted, weights, |y, p| {
        if y >= p {
            quantile * (y - p)
        } else {
            (1.0 - quantile) * (p - y)
        }
    })
}
