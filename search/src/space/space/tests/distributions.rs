//! Each kind of domain against its definition in Ray Tune: range, steps, and the share of draws below a point.

use serde_json::json;

use super::*;

/// A domain, the step of its values (0: none), its least and greatest value, and the shares of draws that
/// lie at or below some values, worked out by hand from the definition.
type Row = (Value, f64, f64, f64, &'static [(f64, f64)]);

#[expect(clippy::too_many_lines, reason = "a table, a row a kind")]
fn table() -> Vec<Row> {
    vec![
        (
            json!({"space": "choice", "categories": [3, 1, 2, 8]}),
            1.0,
            1.0,
            8.0,
            &[(1.0, 0.25), (2.0, 0.5), (3.0, 0.75)],
        ),
        (
            json!({"space": "grid_search", "values": [1, 2]}),
            1.0,
            1.0,
            2.0,
            &[(1.0, 0.5)],
        ),
        (
            json!({"space": "uniform", "lower": -1, "upper": 3}),
            0.0,
            -1.0,
            3.0,
            &[(0.0, 0.25), (1.0, 0.5), (2.5, 0.875)],
        ),
        // 0.1, 0.2, .., 0.5: five values, each as often.
        (
            json!({"space": "quniform", "lower": 0.1, "upper": 0.5, "q": 0.1}),
            0.1,
            0.1,
            0.5,
            &[(0.15, 0.2), (0.35, 0.6)],
        ),
        (
            json!({"space": "loguniform", "lower": 1e-4, "upper": 1}),
            0.0,
            1e-4,
            1.0,
            &[(1e-3, 0.25), (1e-2, 0.5), (1e-1, 0.75)],
        ),
        // Rounded to tenths: below 0.15 lies ln(1.5) / ln(10) of a decade.
        (
            json!({"space": "qloguniform", "lower": 0.1, "upper": 1, "q": 0.1}),
            0.1,
            0.1,
            1.0,
            &[(0.12, 0.176_091), (0.52, 0.740_363)],
        ),
        (
            json!({"space": "randn", "mean": 2, "sd": 3}),
            0.0,
            -30.0,
            34.0,
            &[(2.0, 0.5), (5.0, 0.841_345), (-4.0, 0.022_750)],
        ),
        // 0 stands for -0.5 to 0.5.
        (
            json!({"space": "qrandn", "mean": 0, "sd": 1, "q": 1}),
            1.0,
            -10.0,
            10.0,
            &[(0.0, 0.691_462), (1.0, 0.933_193), (-1.0, 0.308_538)],
        ),
        (
            json!({"space": "randint", "lower": 2, "upper": 6}),
            1.0,
            2.0,
            5.0,
            &[(2.0, 0.25), (4.0, 0.75)],
        ),
        (
            json!({"space": "qrandint", "lower": 0, "upper": 40, "q": 10}),
            10.0,
            0.0,
            40.0,
            &[(0.0, 0.2), (30.0, 0.8)],
        ),
        // 1 stands for 1 to 2, of 1 to 8: a third.
        (
            json!({"space": "lograndint", "lower": 1, "upper": 8}),
            1.0,
            1.0,
            7.0,
            &[(1.0, 0.333_333), (3.0, 0.666_667)],
        ),
        // 8 stands for 8 to 12, of 8 to 64: ln(1.5) / ln(8).
        (
            json!({"space": "qlograndint", "lower": 8, "upper": 64, "q": 8}),
            8.0,
            8.0,
            64.0,
            &[(8.0, 0.194_988), (24.0, 0.602_452)],
        ),
    ]
}

#[test]
fn every_kind_keeps_to_its_range_and_steps_and_is_distributed_as_defined() {
    const N: u32 = 20_000;
    let rows = table();
    assert_eq!(rows.len(), 12, "each of Ludwig's kinds");
    for (written, step, least, most, shares) in rows {
        let domain = domain(&written);
        let mut rng = crate::seed::rng(11);
        let draws: Vec<f64> = (0..N)
            .map(|_| {
                domain
                    .at(crate::seed::unit(&mut rng))
                    .as_f64()
                    .expect("a number")
            })
            .collect();
        for x in &draws {
            assert!((least..=most).contains(x), "{written}: {x} lies outside");
            let steps = if step > 0.0 { x / step } else { 0.0 };
            assert!(
                (steps - steps.round()).abs() < 1e-9,
                "{written}: {x} is no multiple of {step}"
            );
        }
        if step > 0.0 && domain.size().is_some() {
            assert!(
                draws.contains(&least) && draws.contains(&most),
                "{written}: both ends come"
            );
        }
        for (point, share) in shares {
            let below = draws.iter().filter(|x| **x <= *point + 1e-9).count() as f64 / f64::from(N);
            // Four standard errors of a share.
            let error = 4.0 * (share * (1.0 - share) / f64::from(N)).sqrt();
            assert!(
                (below - share).abs() < error,
                "{written}: {below} at or below {point}, not {share}"
            );
        }
    }
}

#[test]
fn integers_are_written_as_integers() {
    for kind in ["randint", "qrandint", "lograndint", "qlograndint"] {
        let mut written = json!({"space": kind, "lower": 8, "upper": 64});
        if kind.starts_with('q') {
            written["q"] = json!(8);
        }
        assert!(domain(&written).at(0.4).is_i64(), "{kind}");
    }
}

#[test]
fn the_nearest_point_of_a_value_outside_is_at_the_edge() {
    for (written, value, nearest) in [
        (
            json!({"space": "uniform", "lower": 0, "upper": 1}),
            json!(7),
            json!(1.0),
        ),
        (
            json!({"space": "loguniform", "lower": 0.01, "upper": 1}),
            json!(0.001),
            json!(0.01),
        ),
        (
            json!({"space": "randint", "lower": 0, "upper": 5}),
            json!(99),
            json!(4),
        ),
        (
            json!({"space": "qrandint", "lower": 0, "upper": 40, "q": 10}),
            json!(14),
            json!(10),
        ),
    ] {
        let domain = domain(&written);
        let u = domain.nearest_unit(&value).expect("a number");
        let at = domain.at(u.min(1.0 - 1e-12)).as_f64().unwrap();
        assert!(
            (at - nearest.as_f64().unwrap()).abs() < 1e-6,
            "{written}: {at}, not {nearest}"
        );
    }
    let words = domain(&json!({"space": "choice", "categories": ["a", 2]}));
    assert_eq!(words.nearest_unit(&json!("b")), None);
}
