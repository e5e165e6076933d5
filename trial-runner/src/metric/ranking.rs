//! Metrics of a ranking of rows: ROC AUC and average precision, with tied scores and weights.

/// A metric of a ranking: of which rows are positive, their scores, and optional weights.
pub type Metric = fn(&[bool], &[f32], Option<&[f32]>) -> f64;

/// A group of rows with one score: the weights of its positives and of its negatives.
struct Tie {
    positive: f64,
    negative: f64,
}

/// Rows grouped by equal score, best first. `None` when a score is not finite.
fn ties(is_positive: &[bool], scores: &[f32], weights: Option<&[f32]>) -> Option<Vec<Tie>> {
    assert_eq!(is_positive.len(), scores.len(), "one score a row");
    if scores.iter().any(|s| !s.is_finite()) {
        return None;
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut groups: Vec<Tie> = Vec::new();
    let mut last = f32::NAN;
    for row in order {
        // `-0.0` and `0.0` are one score, so compare by value.
        if groups.is_empty() || scores[row] < last || scores[row] > last {
            groups.push(Tie {
                positive: 0.0,
                negative: 0.0,
            });
            last = scores[row];
        }
        let weight = weights.map_or(1.0, |w| f64::from(w[row]));
        let group = groups
            .last_mut()
            .expect("a group was pushed for the first row");
        if is_positive[row] {
            group.positive += weight;
        } else {
            group.negative += weight;
        }
    }
    Some(groups)
}

/// Area under the ROC curve: the chance that a positive row is ranked above a negative one,
/// a tie counting one half. NaN with one class only.
pub fn roc_auc(is_positive: &[bool], scores: &[f32], weights: Option<&[f32]>) -> f64 {
    let Some(groups) = ties(is_positive, scores, weights) else {
        return f64::NAN;
    };
    let (mut positive, mut negative, mut area) = (0.0, 0.0, 0.0);
    for tie in &groups {
        area += tie.negative * (positive + tie.positive / 2.0);
        positive += tie.positive;
        negative += tie.negative;
    }
    area / (positive * negative)
}

/// Average precision: the mean of precision over the steps of recall, without interpolation.
/// NaN without a positive row.
pub fn average_precision(is_positive: &[bool], scores: &[f32], weights: Option<&[f32]>) -> f64 {
    let Some(groups) = ties(is_positive, scores, weights) else {
        return f64::NAN;
    };
    let total: f64 = groups.iter().map(|tie| tie.positive).sum();
    let (mut positive, mut all, mut sum) = (0.0, 0.0, 0.0);
    for tie in &groups {
        positive += tie.positive;
        all += tie.positive + tie.negative;
        if tie.positive > 0.0 {
            sum += tie.positive * positive / all;
        }
    }
    sum / total
}

/// The mean over classes of a one-against-the-rest ranking metric. A class that is absent, or
/// alone, has no value and is left out; NaN when none is left. `probabilities` is row-major.
pub fn one_against_rest(
    classes: &[u32],
    probabilities: &[f32],
    n_classes: usize,
    weights: Option<&[f32]>,
    metric: Metric,
) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for class in 0..n_classes {
        let is_positive: Vec<bool> = classes.iter().map(|&c| c as usize == class).collect();
        let n_positive = is_positive.iter().filter(|&&p| p).count();
        if n_positive == 0 || n_positive == classes.len() {
            continue;
        }
        let scores: Vec<f32> = probabilities
            .iter()
            .skip(class)
            .step_by(n_classes)
            .copied()
            .collect();
        sum += metric(&is_positive, &scores, weights);
        n += 1.0;
    }
    sum / n
}
