//! Which strength of the penalty: the one that does best on the validation rows.

/// Strengths that are tried, as multiples of the config's, strongest first: each fit begins where the stronger ended.
const FACTORS: [f64; 5] = [100.0, 10.0, 1.0, 0.1, 0.01];

/// A fit and its strength.
pub(super) struct Chosen {
    pub(super) l2: f64,
    pub(super) weights: Vec<f64>,
}

/// The loss of weights on the validation rows.
pub(super) type Loss<'a> = dyn Fn(&[f64]) -> f64 + 'a;

/// Fits with several strengths around `l2` and keeps the fit with the least loss on validation; weaker ones
/// are not tried once two in a row were worse. Without a validation loss, fits with `l2` alone.
pub(super) fn choose(
    l2: f64,
    validation: Option<&Loss<'_>>,
    mut fit: impl FnMut(f64, Option<&[f64]>) -> Vec<f64>,
) -> Chosen {
    let Some(loss_of) = validation else {
        return Chosen {
            l2,
            weights: fit(l2, None),
        };
    };
    let mut best = Chosen {
        l2: l2 * FACTORS[0],
        weights: fit(l2 * FACTORS[0], None),
    };
    let mut least = loss_of(&best.weights);
    let mut last = best.weights.clone();
    let mut n_worse = 0;
    for factor in &FACTORS[1..] {
        last = fit(l2 * factor, Some(&last));
        let loss = loss_of(&last);
        if loss < least || !least.is_finite() {
            least = loss;
            best = Chosen {
                l2: l2 * factor,
                weights: last.clone(),
            };
            n_worse = 0;
        } else {
            n_worse += 1;
            if n_worse == 2 {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(loss: fn(f64) -> f64) -> (f64, usize) {
        let mut n_fits = 0;
        let chosen = choose(1.0, Some(&|weights: &[f64]| loss(weights[0])), |l2, _| {
            n_fits += 1;
            vec![l2]
        });
        (chosen.l2, n_fits)
    }

    #[test]
    fn the_best_on_validation_is_kept_and_the_search_ends_after_two_worse() {
        assert_eq!(check(|l2| (l2 - 10.0).abs()), (10.0, 4));
        assert_eq!(check(|l2| l2), (0.01, 5));
        assert_eq!(
            check(|l2| if l2 > 50.0 {
                f64::NAN
            } else {
                (l2 - 1.0).abs()
            }),
            (1.0, 5)
        );
    }

    #[test]
    fn without_validation_the_config_decides() {
        let chosen = choose(0.5, None, |l2, start| {
            assert!(start.is_none());
            vec![l2]
        });
        assert_eq!((chosen.l2, chosen.weights), (0.5, vec![0.5]));
    }
}
