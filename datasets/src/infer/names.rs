//! What the name of a column hints at. A hint never decides alone: values have to agree.

/// Words that name identifiers.
const IDS: &[&str] = &[
    "id", "ids", "pid", "uid", "gid", "uuid", "guid", "key", "index", "idx", "rowid", "rownum",
    "number", "no", "nr", "order",
];
/// Words that name codes: whole numbers whose order means nothing.
const CODES: &[&str] = &[
    "id",
    "code",
    "type",
    "class",
    "subclass",
    "category",
    "cat",
    "group",
    "region",
    "zone",
    "zip",
    "zipcode",
    "postcode",
    "postal",
    "district",
    "cluster",
    "store",
    "shop",
    "dept",
    "department",
    "division",
    "product",
    "brand",
    "model",
    "channel",
    "segment",
];
/// Names of targets, the surest first.
const TARGETS: &[&str] = &[
    "target", "label", "class", "y", "outcome", "output", "result", "response",
];

/// The words of a name, in lower case: cut at what is no letter or digit, and before capitals.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words
                .last_mut()
                .expect("there is always a last word")
                .extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The word of the name that says identifier, if one does: the first or the last.
pub(super) fn id_word(name: &str) -> Option<String> {
    let words = words(name);
    [words.last(), words.first()]
        .into_iter()
        .flatten()
        .find(|word| IDS.contains(&word.as_str()))
        .cloned()
}

/// The word of the name that says code, if one does.
pub(super) fn code_word(name: &str) -> Option<String> {
    words(name)
        .into_iter()
        .rev()
        .find(|word| CODES.contains(&word.as_str()))
}

/// How surely the name is that of a target: 0 is surest; `None` when it is not.
pub(super) fn target_rank(name: &str) -> Option<usize> {
    let lower = name.trim().to_lowercase();
    TARGETS.iter().position(|target| *target == lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words_and_parts_of_words_do_not_count() {
        for (name, id) in [
            ("customerID", true),
            ("PID", true),
            ("Id", true),
            ("user_key", true),
            ("id.orig", true),
            ("humid", false),
            ("paid", false),
            ("ideal", false),
            ("valid", false),
        ] {
            assert_eq!(id_word(name).is_some(), id, "{name}");
        }
        for (name, code) in [
            ("Clothing ID", true),
            ("MS SubClass", true),
            ("zip", true),
            ("education-num", false),
            ("classy", false),
        ] {
            assert_eq!(code_word(name).is_some(), code, "{name}");
        }
        assert!(target_rank("Class").is_some() && target_rank("Class Name").is_none());
    }
}
