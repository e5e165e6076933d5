//! Changing a config: one value at a path, the assignment of a trial, one config over another.
//!
//! Where a change picks another form (another encoder type), the keys that only the old form had go away;
//! a value for a key that the chosen form does not have is left out, as a search over both forms needs.

use serde_json::{Map, Value};

use super::path::{Lost, Step, locate};
use super::schema::root::{PROGRAM, ROOT};
use super::schema::types::{Keys, Structure, Type};

/// Whether the config is that of a program, not of a model.
pub(crate) fn is_program(root: &Value) -> bool {
    root.get(ROOT.tag).and_then(Value::as_str) == Some(PROGRAM)
}

/// Puts a value at a path, making the sections on the way.
pub(crate) fn set(root: &mut Value, path: &str, value: Value) -> Result<(), Lost> {
    let place = locate(root, path)?;
    if place.elsewhere {
        let what = format!("\"{path}\" belongs to another type than the one that is written");
        return Err(Lost {
            what,
            hint: Some("set the type first".to_owned()),
        });
    }
    put(root, &place.steps, value, path)?;
    if place.is_tag {
        prune_at(root, &place.steps[..place.steps.len() - 1]);
    }
    Ok(())
}

/// Applies the assignment of a trial: fragments first, then types, then the rest.
pub(crate) fn assign<'a>(
    root: &mut Value,
    assignment: impl Iterator<Item = (&'a String, &'a Value)>,
) -> Result<(), (String, Lost)> {
    if is_program(root) {
        // Its parameters are names of the user's own.
        let chosen = root.as_object_mut().map(|root| {
            root.entry("parameters")
                .or_insert_with(|| Value::Object(Map::new()))
        });
        if let Some(Value::Object(chosen)) = chosen {
            chosen.extend(assignment.map(|(name, value)| (name.clone(), value.clone())));
        }
        return Ok(());
    }
    let mut entries: Vec<(u8, &String, &Value)> = Vec::new();
    for (path, value) in assignment {
        let rank = if path == "." {
            0
        } else if locate(root, path).is_ok_and(|p| p.is_tag || p.ty.structure().is_some()) {
            1
        } else {
            2
        };
        entries.push((rank, path, value));
    }
    // A stable sort: within a rank the order of the assignment stays.
    entries.sort_by_key(|(rank, ..)| *rank);
    for (_, path, value) in entries {
        let done = match (path.as_str(), value) {
            (".", Value::Object(fragment)) => assign_fragment(root, fragment),
            (".", _) => Err(Lost {
                what: "a fragment is a map of sections".to_owned(),
                hint: Some("write it as {trainer: {epochs: 20}}".to_owned()),
            }),
            _ => match locate(root, path) {
                Ok(place) if place.elsewhere => Ok(()),
                Ok(_) => set(root, path, value.clone()),
                Err(lost) => Err(lost),
            },
        };
        done.map_err(|lost| (path.clone(), lost))?;
    }
    Ok(())
}

/// A fragment of a config: sections and features by name, laid over what is there.
fn assign_fragment(root: &mut Value, fragment: &Map<String, Value>) -> Result<(), Lost> {
    for (path, over) in fragment {
        let place = locate(root, path)?;
        let target = at(root, &place.steps, path)?;
        merge(target, over, &place.ty);
    }
    Ok(())
}

/// Lays a value over another: maps key by key, features by name, everything else as a whole.
pub(crate) fn merge(base: &mut Value, over: &Value, ty: &Type) {
    if let (Some(structure), Value::Object(changes)) = (ty.structure(), over) {
        if let (Value::String(word), Structure::Union(union)) = (&*base, structure) {
            *base = Value::Object(Map::from_iter([(
                union.tag.to_owned(),
                Value::from(word.clone()),
            )]));
        }
        if !base.is_object() {
            *base = Value::Object(Map::new());
        }
        if let Structure::Union(union) = structure
            && let (Some(tag), Value::Object(map)) = (changes.get(union.tag), &mut *base)
        {
            map.insert(union.tag.to_owned(), tag.clone());
            prune(base, ty);
        }
        let keys = structure.keys(base).unwrap_or(Keys(&[]));
        if let Value::Object(map) = base {
            for (name, value) in changes {
                let inner = keys.find(name).map_or(Type::Any, |k| k.ty);
                merge(
                    map.entry(name.clone()).or_insert(Value::Null),
                    value,
                    &inner,
                );
            }
        }
        return;
    }
    if let (Some(Type::Union(union)), Value::Array(features), Value::Array(changes)) =
        (ty.items(), &mut *base, over)
        && changes.iter().all(|c| c.get("name").is_some())
    {
        for change in changes {
            match features
                .iter_mut()
                .find(|f| f.get("name") == change.get("name"))
            {
                Some(feature) => merge(feature, change, &Type::Union(union)),
                None => features.push(change.clone()),
            }
        }
        return;
    }
    *base = over.clone();
}

/// Lays a whole config over another.
pub(crate) fn merge_root(base: &mut Value, over: &Value) {
    merge(base, over, &Type::Union(&ROOT));
}

/// Takes away the keys that the form a map now has does not know.
fn prune(value: &mut Value, ty: &Type) {
    let Some(structure) = ty.structure() else {
        return;
    };
    let Some(keys) = structure.keys(value) else {
        return;
    };
    let tag = match structure {
        Structure::Union(union) => Some(union.tag),
        Structure::Section(_) => None,
    };
    if let Value::Object(map) = value {
        map.retain(|name, _| Some(name.as_str()) == tag || keys.find(name).is_some());
    }
}

/// Prunes the map at some steps.
fn prune_at(root: &mut Value, steps: &[Step]) {
    let mut ty = Type::Union(&ROOT);
    let mut value = root;
    for step in steps {
        let next = match step {
            Step::Key(name) => {
                let keys = ty
                    .structure()
                    .and_then(|s| s.keys(value))
                    .unwrap_or(Keys(&[]));
                ty = keys.find(name).map_or(Type::Any, |k| k.ty);
                value.get_mut(name)
            }
            Step::Index(n) => {
                ty = ty.items().copied().unwrap_or(Type::Any);
                value.get_mut(n)
            }
        };
        let Some(next) = next else { return };
        value = next;
    }
    prune(value, &ty);
}

/// The value at some steps; maps on the way are made.
fn at<'a>(root: &'a mut Value, steps: &[Step], path: &str) -> Result<&'a mut Value, Lost> {
    let mut value = root;
    let mut ty = Type::Union(&ROOT);
    for step in steps {
        let inner = match step {
            Step::Key(name) => ty
                .structure()
                .and_then(|s| s.keys(value))
                .and_then(|k| k.find(name))
                .map_or(Type::Any, |k| k.ty),
            Step::Index(_) => ty.items().copied().unwrap_or(Type::Any),
        };
        value = match step {
            Step::Key(name) => {
                if value.is_null() {
                    *value = Value::Object(Map::new());
                }
                // The short form of a union makes room for keys beside its type.
                if let (Value::String(word), Some(Structure::Union(union))) =
                    (&*value, ty.structure())
                {
                    *value = Value::Object(Map::from_iter([(
                        union.tag.to_owned(),
                        Value::from(word.clone()),
                    )]));
                }
                let Value::Object(map) = value else {
                    let what = format!("\"{path}\" leads through a value that is no section");
                    return Err(Lost {
                        what,
                        hint: Some("end the path before it".to_owned()),
                    });
                };
                map.entry(name.clone()).or_insert(Value::Null)
            }
            Step::Index(n) => value.get_mut(n).ok_or_else(|| Lost {
                what: format!("\"{path}\" leads to item {n} of a list that is shorter"),
                hint: Some("the first item is 0".to_owned()),
            })?,
        };
        ty = inner;
    }
    Ok(value)
}

fn put(root: &mut Value, steps: &[Step], value: Value, path: &str) -> Result<(), Lost> {
    *at(root, steps, path)? = value;
    Ok(())
}

/// What of a config a trial needs: all but the search.
pub(crate) fn without_search(root: &Value) -> Value {
    let mut root = root.clone();
    if let Value::Object(map) = &mut root {
        map.shift_remove("hyperopt");
    }
    root
}
