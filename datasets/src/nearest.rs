//! The nearest of a list of names, for "did you mean". Refuses to guess when nothing is near.

/// The name nearest to `given`, when it is near enough to be a slip of the keyboard: equal but for
/// case and separators, a prefix, or few edits away for its length.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = plain(given);
    names
        .into_iter()
        .map(|name| (distance(&wanted, &plain(name)), name))
        .filter(|(distance, _)| *distance <= 0.34)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Edits per character, in [0, 1]; a prefix of at least three characters counts as near.
fn distance(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count());
    if longest == 0 {
        return 1.0;
    }
    let edits = strsim::osa_distance(a, b) as f64 / longest as f64;
    let prefix = a.len() >= 3 && b.starts_with(a) || b.len() >= 3 && a.starts_with(b);
    if prefix { edits.min(0.3) } else { edits }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["education-num", "age", "native-country", "class"];
        for (given, expected) in [
            ("education_num", Some("education-num")),
            ("Educaton-Num", Some("education-num")),
            ("clas", Some("class")),
            ("native", Some("native-country")),
            ("agee", Some("age")),
            ("salary", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, names), expected, "{given}");
        }
    }
}
