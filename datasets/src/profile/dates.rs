//! Whether texts are dates, by a vote of strict formats over every value.
//!
//! A format reads a text from its first to its last character or not at all, and years lie between 1000 and
//! 2999. The reader is the one that prepared arrays use, so that what counts as a date here is read as one there.

use super::numbers::Order;
use super::summary::DateSummary;
use crate::encode::date::Format;
use crate::table::{Dictionary, MISSING_CODE, TextColumn, Values};

/// Days, in order of preference; of two that read the same, the first wins.
const DAYS: [&str; 20] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d.%m.%y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%b %d %Y",
    "%d%b%Y",
    "%Y%m%d",
];
/// Times behind a day.
const TIMES: [&str; 11] = [
    "",
    " %H:%M:%S",
    " %H:%M",
    " %H:%M:%S%.f",
    "T%H:%M:%S",
    "T%H:%M",
    "T%H:%M:%S%.f",
    "T%H:%M:%S%.fZ",
    "T%H:%M:%S%.f%:z",
    " %I:%M %p",
    " %I:%M:%S %p",
];
/// Values that choose the formats that vote.
const TRIED: usize = 200;
/// Formats that vote.
const VOTERS: usize = 6;
/// 1000-01-01 and 3000-01-01 in microseconds since 1970-01-01.
const YEARS: std::ops::Range<i64> = -30_610_224_000_000_000..32_503_680_000_000_000;

/// A format with its name.
struct Voter {
    name: String,
    format: Format,
    /// The place of the voter with day and month exchanged.
    exchanged: Option<usize>,
    n_read: u64,
    n_only: u64,
}

impl Voter {
    fn read(&self, text: &str) -> Option<i64> {
        self.format
            .read(text)
            .filter(|micros| YEARS.contains(micros))
    }
}

/// Whether a text can be a date at all: four digits among at most 40 characters.
fn may_be_date(text: &str) -> bool {
    (6..=40).contains(&text.len())
        && text.bytes().filter(u8::is_ascii_digit).count() >= 3
        && !text
            .bytes()
            .all(|byte| byte.is_ascii_digit() && text.len() != 8)
}

/// The formats that read some of the texts, best first.
fn voters(texts: &[&str]) -> Vec<Voter> {
    if 2 * texts.iter().filter(|text| may_be_date(text)).count() < texts.len() {
        return Vec::new();
    }
    let mut found: Vec<(usize, Voter)> = Vec::new();
    for day in DAYS {
        for time in TIMES {
            let name = format!("{day}{time}");
            let format = Format::new(&name).expect("a format of the list is well-formed");
            let voter = Voter {
                name,
                format,
                exchanged: None,
                n_read: 0,
                n_only: 0,
            };
            let n = texts
                .iter()
                .filter(|text| voter.read(text).is_some())
                .count();
            if n > 0 {
                found.push((n, voter));
            }
        }
    }
    // Stable: of equals the preferred stays first.
    found.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    let mut voters: Vec<Voter> = found
        .into_iter()
        .take(VOTERS)
        .map(|(_, voter)| voter)
        .collect();
    let names: Vec<String> = voters.iter().map(|voter| voter.name.clone()).collect();
    for voter in &mut voters {
        let exchanged = exchange(&voter.name);
        voter.exchanged = names
            .iter()
            .position(|name| *name == exchanged && *name != voter.name);
    }
    voters
}

/// The format with day and month exchanged.
fn exchange(name: &str) -> String {
    name.replace("%d", "%-")
        .replace("%m", "%d")
        .replace("%-", "%m")
}

/// Counts a text for the first format that reads it, and for that format with day and month exchanged.
fn vote(voters: &mut [Voter], text: &str, times: u64) {
    let Some(first) = voters.iter().position(|voter| voter.read(text).is_some()) else {
        return;
    };
    voters[first].n_read += times;
    voters[first].n_only += times;
    if let Some(other) = voters[first]
        .exchanged
        .filter(|&other| voters[other].read(text).is_some())
    {
        voters[other].n_read += times;
    }
}

/// Settles the vote: exchanges day and month when the exchanged format reads more; `None` when the best reads
/// less than half.
fn settle(
    mut voters: Vec<Voter>,
    present: u64,
    order: impl Fn(&Voter) -> Order,
) -> Option<DateSummary> {
    let best = (0..voters.len()).max_by_key(|&at| (voters[at].n_read, std::cmp::Reverse(at)))?;
    let best = voters.remove(best);
    if 2 * best.n_read < present {
        return None;
    }
    let mut summary = order(&best).summary(Some(&best.name), best.n_read)?;
    let exchanged = exchange(&best.name);
    for voter in voters {
        if voter.name == exchanged && voter.n_read == best.n_read {
            summary.ambiguous_with = Some(voter.name);
        } else if voter.n_only > 0 && voter.name != exchanged {
            summary.others.push((voter.name, voter.n_only));
        }
    }
    Some(summary)
}

/// Dates among the levels of a coded column.
pub(super) fn of_levels(
    codes: &[u32],
    levels: Dictionary<'_>,
    counts: &[u64],
    present: u64,
) -> Option<DateSummary> {
    let step = levels.len().div_ceil(TRIED).max(1);
    let mut voters = voters(&levels.iter().step_by(step).collect::<Vec<_>>());
    if voters.is_empty() {
        return None;
    }
    for (text, &times) in levels.iter().zip(counts) {
        vote(&mut voters, text, times);
    }
    settle(voters, present, |best| {
        let times: Vec<Option<i64>> = levels.iter().map(|text| best.read(text)).collect();
        let mut order = Order::default();
        for &code in codes.iter().filter(|&&code| code != MISSING_CODE) {
            if let Some(time) = times[code as usize] {
                order.add(time);
            }
        }
        order
    })
}

/// Dates among the rows of a plain column.
pub(super) fn of_rows(rows: Dictionary<'_>, present: u64) -> Option<DateSummary> {
    let step = rows.len().div_ceil(TRIED).max(1);
    let texts = || rows.iter().filter(|text| !text.is_empty());
    let mut voters = voters(
        &rows
            .iter()
            .step_by(step)
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>(),
    );
    if voters.is_empty() {
        return None;
    }
    for text in texts() {
        vote(&mut voters, text, 1);
    }
    settle(voters, present, |best| {
        let mut order = Order::default();
        texts()
            .filter_map(|text| best.read(text))
            .for_each(|time| order.add(time));
        order
    })
}

/// The format that reads most values of a column of text, where one reads at least half of them.
pub(crate) fn format_of(values: Values<'_>) -> Option<String> {
    let summary = match values {
        Values::Text(TextColumn::Coded { codes, dictionary }) => {
            let mut counts = vec![0; dictionary.len()];
            let present = codes.iter().filter(|&&code| code != MISSING_CODE);
            let present = present.inspect(|&&code| counts[code as usize] += 1).count() as u64;
            of_levels(codes, dictionary, &counts, present)
        }
        Values::Text(TextColumn::Plain(rows)) => {
            let present = rows.iter().filter(|text| !text.is_empty()).count() as u64;
            of_rows(rows, present)
        }
        Values::Number(_) | Values::Time(_) | Values::Bool(_) => None,
    };
    summary?.format
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(texts: &[&str]) -> Option<DateSummary> {
        let (mut ends, mut bytes) = (Vec::new(), Vec::new());
        for text in texts {
            bytes.extend_from_slice(text.as_bytes());
            ends.push(bytes.len() as u64);
        }
        of_rows(
            Dictionary {
                ends: &ends,
                bytes: &bytes,
            },
            texts.len() as u64,
        )
    }

    #[test]
    fn the_format_that_reads_most_rows_is_named() {
        for (texts, format, first) in [
            (
                &["2012-10-02 09:00:00", "2012-10-02 10:00:00"][..],
                "%Y-%m-%d %H:%M:%S",
                "2012-10-02 09:00:00",
            ),
            (
                &["2012-10-02", "2011-01-31"],
                "%Y-%m-%d",
                "2011-01-31 00:00:00",
            ),
            (
                &["31/12/2019", "01/02/2020"],
                "%d/%m/%Y",
                "2019-12-31 00:00:00",
            ),
            (
                &["12/31/2019", "01/02/2020"],
                "%m/%d/%Y",
                "2019-12-31 00:00:00",
            ),
            (
                &["3 Mar 2020", "14 Apr 2020"],
                "%d %b %Y",
                "2020-03-03 00:00:00",
            ),
            (
                &["2020-01-01T10:00:00Z", "2020-01-01T11:00:00.5Z"],
                "%Y-%m-%dT%H:%M:%S%.fZ",
                "2020-01-01 10:00:00",
            ),
            (
                &["1/2/20 3:04 PM", "12/31/20 11:59 AM"],
                "%m/%d/%y %I:%M %p",
                "2020-01-02 15:04:00",
            ),
        ] {
            let summary = seen(texts).unwrap_or_else(|| panic!("{texts:?} are dates"));
            assert_eq!(
                (summary.format.as_deref(), summary.first.as_str()),
                (Some(format), first),
                "{texts:?}"
            );
            assert_eq!(
                (summary.n_read, summary.others.len()),
                (texts.len() as u64, 0)
            );
        }
    }

    #[test]
    fn numbers_words_and_versions_are_no_dates() {
        for texts in [
            &["12.5", "13.7"][..],
            &["May", "June"],
            &["1.2.3", "1.2.4"],
            &["10:30", "11:45"],
            &["02134", "10001"],
            &["2012", "2013"],
            &["A-2012-10", "B-2012-11"],
        ] {
            assert_eq!(seen(texts), None, "{texts:?}");
        }
    }

    #[test]
    fn mixed_and_ambiguous_formats_are_told() {
        let summary = seen(&["2020-01-13", "2020-01-14", "2020-01-15", "14.01.2020"]).unwrap();
        assert_eq!(
            (summary.n_read, summary.others),
            (3, vec![("%d.%m.%Y".to_owned(), 1)])
        );
        let summary = seen(&["01/02/2020", "03/04/2020"]).unwrap();
        assert_eq!(
            (summary.format.as_deref(), summary.ambiguous_with.as_deref()),
            (Some("%m/%d/%Y"), Some("%d/%m/%Y"))
        );
        let summary = seen(&["2020-01-02", "2020-01-05", "2020-01-03"]).unwrap();
        assert_eq!(summary.n_back, 1);
    }
}
