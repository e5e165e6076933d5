//! What of a config cannot run yet: found by walking the schema, so that no key is silently without effect.

use serde_json::Value;

use crate::config::check::join;
use crate::config::document::Config;
use crate::config::fill::says_nothing;
use crate::config::schema::root::{PROGRAM, ROOT};
use crate::config::schema::types::{Keys, Structure, Type, Use};
use crate::error::ConfigError;

/// Every part of some sections that cannot run, each with what to use in its place.
pub(super) fn refusals(config: &Config, sections: &[&str]) -> Vec<ConfigError> {
    let root = config.value();
    let mut found = Vec::new();
    let Some(variant) = ROOT.variant_of(root) else {
        return found;
    };
    if let Use::Later(instead) = variant.use_ {
        let what = format!("{} cannot be trained yet", variant.name);
        return vec![config.error(ROOT.tag, &what, Some(instead.to_owned()))];
    }
    if variant.name == PROGRAM && !sections.contains(&"command") {
        let hint = "`autotune tune --config FILE` tunes it";
        return vec![config.error(
            ROOT.tag,
            "a program of your own is no model of a table",
            Some(hint.to_owned()),
        )];
    }
    for section in sections {
        if let (Some(key), Some(value)) = (Keys(variant.keys).find(section), root.get(*section)) {
            walk(config, &key.ty, value, section, &mut found);
        }
    }
    found
}

fn walk(config: &Config, ty: &Type, value: &Value, path: &str, found: &mut Vec<ConfigError>) {
    if let (Value::Array(items), Some(of)) = (value, ty.items()) {
        for (n, item) in items.iter().enumerate() {
            walk(config, of, item, &format!("{path}[{n}]"), found);
        }
        return;
    }
    if let (Type::OneOf(_) | Type::Nullable(_) | Type::Either(_), Some(word)) = (ty, value.as_str())
    {
        refuse_word(config, ty, word, path, found);
        return;
    }
    let (Some(structure), Value::Object(map)) = (ty.structure(), value) else {
        return;
    };
    if let Structure::Union(union) = structure {
        let Some(variant) = union.variant_of(value) else {
            return;
        };
        if let Use::Later(instead) = variant.use_ {
            let what = format!("{} {} cannot run yet", union.noun, variant.name);
            found.push(config.error(&join(path, union.tag), &what, Some(instead.to_owned())));
            // Its keys mean nothing without it.
            return;
        }
    }
    let keys = structure.keys(value).unwrap_or(Keys(&[]));
    for (name, item) in map {
        let Some(key) = keys.find(name) else { continue };
        let here = join(path, name);
        match key.use_ {
            Use::Runs => walk(config, &key.ty, item, &here, found),
            Use::Inert => {}
            Use::Later(instead) => {
                if !says_nothing(key, item) {
                    found.push(config.error(&here, "cannot be used yet", Some(instead.to_owned())));
                }
            }
        }
    }
}

/// A word that is known but cannot run.
fn refuse_word(config: &Config, ty: &Type, word: &str, path: &str, found: &mut Vec<ConfigError>) {
    match ty {
        Type::OneOf(names) if names.later.contains(&word) => {
            let running: Vec<&str> = names.running().collect();
            let hint = format!("use {}", crate::config::describe::one_of(&running));
            found.push(config.error(path, &format!("{word} cannot be used yet"), Some(hint)));
        }
        Type::Nullable(inner) => refuse_word(config, inner, word, path, found),
        Type::Either(types) => types
            .iter()
            .for_each(|t| refuse_word(config, t, word, path, found)),
        Type::OneOf(_)
        | Type::Bool
        | Type::Int { .. }
        | Type::Float { .. }
        | Type::Text
        | Type::Any
        | Type::AnyMap
        | Type::List { .. }
        | Type::Tuple(_)
        | Type::MapOf(_)
        | Type::Section(_)
        | Type::Union(_) => {}
    }
}
