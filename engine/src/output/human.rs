//! Talk for people, on stderr: lines, and under them a progress line where stderr is a terminal.

use std::io::Write;
use std::sync::Mutex;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::news::{News, Phase, Talk};
use super::plain::plain;
use super::words::{self, Tone};
use crate::error::Error;
use crate::run_plan::RunPlan;

/// How often the standing is told where there is no progress line.
const STANDING_EVERY: Duration = Duration::from_secs(10);

/// Columns below which a terminal has no room for a bar beside the words.
const NARROW: u16 = 60;

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();

/// Talks to a person.
#[derive(Debug)]
pub(super) struct Human {
    /// The progress line; none where stderr is no terminal.
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

/// What has to be remembered between two pieces of news.
#[derive(Debug, Default)]
struct State {
    best: Option<f64>,
    phase: Option<Phase>,
    told: Duration,
}

impl Human {
    /// A talker to stderr, which is a terminal or not.
    pub(super) fn new(terminal: bool) -> Self {
        let width =
            terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| width.0);
        let bar = terminal.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(10));
            bar.set_style(
                ProgressStyle::with_template(template(width))
                    .unwrap_or_else(|_| ProgressStyle::default_bar())
                    .progress_chars("=> "),
            );
            bar
        });
        Self {
            bar,
            state: Mutex::new(State::default()),
        }
    }

    fn print(&self, at: Duration, tone: Tone, text: &str) {
        let style = match tone {
            Tone::Plain => Style::new(),
            Tone::Good => GREEN,
            Tone::Warning => YELLOW,
        };
        let time = format!("[{:>7.1}s]", at.as_secs_f64());
        let text = plain(text);
        let write = || {
            // Talk that cannot be written is dropped.
            let _ = writeln!(
                anstream::stderr(),
                "{DIM}{time}{DIM:#} {style}{text}{style:#}"
            );
        };
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn progress(&self, position: u64, length: u64, message: String) {
        if let Some(bar) = &self.bar {
            bar.set_length(length.max(1));
            bar.set_position(position);
            bar.set_message(message);
        }
    }
}

/// The progress line, whose words are cut where they do not fit; without a bar where that would leave them no room.
fn template(width: u16) -> &'static str {
    if width < NARROW {
        "{wide_msg}"
    } else {
        "{bar:24} {wide_msg}"
    }
}

impl Talk for Human {
    fn tell(&self, at: Duration, news: &News) {
        if let Some((tone, text)) = words::line(news) {
            self.print(at, tone, &text);
        }
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        match news {
            News::BestChanged { score, .. } => state.best = Some(*score),
            News::PhaseBegan(phase) => {
                state.phase = Some(*phase);
                self.progress(0, 1, words::phase_text(*phase).to_owned());
            }
            News::Progress { unit, done, of } => {
                let doing = state.phase.map_or("working", words::phase_text);
                let count = of.map_or_else(
                    || format!("{done} {unit}"),
                    |of| format!("{done} of {of} {unit}"),
                );
                self.progress(*done, of.unwrap_or(0), format!("{doing}: {count}"));
            }
            News::Standing {
                n_trials,
                busy,
                slots,
                left,
                ..
            } => {
                let text = words::standing(*n_trials, state.best, *busy, *slots, *left);
                let total = at + left.unwrap_or_default();
                let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                self.progress(
                    millis(at),
                    if left.is_some() { millis(total) } else { 0 },
                    text.clone(),
                );
                if self.bar.is_none() && at >= state.told + STANDING_EVERY {
                    state.told = at;
                    self.print(at, Tone::Plain, &text);
                }
            }
            News::RunOpened { .. }
            | News::Finding(_)
            | News::Reason { .. }
            | News::Warning(_)
            | News::LegStarted { .. }
            | News::Reported { .. }
            | News::Decided { .. }
            | News::TrialEnded { .. } => {}
        }
    }
}

impl Drop for Human {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Says one thing.
pub(super) fn say(kind: &str, text: &str) {
    // Talk that cannot be written is dropped.
    let _ = writeln!(
        anstream::stderr(),
        "{YELLOW}{kind}:{YELLOW:#} {}",
        plain(text)
    );
}

/// Says what a run will do.
pub(super) fn say_plan(plan: &RunPlan) {
    let mut err = anstream::stderr();
    for line in plan.lines() {
        // Talk that cannot be written is dropped.
        let _ = writeln!(err, "{}", plain(&line));
    }
}

/// Says an error and its hint on stderr.
pub(super) fn say_error(error: &Error) {
    let mut err = anstream::stderr();
    // Talk that cannot be written is dropped; the exit code still tells.
    let _ = writeln!(err, "{RED}error:{RED:#} {}", plain(&error.to_string()));
    let hint = plain(error.hint());
    if !hint.is_empty() {
        let _ = writeln!(err, " {YELLOW}hint:{YELLOW:#} {hint}");
    }
}

/// Says that this program has a fault, and asks for a report.
pub(crate) fn say_panic(what: &str) {
    let mut err = anstream::stderr();
    // Talk that cannot be written is dropped; the exit code still tells.
    let _ = writeln!(err, "{RED}bug:{RED:#} {what}");
    let _ = writeln!(
        err,
        " {YELLOW}hint:{YELLOW:#} please report it with the command, this message and the version ({}); the logs in the run's folder may say more",
        env!("CARGO_PKG_VERSION")
    );
}
