//! Fits against numbers worked out with numpy and scikit-learn, and what holds for any column.

use proptest::prelude::*;

use super::*;

const NONE: f32 = f32::NAN;

fn spec(normalization: Normalization, fill: Fill) -> NumberSpec {
    NumberSpec {
        normalization,
        fill,
        clip: false,
        indicator: true,
    }
}

fn fit(values: &[f32], spec: NumberSpec) -> NumberCoding {
    let rows: Vec<u32> = (0..).take(values.len()).collect();
    NumberCoding::fit(values, 1, &rows, &[(0, spec)]).remove(0)
}

fn check(normalization: Normalization, values: &[f32], expected: &[f32]) {
    let coding = fit(values, spec(normalization, Fill::Mean));
    let got: Vec<f32> = values.iter().map(|&x| coding.apply(x)).collect();
    let near = got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(
        near && got.len() == expected.len(),
        "{normalization:?} of {values:?}: {got:?}, expected {expected:?}"
    );
}

#[test]
fn columns_are_scaled_as_named() {
    let values = [1.0, 2.0, 4.0, 8.0, 10.0];
    check(Normalization::None, &values, &values);
    check(
        Normalization::Zscore,
        &values,
        &[
            -1.032_795_6,
            -0.774_596_7,
            -0.258_198_9,
            0.774_596_7,
            1.290_994_4,
        ],
    );
    check(
        Normalization::Minmax,
        &values,
        &[0.0, 0.111_111, 0.333_333, 0.777_778, 1.0],
    );
    check(
        Normalization::Iq,
        &values,
        &[-0.5, -0.333_333, 0.0, 0.666_667, 1.0],
    );
    check(
        Normalization::Log1p,
        &[0.0, 2.0, -2.0, 1e6],
        &[0.0, 1.098_612, -1.098_612, 13.815_512],
    );
}

#[test]
fn a_zero_interquartile_range_gives_way_to_half_of_the_range() {
    check(
        Normalization::Robust,
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0],
    );
}

#[test]
fn a_constant_or_empty_column_becomes_zero() {
    for normalization in [
        Normalization::Zscore,
        Normalization::Minmax,
        Normalization::Iq,
        Normalization::Robust,
        Normalization::Quantile,
    ] {
        check(normalization, &[7.0, 7.0, 7.0], &[0.0; 3]);
        check(normalization, &[NONE, NONE], &[0.0; 2]);
        check(normalization, &[], &[]);
    }
}

#[test]
fn missing_and_infinite_numbers_are_filled() {
    let values = [1.0, NONE, 1.0, f32::INFINITY, 3.0, 7.0, f32::NEG_INFINITY];
    for (fill, expected) in [
        (Fill::Constant(-5.0), -5.0),
        (Fill::Mean, 3.0),
        (Fill::Median, 2.0),
        (Fill::Mode, 1.0),
    ] {
        let coding = fit(&values, spec(Normalization::None, fill));
        assert_eq!(
            (coding.apply(NONE), coding.apply(f32::INFINITY)),
            (expected, expected),
            "{fill:?}"
        );
        assert!(coding.indicator);
    }
}

#[test]
fn there_is_no_indicator_where_training_misses_nothing() {
    let coding = fit(&[1.0, 2.0], spec(Normalization::Zscore, Fill::Mean));
    assert!(!coding.indicator && coding.width() == 1);
}

#[test]
fn quantiles_become_normal_with_ties_in_the_middle_of_their_ranks() {
    // sklearn QuantileTransformer(n_quantiles=5, output_distribution="normal") of the same column.
    let coding = fit(
        &[1.0, 2.0, 2.0, 2.0, 5.0],
        spec(Normalization::Quantile, Fill::Mean),
    );
    for (x, expected) in [
        (2.0, 0.0),
        (0.0, -5.199_338),
        (9.0, 5.199_338),
        (1.5, -1.150_349),
        (3.5, 1.150_349),
    ] {
        assert!(
            (coding.apply(x) - expected).abs() < 1e-4,
            "{x}: {}",
            coding.apply(x)
        );
    }
}

#[test]
fn only_training_rows_count() {
    let values = [1.0, 3.0, 1000.0];
    let coding = &NumberCoding::fit(
        &values,
        1,
        &[0, 1],
        &[(0, spec(Normalization::Minmax, Fill::Mean))],
    )[0];
    assert_eq!((coding.center, coding.factor), (1.0, 0.5));
}

#[test]
fn a_large_offset_does_not_cost_the_spread() {
    let values: Vec<f32> = (0..1_000).map(|i| 16_000_000.0 + (i % 2) as f32).collect();
    let coding = fit(&values, spec(Normalization::Zscore, Fill::Mean));
    assert!(
        (1.0 / coding.factor - 0.5).abs() < 1e-3,
        "{}",
        coding.factor
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_transform_is_monotone_bounded_when_clipped_and_never_nan(
        mut values in prop::collection::vec(prop_oneof![-1e6_f32..1e6, Just(0.0), Just(NONE)], 1..60),
        kind in 0_usize..7,
        clip: bool,
    ) {
        let all = [Normalization::None, Normalization::Zscore, Normalization::Minmax, Normalization::Log1p,
                   Normalization::Iq, Normalization::Robust, Normalization::Quantile];
        let coding = fit(&values, NumberSpec { normalization: all[kind], fill: Fill::Median, clip, indicator: false });
        values.retain(|x| x.is_finite());
        values.sort_by(f32::total_cmp);
        let out: Vec<f32> = values.iter().map(|&x| coding.apply(x)).collect();
        prop_assert!(out.iter().all(|x| x.is_finite()) && coding.apply(NONE).is_finite());
        prop_assert!(out.windows(2).all(|w| w[0] <= w[1] + 1e-6), "{:?}", out);
        prop_assert!(!clip || out.iter().all(|x| x.abs() <= 3.0));
    }
}
