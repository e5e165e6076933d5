//! The tables hold what they promise.

use std::collections::BTreeSet;

use serde_json::Value;

use super::root::ROOT;
use super::types::{Default, Key, Keys, Structure, Type, Use};
use crate::config::check::{Log, Spot, check};
use crate::config::yaml::node::Node;

/// Every group of keys, with the path it is reached by. Each structure is visited once a path.
fn visit(structure: Structure, path: &str, see: &mut dyn FnMut(&str, Keys)) {
    let mut groups: Vec<(String, Keys)> = Vec::new();
    match structure {
        Structure::Section(section) => groups.push((path.to_owned(), Keys(section.keys))),
        Structure::Union(union) => {
            groups.extend(
                union
                    .variants
                    .iter()
                    .map(|v| (format!("{path}:{}", v.name), Keys(v.keys))),
            );
        }
    }
    for (path, keys) in groups {
        see(&path, keys);
        for key in keys.iter() {
            let mut inner = Vec::new();
            structures(&key.ty, &mut inner);
            for structure in inner {
                visit(structure, &format!("{path}.{}", key.name), see);
            }
        }
    }
}

fn structures(ty: &Type, out: &mut Vec<Structure>) {
    match ty {
        Type::Section(section) => out.push(Structure::Section(section)),
        Type::Union(union) => out.push(Structure::Union(union)),
        Type::Nullable(inner) | Type::MapOf(inner) | Type::List { of: inner, .. } => {
            structures(inner, out)
        }
        Type::Either(types) | Type::Tuple(types) => types.iter().for_each(|t| structures(t, out)),
        Type::Bool
        | Type::Int { .. }
        | Type::Float { .. }
        | Type::Text
        | Type::OneOf(_)
        | Type::Any
        | Type::AnyMap => {}
    }
}

fn every_key(see: &mut dyn FnMut(&str, &'static Key)) {
    visit(Structure::Union(&ROOT), "", &mut |path, keys| {
        for key in keys.iter() {
            see(&format!("{path}.{}", key.name), key);
        }
    });
}

#[test]
fn every_default_is_of_its_type() {
    let mut n = 0;
    every_key(&mut |path, key| {
        let Default::Json(text) = key.default else {
            return;
        };
        let value: Value =
            serde_json::from_str(text).unwrap_or_else(|e| panic!("{path}: {text}: {e}"));
        let mut log = Log::default();
        check(
            &mut log,
            &key.ty,
            &mut Node::from_value(&value),
            Spot::new(path, 0),
        );
        assert!(log.errors.is_empty(), "{path}: {:?}", log.errors);
        n += 1;
    });
    assert!(n > 1_000, "the tables are walked, found {n}");
}

#[test]
fn every_key_says_in_a_sentence_what_it_is() {
    every_key(&mut |path, key| {
        assert!(
            key.doc.ends_with('.') && key.doc.len() > 3,
            "{path}: {:?}",
            key.doc
        );
        assert!(!key.doc.contains('\n'), "{path}");
        if let Use::Later(instead) = key.use_ {
            assert!(
                !instead.is_empty() && !instead.ends_with('.'),
                "{path}: {instead:?}"
            );
        }
    });
}

#[test]
fn no_group_names_a_key_twice() {
    visit(Structure::Union(&ROOT), "", &mut |path, keys| {
        for group in keys.0 {
            let names: BTreeSet<&str> = group.iter().map(|k| k.name).collect();
            assert_eq!(names.len(), group.len(), "{path}: {names:?}");
        }
        let shown: Vec<&str> = keys.iter().map(|k| k.name).collect();
        assert_eq!(
            shown.iter().collect::<BTreeSet<_>>().len(),
            shown.len(),
            "{path}"
        );
    });
}

#[test]
fn a_later_group_overrules_the_default_of_an_earlier_one() {
    let ft = ROOT
        .variant("ecd")
        .and_then(|v| Keys(v.keys).find("combiner"))
        .and_then(|k| k.ty.structure());
    let Some(Structure::Union(combiners)) = ft else {
        panic!("combiner is a union")
    };
    let keys = Keys(
        combiners
            .variant("ft_transformer")
            .expect("it is in the table")
            .keys,
    );
    assert!(matches!(
        keys.find("num_layers").map(|k| k.default),
        Some(Default::Json("3"))
    ));
}
