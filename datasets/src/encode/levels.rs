//! The levels of a category, found again in any table.

use std::collections::HashMap;

/// Codes of levels: 0 is missing, `1..=n` are the levels in their order, `n + 1` is unseen.
///
/// A level is found by its text, or by its number: `3`, `3.0` and a numeric 3 are one, since a column may be
/// read as text in one file and as numbers in the next.
#[derive(Debug, Clone)]
pub struct Levels {
    by_text: HashMap<String, u32>,
    by_number: HashMap<u64, u32>,
    unseen: u32,
    lowercase: bool,
}

/// The code of a missing value.
pub(super) const MISSING: u32 = 0;

impl Levels {
    /// Looks up `levels`, which are distinct and, with `lowercase`, in lower case.
    pub fn new(levels: &[String], lowercase: bool) -> Self {
        let mut by_number = HashMap::new();
        for (code, level) in (1..).zip(levels) {
            if let Some(bits) = number_key(level) {
                by_number.entry(bits).or_insert(code);
            }
        }
        // The plain spelling wins over such as `03`.
        for (code, level) in (1..).zip(levels) {
            if let (Some(bits), Ok(x)) = (number_key(level), level.parse::<f64>())
                && x.to_string() == *level
            {
                by_number.insert(bits, code);
            }
        }
        let by_text: HashMap<String, u32> = levels.iter().cloned().zip(1..).collect();
        let unseen = u32::try_from(levels.len() + 1).unwrap_or(u32::MAX);
        Self {
            by_text,
            by_number,
            unseen,
            lowercase,
        }
    }

    /// The code of a text.
    pub fn of_text(&self, text: &str) -> u32 {
        let exact = if self.lowercase {
            self.by_text.get(&text.to_lowercase())
        } else {
            self.by_text.get(text)
        };
        let code = exact.or_else(|| number_key(text).and_then(|bits| self.by_number.get(&bits)));
        code.copied().unwrap_or(self.unseen)
    }

    /// The code of a number; NaN is missing.
    pub fn of_number(&self, x: f64) -> u32 {
        if x.is_nan() {
            return MISSING;
        }
        self.by_number
            .get(&(x + 0.0).to_bits())
            .copied()
            .unwrap_or(self.unseen)
    }

    /// The code of all other values.
    pub fn unseen(&self) -> u32 {
        self.unseen
    }
}

fn number_key(text: &str) -> Option<u64> {
    // Only texts that begin like a number: `nan`, `inf` and `infinity` are words here.
    let begins = text
        .trim_start()
        .starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    let x = begins.then(|| text.trim().parse::<f64>().ok()).flatten()?;
    Some((x + 0.0).to_bits())
}

/// The two values of a binary column in order, false before true: conventional booleans by what they say, then
/// `true_label`, else numbers by size and texts by order.
pub(crate) fn false_before_true(mut values: [String; 2], true_label: Option<&str>) -> [String; 2] {
    const PAIRS: [(&str, &str); 12] = [
        ("false", "true"),
        ("no", "yes"),
        ("f", "t"),
        ("n", "y"),
        ("0", "1"),
        ("-1", "1"),
        ("off", "on"),
        ("negative", "positive"),
        ("neg", "pos"),
        ("bad", "good"),
        ("absent", "present"),
        ("fail", "pass"),
    ];
    sort_levels(&mut values);
    let [first, second] = values.each_ref().map(|value| value.to_lowercase());
    let swapped = PAIRS.contains(&(&second, &first));
    let conventional = swapped || PAIRS.contains(&(&first, &second));
    if swapped || (!conventional && true_label == Some(&*values[0])) {
        values.swap(0, 1);
    }
    values
}

/// Sorts levels: by number where all are numbers, else as text.
pub(crate) fn sort_levels(levels: &mut [String]) {
    levels.sort_unstable();
    if levels.iter().all(|level| number_key(level).is_some()) {
        let number = |level: &String| level.trim().parse::<f64>().unwrap_or(f64::NAN);
        levels.sort_by(|a, b| number(a).total_cmp(&number(b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.into()).collect()
    }

    #[test]
    fn a_level_is_found_by_text_and_by_number() {
        let found = Levels::new(&levels(&["a", "3", "2.50", "-0"]), false);
        let cases = [
            ("a", 1),
            ("A", 5),
            ("3", 2),
            ("3.0", 2),
            ("2.5", 3),
            ("0", 4),
            ("", 5),
            ("inf", 5),
        ];
        for (text, code) in cases {
            assert_eq!(found.of_text(text), code, "{text}");
        }
        assert_eq!(
            [3.0, 2.5, 0.0, -0.0, 7.0, f64::NAN].map(|x| found.of_number(x)),
            [2, 3, 4, 4, 5, 0]
        );
    }

    #[test]
    fn the_plain_spelling_of_a_number_wins() {
        let found = Levels::new(&levels(&["03", "3"]), false);
        assert_eq!(
            (
                found.of_text("03"),
                found.of_text("3"),
                found.of_number(3.0)
            ),
            (1, 2, 2)
        );
    }

    #[test]
    fn case_is_ignored_on_request() {
        let found = Levels::new(&levels(&["ärger"]), true);
        assert_eq!((found.of_text("ÄRGER"), found.of_text("aerger")), (1, 2));
    }

    #[test]
    fn true_is_the_second_of_two() {
        let cases = [
            (["yes", "no"], None, ["no", "yes"]),
            (["TRUE", "FALSE"], None, ["FALSE", "TRUE"]),
            (["10", "9"], None, ["9", "10"]),
            (["good", "bad"], None, ["bad", "good"]),
            (["e", "p"], None, ["e", "p"]),
            (["e", "p"], Some("e"), ["p", "e"]),
            (["1", "0"], Some("0"), ["0", "1"]),
        ];
        for (values, label, expected) in cases {
            assert_eq!(
                false_before_true(values.map(String::from), label),
                expected,
                "{values:?}"
            );
        }
    }
}
