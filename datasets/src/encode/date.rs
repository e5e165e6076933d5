//! Times: strictly read from text, then taken apart.

use chrono::format::{Item, Parsed, StrftimeItems};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Timelike};

use super::precision::narrow;

/// The parts of a time, in order: plain ones, then sine and cosine of the cycles.
pub const PARTS: [&str; 16] = [
    "elapsed_days",
    "year",
    "month",
    "day",
    "weekday",
    "day_of_year",
    "hour",
    "minute",
    "month_sin",
    "month_cos",
    "weekday_sin",
    "weekday_cos",
    "day_of_year_sin",
    "day_of_year_cos",
    "hour_sin",
    "hour_cos",
];

/// A missing time.
pub const MISSING: [f32; PARTS.len()] = [f32::NAN; PARTS.len()];

const MICROS_PER_DAY: f64 = 86_400e6;
/// 2000-01-01 in days since 1970-01-01: near most data, so that single precision tells minutes apart.
const ORIGIN_DAYS: f64 = 10_957.0;

/// The parts of a time in microseconds since 1970-01-01; months and days count from 1, weekdays from
/// Monday 0. The cycle of hours runs through minutes and seconds. [`MISSING`] for a time out of range.
pub fn parts(micros: i64) -> [f32; PARTS.len()] {
    let Some(time) = DateTime::from_timestamp_micros(micros).map(|time| time.naive_utc()) else {
        return MISSING;
    };
    let hours = f64::from(time.num_seconds_from_midnight()) / 3600.0;
    let weekday = time.weekday().num_days_from_monday();
    let [month_sin, month_cos] = cycle(f64::from(time.month0()) / 12.0);
    let [weekday_sin, weekday_cos] = cycle(f64::from(weekday) / 7.0);
    let [day_of_year_sin, day_of_year_cos] = cycle(f64::from(time.ordinal0()) / 365.25);
    let [hour_sin, hour_cos] = cycle(hours / 24.0);
    [
        narrow(micros as f64 / MICROS_PER_DAY - ORIGIN_DAYS),
        narrow(f64::from(time.year())),
        narrow(f64::from(time.month())),
        narrow(f64::from(time.day())),
        narrow(f64::from(weekday)),
        narrow(f64::from(time.ordinal())),
        narrow(f64::from(time.hour())),
        narrow(f64::from(time.minute())),
        month_sin,
        month_cos,
        weekday_sin,
        weekday_cos,
        day_of_year_sin,
        day_of_year_cos,
        hour_sin,
        hour_cos,
    ]
}

fn cycle(turn: f64) -> [f32; 2] {
    let (sin, cos) = (turn * std::f64::consts::TAU).sin_cos();
    [narrow(sin), narrow(cos)]
}

/// A format of dates, ready to read with.
#[derive(Debug, Clone)]
pub struct Format {
    items: Vec<Item<'static>>,
}

impl Format {
    /// A format in `strftime` terms; `None` for one that has an unknown term.
    pub fn new(format: &str) -> Option<Self> {
        let items = StrftimeItems::new(format).parse_to_owned().ok()?;
        Some(Self { items })
    }

    /// Microseconds since 1970-01-01, UTC where the text has an offset; `None` where the text is not in the
    /// format from its first to its last character. A date without a time is its midnight.
    pub fn read(&self, text: &str) -> Option<i64> {
        let mut parsed = Parsed::new();
        chrono::format::parse(&mut parsed, text, self.items.iter()).ok()?;
        let time = match parsed.to_datetime() {
            Ok(time) => time.naive_utc(),
            Err(_) => match parsed.to_naive_datetime_with_offset(0) {
                Ok(time) => time,
                Err(_) => at_hour(parsed.to_naive_date().ok()?, &parsed)?,
            },
        };
        Some(time.and_utc().timestamp_micros())
    }
}

/// A date with its hour and minute where the format has them and no seconds.
fn at_hour(date: NaiveDate, parsed: &Parsed) -> Option<NaiveDateTime> {
    let hour = match (parsed.hour_div_12(), parsed.hour_mod_12()) {
        (Some(half), Some(hour)) => half * 12 + hour,
        _ => 0,
    };
    date.and_hms_opt(
        hour,
        parsed.minute().unwrap_or(0),
        parsed.second().unwrap_or(0),
    )
}

/// Reads the ISO forms `2012-10-02`, `2012-10-02 09:00`, `2012-10-02T09:00:00.5Z`, in microseconds since 1970-01-01.
pub fn read_iso(text: &str) -> Option<i64> {
    let (date, time) = match text.find([' ', 'T']) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    };
    let date = NaiveDate::parse_from_str(date, "%Y-%m-%d").ok()?;
    if time.is_empty() {
        return (date.to_string() == text)
            .then(|| micros(date.and_hms_opt(0, 0, 0)?))
            .flatten();
    }
    let whole = || {
        DateTime::parse_from_rfc3339(text)
            .ok()
            .map(|time| time.timestamp_micros())
    };
    let time = time.strip_suffix('Z').unwrap_or(time);
    let plain = ["%H:%M:%S%.f", "%H:%M"]
        .iter()
        .find_map(|format| chrono::NaiveTime::parse_from_str(time, format).ok());
    plain
        .and_then(|time| micros(date.and_time(time)))
        .or_else(whole)
}

fn micros(time: NaiveDateTime) -> Option<i64> {
    Some(time.and_utc().timestamp_micros())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(&'static str, f32)> {
        PARTS
            .into_iter()
            .zip(parts(read_iso(text).unwrap()))
            .collect()
    }

    #[test]
    fn a_time_is_taken_apart() {
        let parts = named("2012-10-02 09:30:00");
        let expected = [4658.396, 2012.0, 10.0, 2.0, 1.0, 276.0, 9.0, 30.0];
        for ((name, got), expected) in parts.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-3, "{name}: {got}");
        }
        let hour = 9.5 / 24.0 * std::f32::consts::TAU;
        assert!((parts[14].1 - hour.sin()).abs() < 1e-6 && (parts[15].1 - hour.cos()).abs() < 1e-6);
    }

    #[test]
    fn times_before_1970_and_out_of_range_have_their_place() {
        assert_eq!(
            named("1969-12-31")[1..5],
            [
                ("year", 1969.0),
                ("month", 12.0),
                ("day", 31.0),
                ("weekday", 2.0)
            ]
        );
        assert!(parts(i64::MIN).iter().all(|part| part.is_nan()));
    }

    #[test]
    fn iso_forms_are_read_and_others_are_not() {
        let day = 15_615 * 86_400_000_000_i64;
        let cases = [
            ("2012-10-02", Some(day)),
            ("2012-10-02 09:00:00", Some(day + 32_400_000_000)),
            ("2012-10-02T09:00", Some(day + 32_400_000_000)),
            ("2012-10-02T09:00:00.5Z", Some(day + 32_400_500_000)),
            ("2012-10-02T09:00:00+02:00", Some(day + 25_200_000_000)),
            ("2012-13-02", None),
            ("2012-10-2", None),
            ("02.10.2012", None),
            ("2012-10-02 25:00", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read_iso(text), expected, "{text}");
        }
    }

    #[test]
    fn formats_read_whole_texts_only() {
        let day = 15_615 * 86_400_000_000_i64;
        let cases = [
            ("%d.%m.%Y", "02.10.2012", Some(day)),
            ("%d.%m.%Y", "02.10.2012 ", None),
            ("%d.%m.%Y", "10/02/2012", None),
            (
                "%m/%d/%Y %I:%M %p",
                "10/02/2012 09:00 AM",
                Some(day + 32_400_000_000),
            ),
            (
                "%d %b %Y %H:%M",
                "02 Oct 2012 09:00",
                Some(day + 32_400_000_000),
            ),
            (
                "%Y-%m-%dT%H:%M:%S%z",
                "2012-10-02T09:00:00+0200",
                Some(day + 25_200_000_000),
            ),
            ("%Y%m%d", "20121002", Some(day)),
        ];
        for (format, text, expected) in cases {
            assert_eq!(
                Format::new(format).unwrap().read(text),
                expected,
                "{format} of {text}"
            );
        }
        assert!(Format::new("%Q").is_none());
    }
}
