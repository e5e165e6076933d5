//! Reading and writing YAML.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::node::Node;
use super::read::read;
use super::write::{Notes, write};

struct Silent;
impl Notes for Silent {
    fn comment(&self, _: &str) -> Option<String> {
        None
    }
}

/// A comment on every path, so that comments are proven never to change what is read.
struct Talkative;
impl Notes for Talkative {
    fn comment(&self, path: &str) -> Option<String> {
        Some(format!("about {path}: # 'a' \"b\"\nsecond line {{"))
    }
}

fn value(text: &str) -> Value {
    read(text)
        .unwrap_or_else(|fault| panic!("{fault:?}\n{text}"))
        .to_value()
}

#[test]
fn scalars_follow_the_core_schema() {
    let table = [
        ("a: 1", json!(1)),
        ("a: -7", json!(-7)),
        ("a: 0x1F", json!(31)),
        ("a: 0o17", json!(15)),
        ("a: 1e-3", json!(1e-3)),
        ("a: 1.", json!(1.0)),
        ("a: .5", json!(0.5)),
        ("a: 1_000", json!("1_000")),
        ("a: 12:30", json!("12:30")),
        ("a: 2020-01-01", json!("2020-01-01")),
        ("a: yes", json!("yes")),
        ("a: True", json!(true)),
        ("a: ~", json!(null)),
        ("a:", json!(null)),
        ("a: '1'", json!("1")),
        ("a: \"null\"", json!("null")),
        ("a: !!str 1", json!("1")),
        (
            "a: 18446744073709551615",
            json!(18_446_744_073_709_551_615_u64),
        ),
        ("a: <=50K", json!("<=50K")),
    ];
    for (text, expected) in table {
        assert_eq!(value(text)["a"], expected, "{text}");
    }
}

#[test]
fn keys_stay_texts() {
    assert_eq!(
        value("{0: a, true: b, 1.5: c, null: d}"),
        json!({"0": "a", "true": "b", "1.5": "c", "null": "d"})
    );
}

#[test]
fn lines_are_those_of_the_keys() {
    let node = read("a: 1\nb:\n  - x: 1\n    y: 2\n  - 3\n").unwrap();
    assert_eq!(node.line_of("b"), Some(2));
    let items = node.get("b").unwrap().as_list();
    assert_eq!(
        (items[0].line, items[0].line_of("y"), items[1].line),
        (3, Some(4), 5)
    );
}

#[test]
fn aliases_and_merge_keys_are_written_out() {
    let text = "base: &b {x: 1, y: 2}\none: *b\ntwo:\n  <<: *b\n  y: 3\n";
    assert_eq!(
        value(text),
        json!({"base": {"x": 1, "y": 2}, "one": {"x": 1, "y": 2}, "two": {"y": 3, "x": 1}})
    );
}

#[test]
fn what_json_cannot_hold_is_refused_by_line() {
    let table = [
        (
            "a: 1\nb: 2\na: 3",
            3,
            "key \"a\" stands here twice, first on line 1",
        ),
        ("a: .inf", 1, ".inf is not a finite number"),
        ("a: 1e999", 1, "1e999 is not a finite number"),
        ("a: .nan", 1, ".nan is not a finite number"),
        ("a: 1\n---\nb: 2", 2, "a second document begins here"),
        (
            "? [1, 2]\n: 3",
            1,
            "a key must be a word, not a list or a map",
        ),
        (
            "a: !python/object x",
            1,
            "tag !python/object has no meaning here",
        ),
        (": 3", 1, "a key is missing before the colon"),
        ("a:\n  <<: 3", 2, "a merge key needs a map"),
    ];
    for (text, line, what) in table {
        let fault = read(text).expect_err(text);
        assert_eq!((fault.line, fault.what.as_str()), (line, what), "{text}");
        assert!(fault.hint.is_some(), "{text}");
    }
}

#[test]
fn a_tab_in_the_indent_is_named() {
    let fault = read("a:\n\tb: 1\n").expect_err("tabs are no indent");
    assert_eq!(fault.line, 2);
    assert_eq!(
        fault.hint.as_deref(),
        Some("indent with spaces, not with tabs")
    );
}

#[test]
fn bombs_end_in_an_error() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..9 {
        let list = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb.push_str(&format!("a{n}: &a{n} [{list}]\n"));
    }
    assert!(
        read(&bomb)
            .expect_err("too many values")
            .what
            .contains("once aliases are written out")
    );
    let deep = "[".repeat(200);
    assert!(read(&deep).is_err());
    let deep = (0..100)
        .map(|n| format!("{}a:\n", "  ".repeat(n)))
        .collect::<String>();
    assert!(
        read(&deep)
            .expect_err("too deep")
            .what
            .contains("nested more than")
    );
    let wide = (0..20_000)
        .map(|n| format!("k{n}: 1\n"))
        .collect::<String>();
    assert!(
        read(&wide)
            .expect_err("too wide")
            .what
            .contains("keys in one map")
    );
    assert!(
        read(&"# x\n".repeat(3_000_000))
            .expect_err("too long")
            .what
            .contains("bytes")
    );
}

#[test]
fn texts_are_quoted_where_any_reader_would_stumble() {
    let table = [
        ("plain", "plain"),
        ("two words", "two words"),
        ("größe", "größe"),
        ("yes", "'yes'"),
        ("No", "'No'"),
        ("null", "'null'"),
        ("1.0", "'1.0'"),
        ("2020-01-01", "'2020-01-01'"),
        ("a: b", "'a: b'"),
        ("it's", "'it''s'"),
        ("", "''"),
        (" a", "' a'"),
        ("# no", "'# no'"),
        ("<UNK>", "'<UNK>'"),
        ("a\nb", "\"a\\nb\""),
        ("\u{85}", "\"\\u0085\""),
        ("*x", "'*x'"),
        ("-", "'-'"),
        ("a, b", "'a, b'"),
        ("🦀", "'🦀'"),
    ];
    for (text, expected) in table {
        assert_eq!(super::write::quoted(text), expected);
    }
}

#[test]
fn numbers_are_written_so_that_yaml_1_1_reads_numbers() {
    assert_eq!(
        write(&json!([1e-8, 1e30, 0.001, 3, -2.5]), &Silent),
        "- 1.0e-8\n- 1.0e+30\n- 0.001\n- 3\n- -2.5\n"
    );
}

#[test]
fn comments_stand_at_the_end_of_a_line_or_above_it() {
    struct Some3;
    impl Notes for Some3 {
        fn comment(&self, path: &str) -> Option<String> {
            match path {
                "" => Some("a header".to_owned()),
                "a" => Some("short".to_owned()),
                "b[0]" => Some("an item".to_owned()),
                "b[1].x" => Some("word ".repeat(40)),
                "c" => Some("a block".to_owned()),
                _ => None,
            }
        }
    }
    let tree = json!({"a": 1, "b": [{"x": 1, "y": [1, 2]}, {"x": 2}], "c": {"d": {}}});
    insta::assert_snapshot!(write(&tree, &Some3));
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[ -~]{0,12}",
        any::<String>(),
        Just("- a".to_owned()),
        Just("null".to_owned())
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[ -~]{0,8}|[a-zéß🦀]{1,5}", inner), 0..5).prop_map(|entries| {
                Value::Object(entries.into_iter().filter(|(k, _)| k != "<<").collect())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(tree in any_value()) {
        for text in [write(&tree, &Silent), write(&tree, &Talkative)] {
            let back = read(&text).map_err(|f| TestCaseError::fail(format!("{f:?}\n{text}")))?;
            prop_assert_eq!(back.to_value(), tree.clone(), "{}", text);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[-a-c:#&*!|>'\"%@`{}\\[\\],?\n\t 0-9.~<]{0,60}") {
        let _ = read(&text);
    }

    #[test]
    fn a_tree_without_lines_keeps_its_value(tree in any_value()) {
        prop_assert_eq!(Node::from_value(&tree).to_value(), tree);
    }
}
