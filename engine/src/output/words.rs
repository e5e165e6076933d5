//! The words for people: one line for a piece of news, or none when it would be noise.

use std::time::Duration;

use super::news::{News, Phase};

/// How much a line should stand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// The normal course of things.
    Plain,
    /// Good news.
    Good,
    /// Something to look at.
    Warning,
}

/// The line for a piece of news.
pub(super) fn line(news: &News) -> Option<(Tone, String)> {
    let plain = |text: String| Some((Tone::Plain, text));
    match news {
        News::RunOpened { name, folder } => plain(format!("run {name} in {}", folder.display())),
        News::PhaseBegan(phase) => plain(phase_text(*phase).to_owned()),
        News::Finding(text) => plain(format!("note: {text}")),
        News::Warning(text) => Some((Tone::Warning, format!("warning: {text}"))),
        News::BestChanged {
            trial,
            epoch,
            score,
        } => Some((
            Tone::Good,
            format!(
                "best so far {} (trial {trial}, epoch {epoch})",
                number(*score)
            ),
        )),
        News::TrialEnded {
            trial,
            outcome,
            cause: Some(cause),
        } => Some((Tone::Warning, format!("trial {trial} {outcome}: {cause}"))),
        // Told by the progress line, kept in config.yaml and the journal, or too many to read.
        News::Progress { .. }
        | News::Reason { .. }
        | News::LegStarted { .. }
        | News::Reported { .. }
        | News::Decided { .. }
        | News::TrialEnded { cause: None, .. }
        | News::Standing { .. } => None,
    }
}

/// What is going on, for the progress line.
pub(super) fn phase_text(phase: Phase) -> &'static str {
    match phase {
        Phase::Open => "finding the table",
        Phase::Profile => "reading the table and looking at every column",
        Phase::Propose => "choosing the base config",
        Phase::Prepare => "splitting and coding the columns",
        Phase::Search => "searching",
        Phase::Finish => "finishing: the best is tested and put in its place",
    }
}

/// "12 trials, best 0.9213, 2 of 2 slots busy, 31s left".
pub(super) fn standing(
    n_trials: u32,
    best: Option<f64>,
    busy: usize,
    slots: usize,
    left: Option<Duration>,
) -> String {
    let trials = if n_trials == 1 {
        "1 trial".to_owned()
    } else {
        format!("{n_trials} trials")
    };
    let best = best.map_or_else(
        || "no score yet".to_owned(),
        |best| format!("best {}", number(best)),
    );
    let left = left.map_or_else(String::new, |left| format!(", {} left", clock(left)));
    format!("{trials}, {best}, {busy} of {slots} slots busy{left}")
}

/// Whole seconds up to a minute, then minutes and seconds, then hours and minutes.
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A score to five significant digits.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "none".to_owned();
    }
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.4e}");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 8"
    )]
    let decimals = (4.0 - size.max(1e-4).log10().floor()).clamp(0.0, 8.0) as usize;
    format!("{value:.decimals$}")
}

/// A share as a percentage; more than nothing is never shown as nothing, nor less than all as all.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        p if p < 0.1 => "<0.1 %".to_owned(),
        p if p < 10.0 => format!("{p:.1} %"),
        p if (99.0..100.0).contains(&p) => format!("{:.1} %", p.min(99.9)),
        p => format!("{p:.0} %"),
    }
}

/// A count with commas: 48,842.
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_shown_to_five_digits() {
        for (value, text) in [
            (0.921_351, "0.92135"),
            (0.0, "0"),
            (1.0, "1.0000"),
            (12.345_678, "12.346"),
            (123_456.7, "123457"),
            (0.000_001, "1.0000e-6"),
            (-0.5, "-0.50000"),
            (f64::NAN, "none"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn the_standing_is_one_line() {
        assert_eq!(
            standing(1, None, 0, 2, None),
            "1 trial, no score yet, 0 of 2 slots busy"
        );
        assert_eq!(
            standing(23, Some(0.92134), 2, 2, Some(Duration::from_secs(75))),
            "23 trials, best 0.92134, 2 of 2 slots busy, 1m15s left"
        );
    }

    #[test]
    fn counts_and_shares_read_well() {
        assert_eq!(
            [0, 999, 1000, 48_842, 11_000_000].map(thousands),
            ["0", "999", "1,000", "48,842", "11,000,000"]
        );
        assert_eq!(
            [0.0, 0.0001, 0.0567, 0.5, 0.9956, 0.99999, 1.0].map(percent),
            [
                "0 %", "<0.1 %", "5.7 %", "50 %", "99.6 %", "99.9 %", "100 %"
            ]
        );
    }
}
