//! Domains and spaces, through the unit cube and back.

use proptest::prelude::*;
use serde_json::json;

use super::*;

mod conditions;
mod distributions;

fn domain(value: &Value) -> Domain {
    Domain::from_value("p", value).expect("a good domain")
}

fn space(parameters: &Value) -> Space {
    Space::new(parameters.as_object().expect("an object")).expect("a good space")
}

/// One of each kind, with what it must hold to.
fn all() -> Vec<Domain> {
    [
        json!({"space": "choice", "categories": [64, "relu", true, null, [1, 2], {"type": "concat"}]}),
        json!({"space": "grid_search", "values": [0.1, 0.2]}),
        json!({"space": "uniform", "lower": -1, "upper": 2.5}),
        json!({"space": "quniform", "lower": 0.1, "upper": 0.9, "q": 0.1}),
        json!({"space": "loguniform", "lower": 1e-5, "upper": 1e-1, "base": 10}),
        json!({"space": "qloguniform", "lower": 0.01, "upper": 1, "q": 0.01}),
        json!({"space": "randn", "mean": 10, "sd": 2}),
        json!({"space": "qrandn", "mean": 0, "sd": 5, "q": 0.5}),
        json!({"space": "randint", "lower": -3, "upper": 4}),
        json!({"space": "qrandint", "lower": 32, "upper": 256, "q": 32}),
        json!({"space": "lograndint", "lower": 1, "upper": 1000}),
        json!({"space": "qlograndint", "lower": 8, "upper": 1024, "q": 8}),
    ]
    .into_iter()
    .map(|value| domain(&value))
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_stands_for_itself_through_the_unit_interval(u in 0.0..1.0_f64) {
        for domain in all() {
            let value = domain.at(u);
            let middle = domain.unit(&value);
            prop_assert!(middle.is_some_and(|middle| (0.0..=1.0).contains(&middle)), "{domain:?} {value} {middle:?}");
            let again = domain.at(middle.unwrap_or_default());
            let same = domain.size().is_some() || matches!(domain, Domain::Qrandn { .. });
            let near = |a: &Value, b: &Value| (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() <= 1e-6 * b.as_f64().unwrap().abs().max(1e-3);
            prop_assert!(if same { canonical(&again) == canonical(&value) } else { near(&again, &value) }, "{domain:?}: {value} {again}");
        }
    }

    #[test]
    fn values_keep_to_their_bounds(u in 0.0..1.0_f64) {
        let at = |value: Value| domain(&value).at(u).as_f64().expect("a number");
        let loguniform = at(json!({"space": "loguniform", "lower": 1e-5, "upper": 0.1}));
        prop_assert!((1e-5..=0.1).contains(&loguniform));
        let uniform = at(json!({"space": "uniform", "lower": -1, "upper": 2.5}));
        prop_assert!((-1.0..=2.5).contains(&uniform));
        let randint = at(json!({"space": "randint", "lower": 1, "upper": 4}));
        prop_assert!((1.0..=3.0).contains(&randint), "the upper end is out");
        let lograndint = at(json!({"space": "lograndint", "lower": 1, "upper": 10}));
        prop_assert!((1.0..=9.0).contains(&lograndint));
        let qrandint = at(json!({"space": "qrandint", "lower": 32, "upper": 256, "q": 32}));
        prop_assert!((32.0..=256.0).contains(&qrandint) && (qrandint % 32.0).abs() < 1e-9, "both ends are in");
        let randn = at(json!({"space": "randn"}));
        prop_assert!(randn.is_finite());
    }
}

#[test]
fn every_value_of_a_lattice_comes_out_and_clean() {
    let values = |domain: &Domain| -> Vec<String> {
        (0..domain.size().expect("finite"))
            .map(|i| domain.nth(i).expect("within").to_string())
            .collect()
    };
    let tenths = domain(&json!({"space": "quniform", "lower": 0.1, "upper": 0.7, "q": 0.1}));
    assert_eq!(
        values(&tenths),
        ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"],
        "not 0.30000000000000004"
    );
    assert_eq!(
        values(&domain(
            &json!({"space": "randint", "lower": 1, "upper": 4})
        )),
        ["1", "2", "3"]
    );
    assert_eq!(
        values(&domain(
            &json!({"space": "qrandint", "lower": 3, "upper": 10, "q": 4})
        )),
        ["4", "8"]
    );
    assert_eq!(
        values(&domain(
            &json!({"space": "randint", "lower": 5, "upper": 6})
        )),
        ["5"]
    );
    for domain in all().iter().filter(|domain| domain.size().is_some()) {
        let seen: std::collections::BTreeSet<String> = (0..20_000)
            .map(|i| domain.at(f64::from(i) / 20_000.0).to_string())
            .collect();
        assert_eq!(
            seen.len() as u64,
            domain.size().unwrap(),
            "{domain:?}: a fine walk meets each value"
        );
        assert_eq!(domain.nth(domain.size().unwrap()), None);
    }
}

#[test]
fn logarithmic_domains_give_each_decade_its_share() {
    let share = |domain: &Domain, below: f64| {
        let n = (0..10_000)
            .filter(|i| domain.at(f64::from(*i) / 1e4).as_f64().unwrap() < below)
            .count();
        n as f64 / 1e4
    };
    let rate = domain(&json!({"space": "loguniform", "lower": 1e-4, "upper": 1.0}));
    assert!((share(&rate, 1e-2) - 0.5).abs() < 1e-3);
    let width = domain(&json!({"space": "lograndint", "lower": 1, "upper": 10_000}));
    assert!((share(&width, 100.0) - 0.5).abs() < 1e-3);
    let normal = domain(&json!({"space": "randn", "mean": 3, "sd": 2}));
    assert!(
        (share(&normal, 3.0) - 0.5).abs() < 1e-3 && (share(&normal, 5.0) - 0.8413).abs() < 1e-3
    );
}

#[test]
fn a_bad_domain_is_one_error_with_its_parameter_and_a_hint() {
    let check = |value: Value, what: &str| {
        let error = Domain::from_value("trainer.learning_rate", &value).expect_err(what);
        assert_eq!(error.path, "hyperopt.parameters.trainer.learning_rate");
        assert!(
            error.what.contains(what) && error.hint.is_some(),
            "{error:?}"
        );
    };
    check(json!(0.1), "expected a space, found 0.1");
    check(json!({"lower": 0}), "does not say its `space`");
    check(
        json!({"space": "loguniforn", "lower": 1, "upper": 2}),
        "unknown space \"loguniforn\"",
    );
    check(
        json!({"space": "uniform", "low": 0, "upper": 1}),
        "uniform has no key \"low\"",
    );
    check(json!({"space": "uniform", "lower": 0}), "upper is missing");
    check(
        json!({"space": "uniform", "lower": "0", "upper": 1}),
        "lower must be a number, found \"0\"",
    );
    check(
        json!({"space": "uniform", "lower": 2, "upper": 1}),
        "lower must be below upper, found 2 and 1",
    );
    check(
        json!({"space": "loguniform", "lower": 0, "upper": 1}),
        "lower must be above 0 on a log scale",
    );
    check(
        json!({"space": "quniform", "lower": 0, "upper": 1, "q": 0}),
        "q must be above 0",
    );
    check(
        json!({"space": "quniform", "lower": 0.1, "upper": 0.4, "q": 0.5}),
        "no multiple of q",
    );
    check(
        json!({"space": "randint", "lower": 0.5, "upper": 4}),
        "lower must be an integer, found 0.5",
    );
    check(
        json!({"space": "qrandint", "lower": 0, "upper": 4, "q": 0}),
        "q must be at least 1",
    );
    check(
        json!({"space": "randint", "lower": 0, "upper": 1e300}),
        "upper must be an integer",
    );
    check(
        json!({"space": "choice", "categories": []}),
        "categories is empty",
    );
    check(json!({"space": "choice"}), "categories must be a list");
    check(json!({"space": "randn", "sd": -1}), "sd must be above 0");
    let near = Domain::from_value("p", &json!({"space": "loguniforn"})).expect_err("misspelt");
    assert_eq!(near.hint.as_deref(), Some("did you mean \"loguniform\"?"));
}

#[test]
fn all_faults_of_a_space_are_found_at_once() {
    let parameters = json!({"a": 1, "b": {"space": "uniform", "lower": 0, "upper": 1}, "c": {"space": "x"}, ".": {"space": "uniform", "lower": 0, "upper": 1}});
    let faults = Space::new(parameters.as_object().unwrap()).expect_err("three faults");
    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "hyperopt.parameters.a",
            "hyperopt.parameters.c",
            "hyperopt.parameters.."
        ]
    );
}

#[test]
fn a_dot_is_a_choice_over_fragments() {
    let space = space(
        &json!({".": {"space": "choice", "categories": [{"combiner": {"type": "concat"}}, {"combiner": {"type": "realmlp"}}]}}),
    );
    assert_eq!(
        space.at(&[0.9])["."],
        json!({"combiner": {"type": "realmlp"}})
    );
    assert_eq!(space.size(), Some(2));
}

#[test]
fn a_space_counts_walks_and_maps_its_assignments() {
    let space = space(&json!({
        "z": {"space": "randint", "lower": 0, "upper": 3},
        "a": {"space": "choice", "categories": ["x", "y"]},
    }));
    assert_eq!((space.n_dimensions(), space.size()), (2, Some(6)));
    let walked: Vec<String> = (0..6)
        .map(|i| serde_json::to_string(&space.nth(i).unwrap()).unwrap())
        .collect();
    assert_eq!(walked[0], r#"{"a":"x","z":0}"#);
    assert_eq!(
        walked[1], r#"{"a":"y","z":0}"#,
        "the last one listed turns fastest"
    );
    assert_eq!(
        walked
            .iter()
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        6
    );
    assert_eq!(space.nth(6), None);
    let point = space.unit(&space.nth(3).unwrap()).expect("one of ours");
    assert_eq!(space.at(&point), space.nth(3).unwrap());
    assert_eq!(
        space.unit(&Assignment::from([("z".to_owned(), json!(1))])),
        None,
        "a is missing"
    );
    assert_eq!(
        Space::default().nth(0),
        Some(Assignment::new()),
        "no parameter: the empty assignment"
    );
}

#[test]
fn a_hash_is_of_what_is_meant_not_how_it_is_written() {
    let hash = |value: Value| Space::hash(&Assignment::from([("p".to_owned(), value)]));
    assert_eq!(hash(json!(64)), hash(json!(64.0)));
    assert_eq!(
        hash(json!({"a": 1, "b": [1, 2.0]})),
        hash(json!({"b": [1.0, 2], "a": 1}))
    );
    let distinct = [
        json!(1),
        json!("1"),
        json!(true),
        json!(null),
        json!([1]),
        json!({"a": 1}),
        json!(1.5),
        json!([[1]]),
        json!(""),
    ];
    let hashes: std::collections::BTreeSet<u64> = distinct.into_iter().map(hash).collect();
    assert_eq!(hashes.len(), 9);
}
