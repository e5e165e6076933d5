//! Parameters that exist only beside certain values of others.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

/// 1 + 2 * (1 + 3) = 9 assignments.
fn branches() -> Space {
    space(&json!({
        "a": {"space": "choice", "categories": ["none", "one", "two"]},
        "b": {"space": "choice", "categories": [1, 2], "when": {"a": ["one", "two"]}},
        "c": {"space": "randint", "lower": 0, "upper": 3, "when": {"b": 2.0}},
    }))
}

fn text(assignment: &Assignment) -> String {
    serde_json::to_string(assignment).expect("plain values")
}

#[test]
fn a_finite_space_with_conditions_is_counted_and_walked_through_without_repetition() {
    let space = branches();
    assert_eq!(space.size(), Some(9));
    let walked: BTreeSet<String> = (0..9).map(|i| text(&space.nth(i).unwrap())).collect();
    assert_eq!(walked.len(), 9);
    assert!(walked.contains(r#"{"a":"none"}"#) && walked.contains(r#"{"a":"two","b":2,"c":2}"#));
    assert_eq!(space.nth(9), None);
    let drawn: BTreeSet<String> = (0..1000)
        .map(|i| {
            let mut rng = crate::seed::rng(i);
            text(&space.at(&[0; 3].map(|_| crate::seed::unit(&mut rng))))
        })
        .collect();
    assert_eq!(drawn, walked, "points of the cube stand for the same");
}

#[test]
fn independent_blocks_multiply_and_the_last_one_turns_fastest() {
    let mut parameters = json!({
        "a": {"space": "choice", "categories": [0, 1]},
        "x": {"space": "randint", "lower": 0, "upper": 10, "when": {"a": 1}},
        "y": {"space": "choice", "categories": ["p", "q"]},
    });
    assert_eq!(space(&parameters).size(), Some(22));
    assert_eq!(
        text(&space(&parameters).nth(0).unwrap()),
        r#"{"a":0,"y":"p"}"#
    );
    assert_eq!(
        text(&space(&parameters).nth(1).unwrap()),
        r#"{"a":0,"y":"q"}"#
    );
    assert_eq!(
        text(&space(&parameters).nth(2).unwrap()),
        r#"{"a":1,"x":0,"y":"p"}"#
    );
    parameters["y"] = json!({"space": "uniform", "lower": 0, "upper": 1, "when": {"a": 1}});
    assert_eq!(space(&parameters).size(), None, "a branch without end");
}

#[test]
fn what_does_not_exist_has_no_part_in_an_assignment() {
    let space = branches();
    let assignment = space.at(&[0.1, 0.9, 0.9]);
    assert_eq!(text(&assignment), r#"{"a":"none"}"#);
    assert_eq!(space.unit(&assignment), Some(vec![0.5 / 3.0, 0.5, 0.5]));
    assert_eq!(
        space.coordinates(&assignment),
        [Some(0.5 / 3.0), None, None]
    );
    let mut more = assignment.clone();
    more.insert("c".to_owned(), json!(1));
    assert_eq!(space.unit(&more), None, "one too many");
    assert_eq!(space.without_inactive(&more), assignment);
    more.insert("seed".to_owned(), json!(1));
    assert_eq!(
        space.without_inactive(&more).len(),
        2,
        "what is not searched stays"
    );
}

#[test]
fn a_chain_ends_where_its_first_link_does() {
    let space = space(&json!({
        "a": {"space": "choice", "categories": ["on", "off"]},
        "b": {"space": "choice", "categories": ["on", "off"], "when": {"a": "on"}},
        "c": {"space": "choice", "categories": ["on", "off"], "when": {"b": ["on", "off"]}},
    }));
    assert_eq!(text(&space.at(&[0.9, 0.1, 0.1])), r#"{"a":"off"}"#);
    assert_eq!(space.size(), Some(5));
}

#[test]
fn all_conditions_must_hold_together() {
    let space = space(&json!({
        "a": {"space": "choice", "categories": [0, 1]},
        "b": {"space": "choice", "categories": [0, 1]},
        "c": {"space": "randint", "lower": 0, "upper": 3, "when": {"a": 1, "b": 1}},
    }));
    assert_eq!(space.size(), Some(6));
    assert!(
        !space.at(&[0.9, 0.1, 0.5]).contains_key("c")
            && space.at(&[0.9, 0.9, 0.5]).contains_key("c")
    );
}

#[test]
fn many_independent_parents_are_counted_at_once_and_too_many_together_are_refused() {
    let pair = |i: usize| {
        [
            (
                format!("p{i}"),
                json!({"space": "choice", "categories": [0, 1]}),
            ),
            (
                format!("q{i}"),
                json!({"space": "choice", "categories": [0, 1], "when": {format!("p{i}"): 1}}),
            ),
        ]
    };
    let apart: Map<String, Value> = (0..50).flat_map(pair).collect();
    assert_eq!(Space::new(&apart).unwrap().size(), 3_u128.checked_pow(50));
    let mut together: Map<String, Value> = (0..20).flat_map(pair).collect();
    let all: Map<String, Value> = (0..20).map(|i| (format!("p{i}"), json!(1))).collect();
    together.insert(
        "z".to_owned(),
        json!({"space": "uniform", "lower": 0, "upper": 1, "when": all}),
    );
    let faults = Space::new(&together).expect_err("2^20 combinations");
    assert!(
        faults[0].what.contains("combinations") && faults[0].hint.is_some(),
        "{faults:?}"
    );
}
