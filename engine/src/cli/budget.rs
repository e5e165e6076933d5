//! The grammar of times on the command line: `60s`, `5m`, `2h`, `1h30m`, `1d`.

use std::time::Duration;

/// The units, in seconds.
const UNITS: [(char, u32); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// The longest budget taken; more is most likely a slip.
const LONGEST: f64 = 365.0 * 86_400.0;

/// Reads a time that is longer than nothing; the error says what to write instead.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let text = text.trim().to_ascii_lowercase();
    if text.is_empty() {
        return Err("write a time like 60s, 5m, 2h or 1h30m".to_owned());
    }
    let mut rest = text.as_str();
    let mut seconds = 0.0;
    let mut used = Vec::new();
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let Ok(number_value) = number.parse::<f64>() else {
            return Err(format!(
                "\"{text}\" is not a time: write 60s, 5m, 2h or 1h30m"
            ));
        };
        let end = tail
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        if unit.is_empty() {
            return Err(format!(
                "{number} needs its unit: {number}s, {number}m or {number}h"
            ));
        }
        let Some((unit, factor)) = UNITS.iter().find(|(name, _)| unit.chars().eq([*name])) else {
            return Err(format!(
                "\"{unit}\" is not a unit of time: use s, m, h or d"
            ));
        };
        if used.contains(unit) {
            return Err(format!("\"{unit}\" stands twice in \"{text}\""));
        }
        used.push(*unit);
        seconds += number_value * f64::from(*factor);
        rest = tail;
    }
    from_seconds(seconds)
}

/// A time that is longer than nothing and no longer than a year.
pub(crate) fn from_seconds(seconds: f64) -> Result<Duration, String> {
    if seconds.is_nan() || seconds <= 0.0 {
        return Err("a time of nothing: give at least 1s".to_owned());
    }
    if seconds > LONGEST {
        return Err("longer than a year: give at most 365d".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// A time as the grammar writes it, to the second, or to a tenth below a minute.
pub(crate) fn show(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 59.95 {
        let tenths = (seconds * 10.0).round() / 10.0;
        return format!("{tenths}s");
    }
    let mut left = time.as_secs() + u64::from(time.subsec_millis() >= 500);
    let mut text = String::new();
    for (unit, factor) in UNITS {
        let n = left / u64::from(factor);
        left %= u64::from(factor);
        if n > 0 {
            text.push_str(&format!("{n}{unit}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        for (text, seconds) in [
            ("60s", 60.0),
            ("5m", 300.0),
            ("2h", 7200.0),
            ("1h30m", 5400.0),
            ("1.5h", 5400.0),
            ("0.5s", 0.5),
            ("1d", 86_400.0),
            (" 2H ", 7200.0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_says_what_to_write() {
        for (text, part) in [
            ("", "write a time"),
            ("90", "90 needs its unit: 90s, 90m or 90h"),
            ("1h30", "30 needs its unit"),
            ("0s", "a time of nothing"),
            ("0h0m", "a time of nothing"),
            ("2x", "\"x\" is not a unit of time"),
            ("2min", "\"min\" is not a unit of time"),
            ("h", "is not a time"),
            ("-5m", "is not a time"),
            ("1.2.3s", "is not a time"),
            ("1h1h", "stands twice"),
            ("9999999999999999999d", "longer than a year"),
            ("５m", "is not a time"),
            ("1h 30m", "\"h \" is not a unit of time"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for seconds in [0.5, 1.0, 59.0, 60.0, 61.0, 3599.0, 3600.0, 5400.0, 90_061.0] {
            let time = Duration::from_secs_f64(seconds);
            assert_eq!(parse(&show(time)), Ok(time), "{}", show(time));
        }
    }
}
