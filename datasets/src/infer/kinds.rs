//! What kind a column is, from its profile: the rules, first hit wins, each with the words that say why.

use super::names;
use super::verdict::LeftOut;
use crate::Kind;
use crate::profile::{ColumnProfile, DateSummary, Distinct, NumberSummary, Storage, TextSummary};

/// Share of values that one strict format must read.
const DATE_SHARE: f64 = 0.95;
/// A table needs so many rows before "every value is its own" means anything.
const UNIQUE_ROWS: u64 = 20;

/// What a column's values say it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Opinion {
    pub(super) kind: Kind,
    pub(super) second: Option<Kind>,
    pub(super) evidence: String,
    pub(super) date_format: Option<String>,
    /// Why it is of no use as an input.
    pub(super) useless: Option<LeftOut>,
}

impl Opinion {
    fn new(kind: Kind, second: Option<Kind>, evidence: impl Into<String>) -> Self {
        Self {
            kind,
            second,
            evidence: evidence.into(),
            date_format: None,
            useless: None,
        }
    }

    fn useless(self, why: LeftOut) -> Self {
        Self {
            useless: Some(why),
            ..self
        }
    }
}

/// The opinion on a column.
pub(super) fn opinion(column: &ColumnProfile) -> Opinion {
    let distinct = column.n_distinct.count();
    if column.n_present() == 0 {
        return Opinion::new(Kind::Category, None, "no row has a value")
            .useless(LeftOut::AllMissing);
    }
    let first = column
        .top_values
        .first()
        .map_or("", |(value, _)| value.as_str());
    if distinct == 1 && column.n_missing == 0 {
        return Opinion::new(Kind::Category, None, format!("every row holds \"{first}\""))
            .useless(LeftOut::Constant);
    }
    if distinct == 1 {
        let evidence = format!(
            "\"{first}\" or nothing: {} rows have no value",
            column.n_missing
        );
        return Opinion::new(Kind::Category, None, evidence);
    }
    if distinct == 2 {
        let mut values: Vec<&str> = column
            .top_values
            .iter()
            .map(|(value, _)| value.as_str())
            .collect();
        values.sort_unstable();
        let second = if column.storage == Storage::Number {
            Kind::Number
        } else {
            Kind::Category
        };
        return Opinion::new(
            Kind::Binary,
            Some(second),
            format!("two values, \"{}\" and \"{}\"", values[0], values[1]),
        );
    }
    match (column.storage, &column.number, &column.text, &column.date) {
        (Storage::Time, _, _, Some(date)) => date_opinion(column, date, "typed dates"),
        (_, Some(number), _, _) => number_opinion(column, number),
        (_, _, Some(text), date) => text_opinion(column, text, date.as_ref()),
        (Storage::Number | Storage::Text | Storage::Time | Storage::Bool, None, None, _) => {
            Opinion::new(Kind::Number, None, "only infinite numbers").useless(LeftOut::Constant)
        }
    }
}

/// The number of distinct values in words.
fn different(distinct: Distinct) -> String {
    match distinct {
        Distinct::Exact(n) => format!("{n} different"),
        Distinct::About(n) => format!("about {n} different"),
    }
}

fn number_opinion(column: &ColumnProfile, number: &NumberSummary) -> Opinion {
    let range = format!(
        "{} to {}, {}",
        short(number.min),
        short(number.max),
        different(column.n_distinct)
    );
    if !number.all_integer {
        return Opinion::new(Kind::Number, None, format!("numbers {range}"));
    }
    let n = column.n_present();
    let distinct = column.n_distinct.count();
    let whole = format!("whole numbers {range}");
    if let Some(why) = integer_id(column, number) {
        return Opinion::new(Kind::Number, None, format!("{whole}: {why}"))
            .useless(LeftOut::UniqueId);
    }
    // A code needs levels that come back, or none of them could be learned.
    if let Some(word) = names::code_word(&column.name).filter(|_| distinct <= (n / 5).max(20)) {
        return Opinion::new(
            Kind::Category,
            Some(Kind::Number),
            format!("{whole}; its name says \"{word}\", so they are taken for codes"),
        );
    }
    let second = (distinct <= 20).then_some(Kind::Category);
    Opinion::new(Kind::Number, second, whole)
}

/// Why a column of whole numbers is an identifier, if it is.
fn integer_id(column: &ColumnProfile, number: &NumberSummary) -> Option<String> {
    let n = column.n_present();
    if !column.unique || n < UNIQUE_ROWS || column.n_missing > 0 || is_years(column, number) {
        return None;
    }
    if (number.max - number.min + 1.0 - n as f64).abs() < 0.5 {
        return Some("a running number, one a row".to_owned());
    }
    if number.n_inexact > 0 {
        return Some("keys beyond 2^53, one a row".to_owned());
    }
    names::id_word(&column.name).map(|word| format!("one a row, and its name says \"{word}\""))
}

/// A run of years is time, not a key.
fn is_years(column: &ColumnProfile, number: &NumberSummary) -> bool {
    column.name.to_lowercase().contains("year") && number.min >= 1000.0 && number.max < 3000.0
}

/// A number in few characters.
fn short(value: f64) -> String {
    if value.fract().abs() < f64::EPSILON && value.abs() < 1e15 {
        return format!("{value}");
    }
    let text = format!("{value:.4}");
    if value.abs() >= 0.001 && value.abs() < 1e6 {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:.3e}")
    }
}

fn date_opinion(column: &ColumnProfile, date: &DateSummary, what: &str) -> Opinion {
    let second = if column.storage == Storage::Time {
        None
    } else {
        Some(Kind::Category)
    };
    Opinion::new(
        Kind::Date,
        second,
        format!("{what} from {} to {}", date.first, date.last),
    )
}

fn text_opinion(column: &ColumnProfile, text: &TextSummary, date: Option<&DateSummary>) -> Opinion {
    let n = column.n_present();
    let distinct = column.n_distinct.count();
    let strict = date.filter(|date| date.n_read as f64 >= DATE_SHARE * n as f64);
    if let Some((date, format)) = strict.and_then(|date| Some((date, date.format.clone()?))) {
        let share = 100.0 * date.n_read as f64 / n as f64;
        let what = format!("{format} reads {} % of the values,", short(share));
        return Opinion {
            date_format: Some(format),
            ..date_opinion(column, date, &what)
        };
    }
    let words = format!(
        "{} in {n} rows, {:.1} words a row",
        different(column.n_distinct),
        text.avg_words
    );
    if column.unique && n >= UNIQUE_ROWS && text.avg_words < 1.5 {
        let what = if text.same_length {
            "keys of one length"
        } else {
            "single words"
        };
        return Opinion::new(
            Kind::Category,
            Some(Kind::Text),
            format!("{what}, one a row: {words}"),
        )
        .useless(LeftOut::UniqueId);
    }
    if text.leading_zeros {
        return Opinion::new(
            Kind::Category,
            Some(Kind::Number),
            format!("whole numbers with leading zeros are codes: {words}"),
        );
    }
    let ratio = distinct as f64 / n as f64;
    let is_text = distinct > 20
        && ((text.avg_words >= 5.0 && (ratio >= 0.05 || distinct > 1_000))
            || (text.avg_words >= 2.0 && ratio >= 0.3)
            || (text.avg_chars >= 50.0 && ratio >= 0.3));
    if is_text {
        return Opinion::new(
            Kind::Text,
            Some(Kind::Category),
            format!("{words}: mostly its own words in each row"),
        );
    }
    let second = if 2 * text.n_numeric > n {
        Kind::Number
    } else if date.is_some() {
        Kind::Date
    } else {
        Kind::Text
    };
    Opinion::new(Kind::Category, Some(second), words)
}

/// Why a column cannot be of the kind that is asked for; `None` when it can.
pub(super) fn refusal(column: &ColumnProfile, kind: Kind) -> Option<String> {
    let distinct = column.n_distinct.count();
    match kind {
        Kind::Binary if distinct > 2 => {
            Some(format!("it has {} values", different(column.n_distinct)))
        }
        Kind::Date => match (column.storage, &column.date) {
            (Storage::Time, _) => None,
            (_, Some(date)) if 2 * date.n_read >= column.n_present() => None,
            (Storage::Number, _) => {
                Some("its values are numbers; numbers are never read as dates".to_owned())
            }
            (Storage::Text | Storage::Bool, _) => Some(format!(
                "no date format reads half of its values, such as {}",
                example(column)
            )),
        },
        Kind::Number => match column.storage {
            Storage::Number | Storage::Bool => None,
            Storage::Time => Some("its values are dates".to_owned()),
            Storage::Text => {
                let numeric = column.text.as_ref().map_or(0, |text| text.n_numeric);
                (numeric == 0).then(|| {
                    format!(
                        "none of its values is a number, such as {}",
                        example(column)
                    )
                })
            }
        },
        Kind::Binary | Kind::Category | Kind::Text => None,
    }
}

fn example(column: &ColumnProfile) -> String {
    column.top_values.first().map_or_else(
        || "its first".to_owned(),
        |(value, _)| format!("\"{value}\""),
    )
}
